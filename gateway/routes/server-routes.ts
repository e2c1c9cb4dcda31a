/** Every path that is no resource, in the order in which they are asked. */
import type { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { ServedResources } from '../../actors/resources/served-resources.ts';
import { DiscoveryView } from '../../projections/discovery/discovery-view.ts';
import { OpenApiView } from '../../projections/openapi/openapi-view.ts';
import type { Metrics } from '../metrics/metrics.ts';
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
  readonly options: { readonly bindAddress: string; readonly securePort: number };
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

export function serverRoutes({ served, checks, metrics, options }: RoutesParts): Route {
  const facts = served.facts();
  const address = `${options.bindAddress}:${String(options.securePort)}`;
  const discovery = new DiscoveryView(facts, address);
  const openApi = new OpenApiView(facts);
  const groupPaths = facts.flatMap(({ group, version }) =>
    group === ''
      ? ['/api', `/api/${version}`]
      : ['/apis', `/apis/${group}`, `/apis/${group}/${version}`],
  );
  return firstOf([
    (request) => discoveryRoute(discovery, request),
    healthRoute(checks),
    versionRoute(),
    (request) => openApiRoute(openApi, request),
    metricsRoute(metrics),
    rootIndexRoute(() => [...groupPaths, ...PLAIN_PATHS]),
  ]);
}
