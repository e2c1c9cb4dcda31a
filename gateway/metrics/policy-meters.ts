/**
 * Counts and measures what policies say, and the conditions under which they and webhooks are asked.
 *
 * In Kubernetes: policy/validating/metrics and policy/mutating/metrics of
 * apiserver/pkg/admission/plugin, and AdmissionMetrics.
 */
import type {
  CheckedPolicy,
  ConditionsOwner,
  PolicyMeters,
} from '../../actors/admission/admission-meters.ts';
import { bucketBounds } from './histogram.ts';
import { NamedCounts, NamedHistograms } from './named-figures.ts';

const CONDITIONS = 'apiserver_admission_match_condition';
const VALIDATING = 'apiserver_validating_admission_policy_check';
const MUTATING = 'apiserver_mutating_admission_policy_check';
const CONDITION_DURATIONS = bucketBounds([0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]);
const DURATIONS = bucketBounds([0.0000005, 0.001, 0.01, 0.1, 1], (bound) =>
  bound === 0.0000005 ? '5e-07' : String(bound),
);

export class PolicyFigures implements PolicyMeters {
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
    DURATIONS,
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
    DURATIONS,
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
