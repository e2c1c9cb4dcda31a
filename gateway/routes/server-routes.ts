/** Every path that is no resource, in the order in which they are asked. */
import type { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { ServedResources } from '../../actors/resources/served-resources.ts';
import { DiscoveryView } from '../../projections/discovery/discovery-view.ts';
import { OpenApiView } from '../../projections/openapi/openapi-view.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
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
  const facts = served.facts();
  const documentsAt = documentsOf(facts, address);
  const groupPaths = facts.flatMap(({ group, version }) =>
    group === ''
      ? ['/api', `/api/${version}`]
      : ['/apis', `/apis/${group}`, `/apis/${group}/${version}`],
  );
  return firstOf([
    (request) => discoveryRoute(documentsAt(request.moment).discovery(), request),
    healthRoute(checks),
    versionRoute(),
    (request) => openApiRoute(documentsAt(request.moment).openApi, request),
    metricsRoute(metrics),
    rootIndexRoute(() => [...groupPaths, ...PLAIN_PATHS]),
  ]);
}

/** What clients ask for before they ask for objects. */
interface ApiDocuments {
  /** Made when it is first asked for, since it names the address that was bound. */
  discovery(): DiscoveryView;
  readonly openApi: OpenApiView;
}

/**
 * The documents as of a moment; undefined is now. What is served does not change while the server
 * runs, so all moments have the same ones.
 */
function documentsOf(
  facts: readonly ResourceFacts[],
  address: () => string,
): (moment: ResourceVersion | undefined) => ApiDocuments {
  let discovery: DiscoveryView | undefined;
  const now: ApiDocuments = {
    discovery: () => (discovery ??= new DiscoveryView(facts, address())),
    openApi: new OpenApiView(facts),
  };
  return () => now;
}
