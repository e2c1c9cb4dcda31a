/** `/metrics`, for Prometheus. */
import type { Answer } from '../../actors/request.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { isRead, type Route } from './route.ts';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsRoute(metrics: Metrics): Route {
  async function answer(): Promise<Answer> {
    const body = Buffer.from(await metrics.format());
    return { kind: 'Document', code: 200, headers: { 'Content-Type': CONTENT_TYPE }, body };
  }
  return (request) => {
    return isRead(request) && request.info.path === '/metrics' ? answer() : undefined;
  };
}
