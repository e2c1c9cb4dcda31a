/**
 * What the health checks said so far: `/metrics/slis`.
 *
 * In Kubernetes: component-base/metrics/prometheus/slis.
 */
import type { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import { formatFamily, formatLabels, type Sample } from './exposition.ts';

const LAST = {
  name: 'kubernetes_healthcheck',
  type: 'gauge',
  help: 'Whether a health check passed when it was asked last.',
} as const;

const TOTAL = {
  name: 'kubernetes_healthchecks_total',
  type: 'counter',
  help: 'Answers of health checks, by what they were.',
} as const;

/** The text of `/metrics/slis`: one gauge and one counter by check, endpoint and outcome. */
export function formatHealth(checks: HealthChecks): string {
  const last: Sample[] = [];
  const total: Sample[] = [];
  for (const { name, endpoint: type, isPassed, successes, errors } of checks.observations()) {
    last.push({ labels: formatLabels({ name, type }), value: isPassed ? 1 : 0 });
    const counts = Object.entries({ error: errors, success: successes });
    for (const [status, value] of counts) {
      if (value > 0) total.push({ labels: formatLabels({ name, type, status }), value });
    }
  }
  return formatFamily(LAST, last) + formatFamily(TOTAL, total);
}
