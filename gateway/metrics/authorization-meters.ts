/**
 * Counts and measures what users may do. Label sets are few: there are as many authorizers as the
 * operator has named.
 *
 * In Kubernetes: metrics of apiserver/pkg/endpoints/filters, apiserver/pkg/authorization and its
 * cel, and plugin/pkg/authorizer/webhook.
 */
import type {
  AuthorizationMeters,
  AuthorizationResult,
  DecisionCounts,
  WebhookAuthorizerMeters,
} from '../../actors/authorization/authorization-meters.ts';
import { formatFamily, formatLabels } from './exposition.ts';
import { bucketBounds } from './histogram.ts';
import { LabelledCounts, LabelledHistograms } from './named-figures.ts';

/** From a millisecond to sixteen seconds, twice as long each. */
const DOUBLING = bucketBounds(Array.from({ length: 15 }, (_, at) => 2 ** at / 1_000));
const DEFAULT = bucketBounds([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
const CONDITION_DURATIONS = bucketBounds([0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]);
const MS = 1_000;

const RESULTS = {
  allowed: 'result="allowed"',
  denied: 'result="denied"',
  'no-opinion': 'result="no-opinion"',
  error: 'result="error"',
} as const satisfies Record<AuthorizationResult, string>;

interface Decider extends DecisionCounts {
  readonly type: string;
  readonly name: string;
}

/** Of one server; the counters of an authorizer outlive a configuration that replaces it. */
export class ServerAuthorizationMeters implements AuthorizationMeters {
  /** Milliseconds, and parts of them. */
  readonly #elapsed: () => number;
  readonly #durations = new LabelledHistograms(DOUBLING);
  readonly #deciders = new Map<string, Decider>();
  readonly #evaluations = new LabelledHistograms(DEFAULT);
  readonly #failedOpen = new LabelledCounts();
  readonly #conditions = new LabelledHistograms(CONDITION_DURATIONS);
  readonly #conditionErrors = new LabelledCounts();
  readonly #exclusions = new LabelledCounts();

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  authorized(result: AuthorizationResult, durationMs: number): void {
    this.#durations.observe(RESULTS[result], durationMs / MS);
  }

  /** The same counts again where the configuration was read anew. */
  decisionsOf(type: string, name: string): DecisionCounts {
    const key = `${type}/${name}`;
    const known = this.#deciders.get(key);
    if (known !== undefined) return known;
    const decider = { type, name, allowed: 0, denied: 0 };
    this.#deciders.set(key, decider);
    return decider;
  }

  webhook(name: string): WebhookAuthorizerMeters {
    const conditions = formatLabels({ name, type: 'Webhook' });
    return {
      asked: (result, durationMs) => {
        this.#evaluations.observe(formatLabels({ name, result }), durationMs / MS);
      },
      failedOpen: (result) => {
        this.#failedOpen.add(formatLabels({ name, result }));
      },
      checking: () => {
        const startedAt = this.#elapsed();
        return (found) => {
          this.#conditions.observe(conditions, (this.#elapsed() - startedAt) / MS);
          if (found === 'excluded') this.#exclusions.add(conditions);
          else if (found === 'error') this.#conditionErrors.add(conditions);
        };
      },
    };
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#durations.formatCounts(
        'authorization_attempts_total',
        'Questions whether a user may do what is asked, by the answer.',
      ),
      this.#durations.format(
        'authorization_duration_seconds',
        'How long it takes to tell whether a user may do what is asked.',
      ),
      this.#formatDecisions(),
      this.#formatWebhooks(),
      this.#formatConditions(),
    ].join('');
  }

  #formatDecisions(): string {
    const samples = [...this.#deciders.values()].flatMap(({ type, name, ...counts }) =>
      (['allowed', 'denied'] as const)
        .filter((decision) => counts[decision] > 0)
        .map((decision) => {
          const labels = formatLabels({ decision, name, type });
          return { labels, value: counts[decision] };
        }),
    );
    const name = 'apiserver_authorization_decisions_total';
    return formatFamily({ name, type: 'counter', help: 'What authorizers decided.' }, samples);
  }

  #formatWebhooks(): string {
    const name = 'apiserver_authorization_webhook';
    return [
      this.#evaluations.formatCounts(`${name}_evaluations_total`, 'Times a webhook was asked.'),
      this.#evaluations.format(`${name}_duration_seconds`, 'How long webhooks take to answer.'),
      this.#failedOpen.format(
        `${name}_evaluations_fail_open_total`,
        'counter',
        'Times that the next authorizer decided since a webhook gave no answer.',
      ),
    ].join('');
  }

  #formatConditions(): string {
    const name = 'apiserver_authorization_match_condition';
    return [
      this.#conditionErrors.format(
        `${name}_evaluation_errors_total`,
        'counter',
        'Times that a condition could not be evaluated.',
      ),
      this.#exclusions.format(
        `${name}_exclusions_total`,
        'counter',
        'Times that a webhook was not asked since a condition did not hold.',
      ),
      this.#conditions.format(
        `${name}_evaluation_seconds`,
        'How long it takes to evaluate the conditions of a webhook.',
      ),
    ].join('');
  }
}
