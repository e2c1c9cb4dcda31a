/**
 * `/healthz`, `/livez` and `/readyz`, and every check under a path of its own.
 *
 * In Kubernetes: apiserver/pkg/server/healthz.
 */
import {
  formatReport,
  type HealthChecks,
  type HealthEndpoint,
} from '../../actors/lifecycle/health-checks.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { queryValue, queryValues } from '../../api/meta/url-query.ts';
import { textAnswer, type Route } from './route.ts';

const ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

export function healthRoute(checks: HealthChecks): Route {
  return (request) => {
    const { path } = request.info;
    const endpoint = ENDPOINTS.find((one) => path.startsWith(one, 1));
    if (endpoint === undefined || path[0] !== '/') return undefined;
    const rest = path.slice(endpoint.length + 1);
    if (rest === '') return overall(checks, endpoint, request);
    return rest[0] === '/' ? single(checks, endpoint, rest.slice(1)) : undefined;
  };
}

/** Always in detail where something is wrong; else only if asked. */
function overall(
  checks: HealthChecks,
  endpoint: HealthEndpoint,
  { query }: AuthenticatedRequest,
): Answer {
  const report = checks.report(endpoint, queryValues(query, 'exclude'));
  if (report.isHealthy && queryValue(query, 'verbose') === undefined) return textAnswer(200, 'ok');
  return textAnswer(report.isHealthy ? 200 : 500, formatReport(report));
}

function single(checks: HealthChecks, endpoint: HealthEndpoint, name: string): Answer | undefined {
  const result = checks.checkOne(endpoint, name);
  if (result === undefined) return undefined;
  if (result.problem === undefined) return textAnswer(200, 'ok');
  return textAnswer(500, `internal server error: ${result.problem}\n`);
}
