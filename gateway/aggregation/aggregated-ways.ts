/**
 * The ways to aggregated servers: requests of clients are passed on as those of their users, and documents
 * are fetched for this server itself. What a server answers goes to the client as it comes, as fast as
 * either end takes it; a server that does not answer is told of, so that it is looked at.
 *
 * In Kubernetes: proxyHandler, kube-aggregator/pkg/apiserver, over UpgradeAwareHandler of
 * apimachinery/pkg/util/proxy.
 */
import type {
  AggregatedServers,
  FetchedDocument,
  FetchFailure,
  FetchOptions,
} from '../../actors/aggregation/aggregated-servers.ts';
import type { AggregatedService } from '../../actors/aggregation/aggregated-services.ts';
import type { FindService } from '../../actors/aggregation/service-places.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, UserInfo } from '../../actors/request/request.ts';
import { splitPath } from '../../actors/request/request-info.ts';
import { goQuote } from '../../api/json/go-format.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { ClientTls } from '../files/client-credentials.ts';
import { escapedPath } from '../node-streams/backend-requests.ts';
import {
  headersForClient,
  passedHeaders,
  type RawHeaders,
} from '../node-streams/passed-headers.ts';
import type { ProxyWay } from '../outbound/egress/proxy-way.ts';
import { goProblem } from '../outbound/go-http-problem.ts';
import { UnreadableRootsError } from '../outbound/trusting-agent.ts';
import { textAnswer } from '../routes/route.ts';
import { AggregatedUpgrades } from './aggregated-upgrades.ts';
import { remoteUserHeaders } from './remote-user.ts';
import { ExchangeEnd } from './exchange-end.ts';
import { CANCELED, ExchangeError, type ServerAnswer } from './server-answer.ts';
import { exchange } from './server-exchange.ts';
import { hostAndPort } from './server-place.ts';
import { ServerWays } from './server-ways.ts';

export interface AggregatedWaysParts {
  readonly clock: Clock;
  /** Ends all connections. */
  readonly until: AbortSignal;
  /** Through which proxy; undefined: straight there. */
  readonly way: ProxyWay | undefined;
  readonly credentials: () => ClientTls;
  readonly find: FindService;
  /** Whether a redirect is answered with 502. */
  readonly rejectsRedirects: boolean;
  /** As which user documents are fetched; default: the aggregator. */
  readonly self?: UserInfo;
  /** Of every request that is passed on: names and values. */
  readonly marks?: RawHeaders;
}

const SELF: UserInfo = {
  ...{
    name: 'system:kube-aggregator',
    uid: '',
    groups: ['system:masters'],
    extra: {},
  },
};
/** Of requests for `/apis/GROUP/VERSION` itself. */
const DISCOVERY_MS = 5_000;
const DISCOVERY_PARTS = 3;
const FETCHED_BYTES_MAX = 64 * 1024 * 1024;
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

const unavailable = (why: string): Answer => textAnswer(503, `${why}\n`);
const NOT_AVAILABLE = unavailable('service unavailable');

/** Reaches aggregated servers over connections of this machine. */
export class AggregatedWays implements AggregatedServers {
  readonly #parts: AggregatedWaysParts;
  readonly #ways: ServerWays;
  readonly #upgrades: AggregatedUpgrades;
  readonly #listeners = new Set<(name: string) => void>();

  constructor(parts: AggregatedWaysParts) {
    this.#parts = parts;
    this.#ways = new ServerWays(parts);
    this.#upgrades = new AggregatedUpgrades(parts);
  }

  /** How many connections of HTTP/2 there are to the server of an APIService. */
  connectionCount(name: string): number {
    return this.#ways.connectionCount(name);
  }

