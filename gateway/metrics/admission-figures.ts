/**
 * Measures admission: each phase as a whole, each plug-in in it, and what policies, the conditions of
 * webhooks and PodSecurity decide.
 *
 * The surprise: a plug-in that has nothing to do at a place is not counted there, since it is not
 * asked; kube-apiserver counts that it did nothing.
 *
 * In Kubernetes: AdmissionMetrics, apiserver/pkg/admission/metrics; policy/validating/metrics and
 * policy/mutating/metrics of apiserver/pkg/admission/plugin; k8s.io/pod-security-admission/metrics.
 */
import type {
  AdmissionMeters,
  AdmissionPhase,
  CheckedPolicy,
  ConditionsOwner,
  ObserveDuration,
  PodSecurityMeters,
  PodSecurityPlace,
  PolicyMeters,
} from '../../actors/admission/admission-meters.ts';
import { bucketBounds, Summary } from './histogram.ts';
import { NamedCounts, NamedHistograms } from './named-figures.ts';
import type { AdmissionOperation } from '../../actors/admission/admission-attributes.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { formatHead, formatLabels } from './exposition.ts';
import { WebhookFigures } from './webhook-meters.ts';

const CONDITIONS = 'apiserver_admission_match_condition';
const VALIDATING = 'apiserver_validating_admission_policy_check';
const MUTATING = 'apiserver_mutating_admission_policy_check';
const CONDITION_DURATIONS = bucketBounds([0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]);
const CHECK_DURATIONS = bucketBounds([0.0000005, 0.001, 0.01, 0.1, 1], (bound) =>
  bound === 0.0000005 ? '5e-07' : String(bound),
);

class PolicyFigures implements PolicyMeters {
  readonly #conditionErrors = new NamedCounts({
    name: `${CONDITIONS}_evaluation_errors_total`,
    help: 'Match conditions that could not be evaluated.',
  });
  readonly #conditions = new NamedHistograms(
    {
      name: `${CONDITIONS}_evaluation_seconds`,
      help: 'How long match conditions took that did not all hold, in seconds.',
    },
    CONDITION_DURATIONS,
  );
  readonly #validated = new NamedCounts({
    name: `${VALIDATING}_total`,
    help: 'What followed from what validating policies found.',
  });
  readonly #validations = new NamedHistograms(
    {
      name: `${VALIDATING}_duration_seconds`,
      help: 'How long expressions took from which something followed, in seconds.',
    },
    CHECK_DURATIONS,
  );
  readonly #mutated = new NamedCounts({
    name: `${MUTATING}_total`,
    help: 'Mutations by policies.',
  });
  readonly #mutations = new NamedHistograms(
    {
      name: `${MUTATING}_duration_seconds`,
      help: 'How long mutations by policies took, in seconds.',
    },
    CHECK_DURATIONS,
  );

  conditionsEvaluated(owner: ConditionsOwner, errors: number, durationMs: number): void {
    const { kind, name, operation, type } = owner;
    const labels = { kind, name, operation, type };
    if (errors > 0) this.#conditionErrors.add(labels, errors);
    this.#conditions.of(labels).observe(durationMs / 1_000);
  }

  validated(
    { policy, binding, errorType }: CheckedPolicy,
    action: string,
    durationMs: number,
  ): void {
    const which = { policy, policy_binding: binding };
    const labels = { enforcement_action: action, error_type: errorType, ...which };
    this.#validated.add(labels);
    this.#validations.of(labels).observe(durationMs / 1_000);
  }

  mutated({ policy, binding, errorType }: CheckedPolicy, durationMs: number): void {
    const labels = { error_type: errorType, policy, policy_binding: binding };
    this.#mutated.add(labels);
    this.#mutations.of(labels).observe(durationMs / 1_000);
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#conditionErrors,
      this.#conditions,
      this.#validated,
      this.#validations,
      this.#mutated,
      this.#mutations,
    ]
      .map((family) => family.format())
      .join('');
  }
}

/** The minor version of the API: what namespaces say of later ones is of the future. */
const MINOR = 36;

/** In Kubernetes: populateCache, pod-security-admission/metrics. */
const WRITES_OF_PODS = ['create', 'update'].map((request_operation) => ({
  request_operation,
  resource: 'pod',
  subresource: '',
}));
const ALLOWED = {
  decision: 'allow',
  mode: 'enforce',
  policy_level: 'privileged',
  policy_version: 'latest',
};

