/** Every path that is no resource, in the order in which they are asked. */
import type { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import type { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import type { ServedResources } from '../../actors/served-resources/served-resources.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ApiDocuments } from './api-documents.ts';
import { debugPaths, debugRoute, type DebugParts } from './debug.ts';
import { discoveryRoute } from './discovery.ts';
import { healthRoute } from './health.ts';
import { metricsRoute } from './metrics.ts';
import { openApiRoute } from './openapi.ts';
import { KEY_SET_PATH, OPENID_CONFIGURATION_PATH } from './openid.ts';
import { rootIndexRoute } from './root-index.ts';
import { firstOf, type Route } from './route.ts';
import { unknownPathRoute } from './unknown-path.ts';
import { versionRoute } from './version.ts';

export interface RoutesParts {
  readonly served: ServedResources;
  readonly checks: HealthChecks;
  readonly metrics: Metrics;
  /** Who signs the tokens of service accounts. */
  readonly openId: Route;
  readonly debug: DebugParts;
  /** `127.0.0.1:6443`, known when the port is open. */
  readonly address: () => string;
  readonly featureGates: FeatureGates;
}

const PLAIN_PATHS = [
  OPENID_CONFIGURATION_PATH,
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  KEY_SET_PATH,
  '/version',
];

export function serverRoutes(parts: RoutesParts): Route {
  const { served, checks, metrics, openId, debug, address } = parts;
  const documents = new ApiDocuments(served, address, parts.featureGates);
  const ofItself = [...PLAIN_PATHS, ...debugPaths(debug)];
  const paths = ({ moment }: ReceivedRequest) => [
    ...documents.at(moment).paths,
    ...ofItself,
    ...checks.paths(),
  ];
  return firstOf([
    (request) => discoveryRoute(() => documents.at(request.moment).discovery, request),
    healthRoute(checks),
    versionRoute(),
    (request) => openApiRoute(() => documents.at(request.moment).openApi, request),
    openId,
    metricsRoute(metrics, checks),
    debugRoute(debug, paths),
    rootIndexRoute(paths),
    unknownPathRoute(served),
  ]);
}