  whenFailed(listener: (name: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async proxy(request: AuthenticatedRequest, to: AggregatedService): Promise<Answer> {
    // It is not known here when a watch of another server has sent what it begins with.
    request.initialized();
    if (!to.available) return NOT_AVAILABLE;
    const found = this.#parts.find(to.service);
    if (!found.ok) return this.#failed(to, NOT_AVAILABLE);
    const end = new ExchangeEnd();
    const answered = endWith(end, request, this.#parts.clock);
    try {
      const way = this.#ways.of(to, found);
      const user = this.#userHeaders(request.user);
      if (request.isWebSocket) {
        const passed = await this.#upgrades.pass(request, way.place, user);
        if (passed.kind !== 'unreached') return passed;
        const why = unavailable(`error dialing backend: ${goProblem(passed.error)}`);
        return end.reason === CANCELED ? why : this.#failed(to, why);
      }
      const escaped = escapedPath(request.info.path);
      const headers = headersForServer(request, escaped, way.host);
      const path = request.query === '' ? escaped : `${escaped}?${request.query}`;
      const { method } = request;
      const body = request.bodyStream();
      headers.push(...user, ...framing(request, body !== undefined));
      const sent = { method, path, headers, body, end };
      return this.#passedOn(request, await exchange(way, sent));
    } catch (error) {
      return this.#problem(to, error, end.reason);
    } finally {
      answered();
    }
  }

  async fetch(
    of: AggregatedService,
    path: string,
    { method = 'GET', headers = {}, timeoutMs, sizeMax = FETCHED_BYTES_MAX, signal }: FetchOptions,
  ): Promise<FetchedDocument | FetchFailure> {
    const found = this.#parts.find(of.service);
    if (!found.ok) return { ok: false, message: found.message, url: '' };
    const way = this.#ways.of(of, found);
    const url = `https://${hostAndPort(found)}${path}`;
    const end = new ExchangeEnd();
    const cancel = this.#parts.clock.after(timeoutMs, () => {
      end.abort(LATE);
    });
    const abort = (): void => {
      end.abort(CANCELED);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const sent = [
        ...Object.entries(headers).flat(),
        ...remoteUserHeaders(this.#parts.self ?? SELF),
      ];
      const asked = { method, path, headers: sent, body: undefined, end };
      const answer = await exchange(way, asked);
      const body = await wholeBody(answer, sizeMax);
      return {
        ok: true,
        code: answer.code,
        url,
        headers: named(answer.rawHeaders),
        body,
      };
    } catch (error) {
      // A connection whose other end is silent may be the reason.
      if (signal?.aborted !== true) way.connections.retire();
      const why = end.reason === LATE ? LATE : goProblem(error);
      const isAbout = !(error instanceof UnreadableRootsError);
      const verb = method === 'GET' ? 'Get' : 'Delete';
      return {
        ok: false,
        message: isAbout ? `${verb} ${goQuote(url)}: ${why}` : why,
        url,
      };
    } finally {
      cancel();
      signal?.removeEventListener('abort', abort);
    }
  }

  #userHeaders(user: UserInfo): readonly string[] {
    const { marks } = this.#parts;
    return marks === undefined ? remoteUserHeaders(user) : [...remoteUserHeaders(user), ...marks];
  }

  #passedOn(request: AuthenticatedRequest, answer: ServerAnswer): Answer {
    const { code, rawHeaders } = answer;
    const headers = headersForClient(request, rawHeaders);
    const isRedirect = code >= 300 && code < 400 && headers['location'] !== undefined;
    if (isRedirect && this.#parts.rejectsRedirects) {
      answer.destroy();
      return {
        kind: 'Document',
        code: 502,
        headers: {},
        body: Buffer.from(REDIRECTED),
      };
    }
    const whole = request.method === 'GET' ? answer.whole?.() : undefined;
    return {
      ...{ kind: 'Stream', code, headers },
      ...(whole === undefined ? {} : { whole }),
      async *chunks(signal) {
        signal.addEventListener('abort', answer.destroy, { once: true });
        if (signal.aborted) answer.destroy();
        yield* answer.body;
        signal.removeEventListener('abort', answer.destroy);
      },
    };
  }

  #problem(to: AggregatedService, error: unknown, ended: string | undefined): Answer {
    if (error instanceof UnreadableRootsError) return textAnswer(500, `${error.message}\n`);
    const why = `error trying to reach service: ${ended ?? goProblem(error)}`;
    const isClients = ended === CANCELED;
    return isClients ? unavailable(why) : this.#failed(to, unavailable(why));
  }

  #failed({ name }: AggregatedService, answer: Answer): Answer {
    for (const listener of this.#listeners) listener(name);
    return answer;
  }
}

const LATE = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

/**
 * Ends a request when its client goes, or when it has taken too long.
 *
 * @returns to be called when the head of the answer is there: time counts no more.
 */
function endWith(end: ExchangeEnd, request: AuthenticatedRequest, clock: Clock): () => void {
  const gone = (): void => {
    end.abort(CANCELED);
  };
  request.whenGone(gone);
  // It may have been told that it took too long.
  request.atTheEnd(gone);
  if (!isDiscovery(request)) return () => undefined;
  return clock.after(DISCOVERY_MS, () => {
    end.abort('context deadline exceeded');
  });
}

function isDiscovery({ info }: AuthenticatedRequest): boolean {
  return !info.isResourceRequest && splitPath(info.path).length === DISCOVERY_PARTS;
}

/** Without `Host`, which is the server's own. */
function headersForServer(request: AuthenticatedRequest, uri: string, host: string): string[] {
  const kept = passedHeaders(request, false, OWN_HEADERS);
  if (request.auditID !== '') kept.push('Audit-Id', request.auditID);
  kept.push('X-Forwarded-Uri', uri, 'X-Forwarded-Host', host, 'X-Forwarded-Proto', 'https');
  return kept;
}

/** They are said anew, whatever the client has said. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['audit-id', 'x-forwarded-uri', 'x-forwarded-host', 'x-forwarded-proto', 'expect'],
]);

/** How the length of the body is told. */
function framing({ method, headers }: AuthenticatedRequest, hasBody: boolean): string[] {
  if (headers['content-length'] !== undefined) return [];
  if (hasBody) return ['Transfer-Encoding', 'chunked'];
  return BODILESS.has(method) ? [] : ['Content-Length', '0'];
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

async function wholeBody(answer: ServerAnswer, sizeMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= sizeMax) continue;
    answer.destroy();
    throw new ExchangeError('http: response body too large');
  }
  return Buffer.concat(chunks);
}

function named(rawHeaders: readonly string[]): Record<string, string | undefined> {
  const headers = Object.create(null) as Record<string, string | undefined>;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers[(rawHeaders[at] ?? '').toLowerCase()] = rawHeaders[at + 1];
  }
  return headers;
}
