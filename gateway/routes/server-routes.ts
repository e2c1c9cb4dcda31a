/** Every path that is no resource, in the order in which they are asked. */
import type { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { ServedResources } from '../../actors/resources/served-resources.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ApiDocuments } from './api-documents.ts';
import { discoveryRoute } from './discovery.ts';
import { healthRoute } from './health.ts';
import { metricsRoute } from './metrics.ts';
import { openApiRoute } from './openapi.ts';
import { rootIndexRoute } from './root-index.ts';
import { firstOf, type Route } from './route.ts';
import { versionRoute } from './version.ts';

export interface RoutesParts {
  readonly served: ServedResources;
  readonly checks: HealthChecks;
  readonly metrics: Metrics;
  /** `127.0.0.1:6443`, known when the port is open. */
  readonly address: () => string;
}

const PLAIN_PATHS = [
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/version',
];

export function serverRoutes({ served, checks, metrics, address }: RoutesParts): Route {
  const documents = new ApiDocuments(served, address);
  return firstOf([
    (request) => discoveryRoute(() => documents.at(request.moment).discovery, request),
    healthRoute(checks),
    versionRoute(),
    (request) => openApiRoute(() => documents.at(request.moment).openApi, request),
    metricsRoute(metrics),
    rootIndexRoute(({ moment }) => [...documents.at(moment).paths, ...PLAIN_PATHS]),
  ]);
}
