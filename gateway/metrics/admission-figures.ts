/**
 * Measures admission: each phase as a whole, each plug-in in it, and what they count themselves.
 *
 * The surprise: a plug-in that has nothing to do at a place is not counted there, since it is not
 * asked; kube-apiserver counts that it did nothing.
 *
 * In Kubernetes: AdmissionMetrics, apiserver/pkg/admission/metrics.
 */
import type { AdmissionOperation } from '../../actors/admission/admission-attributes.ts';
import type {
  AdmissionMeters,
  ObserveDuration,
  PodSecurityMeters,
  PodSecurityPlace,
  AdmissionPhase,
} from '../../actors/admission/admission-meters.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { formatHead, formatLabels } from './exposition.ts';
import { bucketBounds } from './histogram.ts';
import { NamedHistograms } from './named-figures.ts';
import { PodSecurityFigures } from './pod-security-meters.ts';
import { PolicyFigures } from './policy-meters.ts';
import { Summary } from './summary.ts';
import { WebhookFigures } from './webhook-meters.ts';

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
