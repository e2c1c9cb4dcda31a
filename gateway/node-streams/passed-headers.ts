/**
 * Which headers pass between a client and a backend. What names or proves a user never leaves
 * this server, and what is about one connection only stays on it.
 *
 * In Kubernetes: UpgradeAwareHandler, apimachinery/pkg/util/proxy, over Go's httputil.ReverseProxy; what
 * WithAuthentication and WithImpersonation take away, apiserver/pkg/endpoints/filters.
 */
import { BEARER_PROTOCOL_PREFIX } from '../../actors/authentication/bearer-token.ts';
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'x-remote-group',
  'x-remote-uid',
  'x-remote-user',
]);
/** Of these HTTP/2 takes one. */
const SINGLE: ReadonlySet<string> = new Set([
  'age',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'tk',
  'x-content-type-options',
]);
/** They are this server's to give. */
const CORS: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/**
 * With it a page that is looked at through this server would have its script between a browser and all of
 * this server, its own page among them, long after the backend is gone. kube-apiserver passes it on.
 */
const WIDER_THAN_ITS_PATH = 'service-worker-allowed';

/** Names and values by turns, as node sends them. */
export type RawHeaders = string[];

/**
 * The headers of a request for its backend.
 *
 * @param isUpgrade whether the two ends are to agree on another protocol.
 */
export function headersForBackend(request: ReceivedRequest, isUpgrade: boolean): RawHeaders {
  return ['Host', hostOf(request), ...passedHeaders(request, isUpgrade, NONE)];
}

/** The same without `Host`. @param replaced names in lower case of others that are not passed on. */
export function passedHeaders(
  request: ReceivedRequest,
  isUpgrade: boolean,
  replaced: ReadonlySet<string>,
): RawHeaders {
  const passed: RawHeaders = [];
  const named =
    isUpgrade || request.headers['connection'] === undefined ? NONE : namedByConnection(request);
  const cookies: string[] = [];
  const forwardedFor: string[] = [];
  const { rawHeaders = [], headers } = request;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at] as string, rawHeaders[at + 1] as string];
    const key = loweredName(name);
    // What filters have forgotten was meant for them.
    if (isOwn(key) || replaced.has(key) || headers[key] === undefined) continue;
    if (key === 'cookie') cookies.push(value);
    else if (key === 'x-forwarded-for') forwardedFor.push(value);
    else if (isUpgrade && key === 'sec-websocket-protocol') passProtocols(passed, name, value);
    else if (isUpgrade || !(HOP_BY_HOP.has(key) || named.has(key))) passed.push(name, value);
    else if (key === 'te' && value.toLowerCase().includes('trailers'))
      passed.push(name, 'trailers');
  }
  // HTTP/2 sends them one by one.
  if (cookies.length > 0) passed.push('Cookie', cookies.join('; '));
  const { remoteAddress } = request.connection;
  if (remoteAddress !== '') forwardedFor.push(remoteAddress);
  if (forwardedFor.length > 0) passed.push('X-Forwarded-For', forwardedFor.join(', '));
  return passed;
}

const NONE: ReadonlySet<string> = new Set();

/** The `Host` that the client asked for. */
export function hostOf({ headers }: ReceivedRequest): string {
  const host = headers['host'] ?? headers[':authority'] ?? '';
  return typeof host === 'string' ? host : (host[0] ?? '');
}

/** Whether it is about the connection of the client, or names its user. */
function isOwn(key: string): boolean {
  if (key === 'host' || key.startsWith(':') || CREDENTIALS.has(key)) return true;
  return key.startsWith('impersonate-') || key.startsWith('x-remote-extra-');
}

function namedByConnection({ rawHeaders = [] }: Pick<ReceivedRequest, 'rawHeaders'>) {
  let named: Set<string> | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (loweredName(rawHeaders[at] as string) !== 'connection') continue;
    named ??= new Set();
    for (const one of (rawHeaders[at + 1] ?? '').split(',')) named.add(one.trim().toLowerCase());
  }
  return named ?? NONE;
}

const NAMES_MAX = 1_000;
const NAME_CHARACTERS_MAX = 64;
/** Names come again with each request, and short ones are kept. */
const loweredNames = new BoundedMap<string, string>(NAMES_MAX);

function loweredName(name: string): string {
  const known = loweredNames.peek(name);
  if (known !== undefined) return known;
  const lowered = name.toLowerCase();
  if (name.length <= NAME_CHARACTERS_MAX) loweredNames.set(name, lowered);
  return lowered;
}

/** A browser may have sent its token among the protocols. */
function passProtocols(passed: RawHeaders, name: string, value: string): void {
  const offered = value.split(',').map((one) => one.trim());
  const others = offered.filter((one) => !one.startsWith(BEARER_PROTOCOL_PREFIX));
  if (others.length > 0) passed.push(name, others.join(', '));
}

/**
 * The headers of an answer for the client: what this server sends with every answer, and behind it what
 * the backend has said.
 */
export function headersForClient(
  { responseHeaders }: ReceivedRequest,
  rawHeaders: readonly string[],
): Record<string, string | string[]> {
  const own = new Map<string, string>();
  for (const name of Object.keys(responseHeaders)) own.set(loweredName(name), name);
  const named = namedByConnection({ rawHeaders });
  // Names are the backend's.
  const passed = Object.create(null) as Record<string, string | string[]>;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const key = loweredName(rawHeaders[at] as string);
    const value = rawHeaders[at + 1] as string;
    if (HOP_BY_HOP.has(key) || CORS.has(key) || named.has(key)) continue;
    if (key === WIDER_THAN_ITS_PATH) continue;
    const name = own.get(key) ?? key;
    if (SINGLE.has(key) && passed[name] !== undefined) continue;
    const before = passed[name] ?? (own.has(key) ? responseHeaders[name] : undefined);
    passed[name] = before === undefined ? value : [before, value].flat();
  }
  return passed;
}
