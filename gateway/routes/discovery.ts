/**
 * `/api`, `/apis` and what stands below them that is no resource.
 *
 * In Kubernetes: apiserver/pkg/endpoints/discovery, and its aggregated form.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { methodNotAllowed, notAcceptable } from '../../api/meta/status.ts';
import { acceptanceOf, acceptClauses, wireOf, type AcceptClause } from '../negotiation/accept.ts';
import { CONTENT_TYPES, encoded } from '../responses/object-form.ts';
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import { routedAccept, servedMedia } from '../../actors/request/routed-media.ts';
import type { PeerServers } from '../../actors/peers/peer-servers.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import { sourceAddresses } from '../../actors/request/source-addresses.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request/request.ts';
import type {
  DiscoveryDocument,
  DiscoveryView,
} from '../../projections/discovery/discovery-view.ts';
import type { ServerAddress } from '../../projections/discovery/served-groups.ts';

const AGGREGATED = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** By which address the clients of services reach the server. */
export interface ServiceAddress extends ServerAddress {
  /** Whether an address is one of theirs. */
  has(address: string): boolean;
}

/** How a document is wanted. */
interface Wanted {
  readonly type: AcceptedMedia['type'];
  readonly isAggregated: boolean;
  /** Whether what other servers of the log serve is left out. */
  readonly isOwn: boolean;
}

/** What discovery shows that is not of this server alone. */
interface DiscoverySurroundings {
  /** Of the control plane; undefined: it is shown to no client. */
  readonly service?: ServiceAddress | undefined;
  /** undefined: there are none. */
  readonly peers?: Pick<PeerServers, 'withPeers'> | undefined;
}

/**
 * Only GET where upstream has its router; the list of groups and the groups themselves are behind
 * none, and are shown whatever the method.
 *
 * @param view is asked for where the path may be one of discovery's.
 * @param of what stands around the server.
 */
export function discoveryRoute(
  view: () => DiscoveryView,
  request: AuthenticatedRequest,
  { service, peers }: DiscoverySurroundings = {},
): Answer | undefined {
  const path = trimmed(request.info.path);
  if (!path.startsWith('/api')) return undefined;
  const isAggregable = path === '/api' || path === '/apis';
  const wanted = isAggregable ? wantedBy(request) : plainlyWanted(request);
  const closer = path === '/api' ? closerTo(request, service) : undefined;
  const document = view().document(path, wanted?.isAggregated === true, closer);
  if (document === undefined) return undefined;
  if (document.isCustom === true && request.hasCbor === true) {
    return withoutCbor(document, request);
  }
  const isBelowGroup = path.split('/').length > 3 && document.isCustom !== true;
  const isRouted = path.startsWith('/api/') || path === '/api' || isBelowGroup;
  if (isRouted && request.method !== 'GET') return statusAnswer(methodNotAllowed());
  const { objects } = servedMedia(request);
  const routed = isRouted ? routedAccept(request.headers, objects) : undefined;
  if (routed !== undefined) return statusAnswer(routed);
  if (wanted === undefined) return statusAnswer(notAcceptable(objects));
  if (document.etag !== undefined) {
    const isOfAll = path === '/apis' && peers !== undefined && !wanted.isOwn;
    const shown = isOfAll ? peers.withPeers(document) : document;
    return aggregatedAnswer({ document: shown, etag: shown.etag ?? '' }, wanted.type, request);
  }
  return plainAnswer(document, request.acceptance.status);
}

/** Upstream writes the versions of custom resources in it no more than groups and roots. */
function withoutCbor(document: DiscoveryDocument, request: ReceivedRequest): Answer {
  const { status: media } = acceptanceOf(request.headers, request.query);
  const { objects } = servedMedia({ hasCbor: false });
  const [code, type, body] =
    media === undefined
      ? ([406, 'json', Buffer.from(formatJson(notAcceptable(objects), 2))] as const)
      : ([200, media.type, encoded(document.object, document.typeId, media)] as const);
  return { kind: 'Document', code, headers: { 'Content-Type': CONTENT_TYPES[type] }, body };
}

function closerTo(
  { headers, connection }: ReceivedRequest,
  service: ServiceAddress | undefined,
): ServerAddress | undefined {
  if (service === undefined) return undefined;
  const [client] = sourceAddresses(headers, connection.remoteAddress);
  if (client === undefined || !service.has(client)) return undefined;
  return { clientCIDR: service.clientCIDR, serverAddress: service.serverAddress };
}

function plainAnswer(document: DiscoveryDocument, media: AcceptedMedia | undefined): Answer {
  if (media === undefined || (media.type === 'json' && !media.pretty)) {
    const headers = { 'Content-Type': CONTENT_TYPES.json, Vary: 'Accept' };
    return { kind: 'Document', code: 200, headers, body: document.body };
  }
  return { kind: 'Value', code: 200, typeId: document.typeId, value: document.object };
}

function plainlyWanted({ acceptance, headers }: ReceivedRequest): Wanted | undefined {
  if (headers['accept'] === undefined) return { type: 'json', isAggregated: false, isOwn: false };
  const { status } = acceptance;
  return status === undefined
    ? undefined
    : { type: status.type, isAggregated: false, isOwn: false };
}

/** @param aggregated the document with its ETag, which all of its forms have. */
function aggregatedAnswer(
  { document, etag }: { readonly document: DiscoveryDocument; readonly etag: string },
  type: Wanted['type'],
  { headers }: ReceivedRequest,
): Answer {
  const known = headers['if-none-match'] === etag;
  return {
    kind: 'Document',
    code: known ? 304 : 200,
    headers: {
      'Content-Type': `${CONTENT_TYPES[type]};${AGGREGATED}`,
      'Cache-Control': 'public',
      ETag: etag,
      Vary: 'Accept',
    },
    body: known ? Buffer.alloc(0) : bodyOf(document, type),
  };
}

/** Made once for each form that is asked for. */
const bodies = new WeakMap<DiscoveryDocument, Map<Wanted['type'], Uint8Array>>();

function bodyOf(document: DiscoveryDocument, type: Wanted['type']): Uint8Array {
  if (type === 'json') return document.body;
  const known = bodies.get(document) ?? new Map<Wanted['type'], Uint8Array>();
  bodies.set(document, known);
  let body = known.get(type);
  if (body === undefined) {
    const media = { type, transform: 'none', pretty: false, includeObject: 'None' } as const;
    body = encoded(document.object, document.typeId, media);
    known.set(type, body);
  }
  return body;
}

/** Of what the client takes, the first that there is. */
function wantedBy(request: ReceivedRequest): Wanted | undefined {
  const accept = String(request.headers['accept'] ?? '');
  if (!accept.includes('apidiscovery.k8s.io')) return plainlyWanted(request);
  for (const clause of acceptClauses(accept)) {
    const type = wireOf(clause);
    if (type === undefined) continue;
    const isPlain = !TRANSFORM.some((name) => clause.parameters.has(name));
    if (isPlain && !clause.parameters.has('sv')) return { type, isAggregated: false, isOwn: false };
    const isOwn = clause.parameters.get('profile') === 'nopeer';
    if (isAggregatedV2(clause)) return { type, isAggregated: true, isOwn };
  }
  return undefined;
}

const TRANSFORM = ['as', 'g', 'v'];

function isAggregatedV2({ parameters }: AcceptClause): boolean {
  return (
    parameters.get('g') === 'apidiscovery.k8s.io' &&
    parameters.get('v') === 'v2' &&
    parameters.get('as') === 'APIGroupDiscoveryList'
  );
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
