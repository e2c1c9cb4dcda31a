/**
 * `/api`, `/apis` and what stands below them that is no resource.
 *
 * In Kubernetes: apiserver/pkg/endpoints/discovery, and its aggregated form.
 */
import { methodNotAllowed, notAcceptable, type Status } from '../../api/meta/status.ts';
import { statusAnswer, type Answer } from '../../actors/answer.ts';
import { OBJECT_TYPES, routedAccept } from '../../actors/routed-media.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request.ts';
import type {
  DiscoveryDocument,
  DiscoveryView,
} from '../../projections/discovery/discovery-view.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Only GET where upstream has its router; the list of groups and the groups themselves are behind
 * none, and are shown whatever the method.
 *
 * @param view is asked for where the path may be one of discovery's.
 */
export function discoveryRoute(
  view: () => DiscoveryView,
  request: AuthenticatedRequest,
): Answer | undefined {
  const path = trimmed(request.info.path);
  if (!path.startsWith('/api')) return undefined;
  const aggregated = wantsAggregated(request);
  const document = view().document(path, aggregated);
  if (document === undefined) return undefined;
  const isRouted = path.startsWith('/api/') || path === '/api' || path.split('/').length > 3;
  if (isRouted && request.method !== 'GET') return statusAnswer(methodNotAllowed());
  const unaccepted = refusedForm(request, { isRouted, aggregated });
  if (unaccepted !== undefined) return statusAnswer(unaccepted);
  if (document.etag !== undefined) return aggregatedAnswer(document, document.etag, request);
  if (request.accepted?.type === 'json' && !request.accepted.pretty) {
    const headers = { 'Content-Type': 'application/json', Vary: 'Accept' };
    return { kind: 'Document', code: 200, headers, body: document.body };
  }
  return { kind: 'Value', code: 200, typeId: document.typeId, value: document.object };
}

function refusedForm(
  { headers, accepted }: ReceivedRequest,
  { isRouted, aggregated }: { readonly isRouted: boolean; readonly aggregated: boolean },
): Status | undefined {
  const routed = isRouted ? routedAccept(headers, OBJECT_TYPES) : undefined;
  if (routed !== undefined) return routed;
  const isUnknown = headers['accept'] !== undefined && accepted === undefined;
  return isUnknown && !aggregated ? notAcceptable(OBJECT_TYPES) : undefined;
}

function aggregatedAnswer(
  { body }: DiscoveryDocument,
  etag: string,
  { headers }: ReceivedRequest,
): Answer {
  const known = headers['if-none-match'] === etag;
  return {
    kind: 'Document',
    code: known ? 304 : 200,
    headers: {
      'Content-Type': AGGREGATED,
      'Cache-Control': 'public',
      ETag: etag,
      Vary: 'Accept',
    },
    body: known ? Buffer.alloc(0) : body,
  };
}

function wantsAggregated({ headers }: ReceivedRequest): boolean {
  return String(headers['accept'] ?? '')
    .split(',')
    .some((clause) => isAggregatedV2(clause.replaceAll(' ', '')));
}

function isAggregatedV2(clause: string): boolean {
  const [type, ...parameters] = clause.split(';');
  return (
    type === 'application/json' &&
    ['g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'].every((one) =>
      parameters.includes(one),
    )
  );
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
