/**
 * Every path that is no resource, in the order in which they are asked. Health, figures, the index and
 * unknown paths are answered here; the others have files of their own.
 */
import {
  formatReport,
  type HealthChecks,
  type HealthEndpoint,
} from '../../actors/lifecycle/health-checks.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request/request.ts';
import { queryValue, queryValues } from '../../api/meta/web-addresses.ts';
import { firstOf, jsonAnswer, type Route, textAnswer } from './route.ts';
import { formatHealth } from '../metrics/health-meters.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ServedResources } from '../../actors/served-resources/served-resources.ts';
import { KEY_SET_PATH, OPENID_CONFIGURATION_PATH } from './openid.ts';
import type { AggregatedDocuments } from '../../actors/aggregation/aggregated-documents.ts';
import type { PeerServers } from '../../actors/peers/peer-servers.ts';
import type { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import { ApiDocuments } from './api-documents.ts';
import { type DebugParts, debugPaths, debugRoute } from './debug.ts';
import { discoveryRoute, type ServiceAddress } from './discovery.ts';
import { LOG_FILES_PATH, logFilesRoute } from './log-files.ts';
import { openApiRoute } from './openapi.ts';
import { versionRoute } from './version.ts';

interface RoutesParts {
  readonly served: ServedResources;
  readonly checks: HealthChecks;
  readonly metrics: Metrics;
  /** What `/metrics` shows; undefined: the figures of this process. */
  readonly allFigures?: (() => Promise<string>) | undefined;
  /** The documents by which others check tokens of service accounts. */
  readonly openId: Route;
  readonly debug: DebugParts;
  /** The files of the page. */
  readonly page: Route;
  /** `127.0.0.1:6443`, known when the port is open. */
  readonly address: () => string;
  /** The service `kubernetes`, as its clients reach it; undefined: they are told of none. */
  readonly service?: ServiceAddress;
  readonly featureGates: FeatureGates;
  /** The folder whose files are served; undefined: none. */
  readonly logFiles?: string;
  /** undefined: other servers are shown nowhere, as in forks. */
  readonly aggregatedDocuments?: Pick<AggregatedDocuments, 'current'>;
  /** Other servers of the log; undefined: what they serve is shown nowhere. */
  readonly peers?: Pick<PeerServers, 'withPeers'> | undefined;
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
  const { served, checks, metrics, openId, debug, page, address, service } = parts;
  const { featureGates: gates, aggregatedDocuments } = parts;
  const shown = { gates, aggregated: aggregatedDocuments };
  const documents = new ApiDocuments(served, address, shown);
  const ofMachine = parts.logFiles === undefined ? [] : [LOG_FILES_PATH];
  const ofItself = [...PLAIN_PATHS, ...ofMachine, ...debugPaths(debug)];
  const paths = ({ moment }: ReceivedRequest) => [
    ...documents.at(moment).paths,
    ...ofItself,
    ...checks.paths(),
  ];
  return firstOf([
    (request) => {
      const peers = request.moment === undefined ? parts.peers : undefined;
      const view = () => documents.at(request.moment).discovery;
      return discoveryRoute(view, request, { service, peers });
    },
    healthRoute(checks),
    versionRoute(),
    (request) => openApiRoute(() => documents.at(request.moment).openApi, request),
    openId,
    metricsRoute(metrics, checks, parts.allFigures),
    debugRoute(debug, paths),
    logFilesRoute(parts.logFiles),
    page,
    rootIndexRoute(paths),
    unknownPathRoute(served),
  ]);
}

const ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/**
 * `/healthz`, `/livez` and `/readyz`, and every check under a path of its own.
 *
 * In Kubernetes: apiserver/pkg/server/healthz.
 */
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

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * `/metrics` and `/metrics/slis`, for Prometheus; whatever the method, but that nothing is set back
 * by DELETE: other readers of the figures would see them fall.
 */
export function metricsRoute(
  metrics: Metrics,
  checks: HealthChecks,
  allFigures: () => Promise<string> = () => metrics.format(),
): Route {
  return (request) => {
    if (request.method === 'DELETE') return undefined;
    const { path } = request.info;
    if (path === '/metrics') return allFigures().then(textOf);
    return path === '/metrics/slis' ? textOf(metrics.shown(formatHealth(checks))) : undefined;
  };
}

function textOf(text: string): Answer {
  const headers = { 'Content-Type': CONTENT_TYPE };
  return { kind: 'Document', code: 200, headers, body: Buffer.from(text) };
}

/**
 * `/`: all paths there are, whatever the method.
 *
 * In Kubernetes: Index, apiserver/pkg/server/routes.
 *
 * @param listedPaths is asked every time, since discovery changes; the order does not matter.
 */
export function rootIndexRoute(listedPaths: (request: ReceivedRequest) => Iterable<string>): Route {
  return (request) => {
    const { path } = request.info;
    if (path !== '/' && path !== '' && path !== '/index.html') return undefined;
    return jsonAnswer({ paths: [...new Set(listedPaths(request))].sort() });
  };
}

/** Where upstream's router stands, whatever follows. */
const ROUTED = ['/api', '/version', OPENID_CONFIGURATION_PATH, KEY_SET_PATH];

const NOT_FOUND = textAnswer(404, '404 page not found\n');

/**
 * Unknown paths. Below the APIs that are built in upstream's router answers with a Status, which is left
 * to the caller; everywhere else, in groups of custom resources too, Go's own 404 does, in plain text.
 *
 * In Kubernetes: director.ServeHTTP, apiserver/pkg/server/handler.go, and http.NotFound.
 */
function unknownPathRoute(served: Pick<ServedResources, 'facts'>): Route {
  const groups = new Set(served.facts().map(({ group }) => group));
  const routed = [...ROUTED, ...[...groups].map((group) => `/apis/${group}`)];
  return ({ info: { path } }) =>
    routed.some((one) => path === one || path.startsWith(`${one}/`)) ? undefined : NOT_FOUND;
}
