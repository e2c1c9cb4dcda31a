/**
 * `/metrics` and `/metrics/slis`, for Prometheus; whatever the method, but that nothing is set back
 * by DELETE: whoever reads figures of another's would see them fall.
 */
import type { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { Answer } from '../../actors/request/answer.ts';
import { formatHealth } from '../metrics/health-meters.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Route } from './route.ts';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsRoute(metrics: Metrics, checks: HealthChecks): Route {
  return (request) => {
    if (request.method === 'DELETE') return undefined;
    const { path } = request.info;
    if (path === '/metrics') return metrics.format().then(textOf);
    return path === '/metrics/slis' ? textOf(metrics.shown(formatHealth(checks))) : undefined;
  };
}

function textOf(text: string): Answer {
  const headers = { 'Content-Type': CONTENT_TYPE };
  return { kind: 'Document', code: 200, headers, body: Buffer.from(text) };
}