class PodSecurityFigures {
  readonly #evaluations = new NamedCounts(
    {
      name: 'pod_security_evaluations_total',
      help: 'Evaluations of policies, without requests that are ignored or exempt.',
    },
    WRITES_OF_PODS.map((write) => ({ ...ALLOWED, ...write })),
  );
  readonly #exemptions = new NamedCounts(
    {
      name: 'pod_security_exemptions_total',
      help: 'Requests that are exempt, without those that are ignored.',
    },
    [...WRITES_OF_PODS, ...WRITES_OF_PODS.map((write) => ({ ...write, resource: 'controller' }))],
  );
  readonly #errors = new NamedCounts({
    name: 'pod_security_errors_total',
    help: 'Errors that kept from evaluating as was meant.',
  });

  at({ operation, resource, subresource }: PodSecurityPlace): PodSecurityMeters {
    const request_operation = operation.toLowerCase();
    const where = { request_operation, resource, subresource };
    const known = new Map<string, { value: number }>();
    const exempted = this.#exemptions.of(where);
    return {
      evaluated: (decision, { level, version }, mode) => {
        const key = `${decision} ${mode} ${level} ${String(version)}`;
        let count = known.get(key);
        if (count === undefined) {
          const policy_version = level === 'privileged' ? 'latest' : shownVersion(version);
          const policy = { policy_level: level, policy_version };
          const { request_operation: of, ...rest } = where;
          const labels = { decision, mode, ...policy, request_operation: of, ...rest };
          count = this.#evaluations.of(labels);
          known.set(key, count);
        }
        count.value += 1;
      },
      exempted: () => {
        exempted.value += 1;
      },
      failed: (isFatal) => {
        this.#errors.add({ fatal: String(isFatal), ...where });
      },
    };
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return this.#errors.format() + this.#evaluations.format() + this.#exemptions.format();
  }
}

function shownVersion(version: number | 'latest'): string {
  if (version === 'latest') return version;
  return version > MINOR ? 'future' : `v1.${String(version)}`;
}

const DURATIONS = bucketBounds([0.005, 0.025, 0.1, 0.5, 1, 2.5]);
const STEP = 'apiserver_admission_step_admission_duration_seconds';
const SUMMARY_AGE_MS = 5 * 3_600_000;

export class AdmissionFigures implements AdmissionMeters {
  readonly webhooks = new WebhookFigures();
  readonly policies = new PolicyFigures();
  readonly #podSecurity = new PodSecurityFigures();
  readonly #clock: Clock;
  readonly #phases = new NamedHistograms(
    { name: STEP, help: 'How long each phase of admission takes, in seconds.' },
    DURATIONS,
  );
  readonly #plugins = new NamedHistograms(
    {
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'How long plug-ins of admission take where they have something to do, in seconds.',
    },
    DURATIONS,
  );
  readonly #summaries = new Map<string, Summary>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return performance.now();
  }

  durationsOf(
    plugin: string | undefined,
    type: AdmissionPhase,
    operation: AdmissionOperation,
  ): ObserveDuration {
    const observers = [false, true].map((isRejected) => {
      const labels = { operation, rejected: String(isRejected), type };
      if (plugin === undefined) return this.#ofPhase(labels);
      const histogram = this.#plugins.of({ name: plugin, ...labels });
      return (durationMs: number): void => {
        histogram.observe(durationMs / 1_000);
      };
    });
    return (durationMs, isRejected) => observers[isRejected ? 1 : 0]?.(durationMs);
  }

  podSecurityAt(place: PodSecurityPlace): PodSecurityMeters {
    return this.#podSecurity.at(place);
  }

  /** All families in Prometheus' text format. */
  format(): string {
    const summaries = [...this.#summaries]
      .map(([labels, one]) => one.format(`${STEP}_summary`, labels))
      .join('');
    const help =
      'Quantiles of how long each phase of admission took in the last hours, in seconds.';
    return [
      this.#plugins.format(),
      this.#phases.format(),
      summaries === '' ? '' : formatHead(`${STEP}_summary`, 'summary', help) + summaries,
      this.webhooks.format(),
      this.policies.format(),
      this.#podSecurity.format(),
    ].join('');
  }

  #ofPhase(labels: Readonly<Record<string, string>>): (durationMs: number) => void {
    const histogram = this.#phases.of(labels);
    const key = formatLabels(labels);
    const known = this.#summaries.get(key);
    const summary = known ?? new Summary({ clock: this.#clock, maxAgeMs: SUMMARY_AGE_MS });
    this.#summaries.set(key, summary);
    return (durationMs) => {
      histogram.observe(durationMs / 1_000);
      summary.observe(durationMs / 1_000);
    };
  }
}
