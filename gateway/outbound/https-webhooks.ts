/**
 * Calls webhooks over HTTPS. No redirect is followed, what comes back has a largest size, and what
 * goes wrong is told in the words of Go's HTTP client, which clients of a cluster know. Certificates of a
 * kind that is not in use any more are counted.
 *
 * In Kubernetes: ClientManager and x509metrics, apiserver/pkg/util, and client-go's rest.Request.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { posix } from 'node:path';

import {
  type RequestOptions,
  secureRequest,
  TrustingAgent,
  UnreadableRootsError,
  UntrustedServerError,
} from './trusting-agent.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { goQuote } from '../../api/json/go-format.ts';
import type {
  WebhookAnswer,
  WebhookCall,
  WebhookClient,
  WebhookFailure,
  WebhookTarget,
} from '../../api/kinds/custom/webhook-client.ts';
import type { ProxyWay } from './egress/proxy-way.ts';
import { goProblem, isDialProblem, serverProblem } from './go-http-problem.ts';
import { countCall } from './rest-calls.ts';
import { TunnelAgent } from './tunnel-agent.ts';

/** What is counted of certificates. */
type DeprecatedCertificate = 'missing_san' | 'insecure_sha1';

const LEGACY = 'x509: certificate relies on legacy Common Name field';
const WEAK = 'x509: cannot verify signature: insecure algorithm ';
const SHA1 = /^[A-Z]*-?SHA1/;

/** undefined: the call failed for another reason. */
function deprecatedIn(error: unknown): DeprecatedCertificate | undefined {
  if (!(error instanceof UntrustedServerError)) return undefined;
  if (error.message.includes(LEGACY)) return 'missing_san';
  const [, ...algorithms] = error.message.split(WEAK);
  return algorithms.some((text) => SHA1.test(text)) ? 'insecure_sha1' : undefined;
}

/**
 * What calls need; proxies and `deprecated` are undefined where there are none, or nothing counts.
 */
export interface HttpsWebhooksParts {
  readonly clock: Clock;
  /** Where a service is reached, or why it is not. */
  readonly resolve: ResolveService;
  /** Through whom connections go to services, and to addresses; straight there, unless said. */
  readonly proxies?: WebhookProxies;
  /** Called for each call that met a certificate of a deprecated form. */
  readonly deprecated?: (problem: DeprecatedCertificate) => void;
}

interface WebhookProxies {
  readonly cluster: ProxyWay | undefined;
  readonly controlPlane: ProxyWay | undefined;
}

/** From a service to a host, an endpoint of it or its own address; `message` is upstream's. */
export type ResolveService = (
  namespace: string,
  name: string,
  port: number,
) =>
  | { readonly ok: true; readonly host: string; readonly port: number }
  | { readonly ok: false; readonly message: string };

const UNLESS_SAID: WebhookCall = { timeoutMs: 30_000 };

/** Connections to one webhook that are kept while they are idle. */
const IDLE_CONNECTIONS_MAX = 32;
const BODY_BYTES_MAX = 64 * 1024 * 1024;

interface WebhookAddress {
  /** As it stands in messages. */
  readonly shown: string;
  readonly options: RequestOptions;
  /** The header, where the address is that of an endpoint. */
  readonly host?: string;
}

/** Calls webhooks at their URLs or services, with credentials and through proxies. */
export class HttpsWebhooks implements WebhookClient {
  readonly #parts: HttpsWebhooksParts;
  readonly #toServices: TrustingAgent;
  readonly #toAddresses: TrustingAgent;

  constructor(parts: HttpsWebhooksParts) {
    this.#parts = parts;
    this.#toServices = agentThrough(parts.proxies?.cluster, parts.clock);
    this.#toAddresses = agentThrough(parts.proxies?.controlPlane, parts.clock);
  }

  post(target: WebhookTarget, body: Buffer, call = UNLESS_SAID): Promise<WebhookAnswer> {
    const { clock, resolve } = this.#parts;
    const place = placeOf(
      target,
      resolve,
      `?timeout=${String(Math.ceil(call.timeoutMs / 1_000))}s`,
    );
    if (typeof place === 'string') return Promise.resolve({ ok: false, message: place });
    const { timeoutMs } = call;
    const agent = target.service === undefined ? this.#toAddresses : this.#toServices;
    const { deprecated = () => undefined } = this.#parts;
    const { credentials } = call;
    const parts = { place, clock, agent, timeoutMs, deprecated, credentials };
    return new Promise((answered) => {
      new Call(parts, answered).send(body);
    });
  }
}

function agentThrough(proxy: ProxyWay | undefined, clock: Clock): TrustingAgent {
  const options = { clock, keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX };
  return proxy === undefined ? new TrustingAgent(options) : new TunnelAgent(proxy, options);
}

interface CallParts extends WebhookCall {
  readonly place: WebhookAddress;
  readonly clock: Clock;
  readonly agent: TrustingAgent;
  readonly deprecated: (problem: DeprecatedCertificate) => void;
}

/** One question and its answer, whichever of the many ends it has. */
class Call {
  readonly #parts: CallParts;
  readonly #answered: (answer: WebhookAnswer) => void;
  #isOver = false;
  #isConnected = false;
  #cancelTimeout: () => void = () => undefined;

  constructor(parts: CallParts, answered: (answer: WebhookAnswer) => void) {
    this.#parts = parts;
    this.#answered = answered;
  }

  send(body: Buffer): void {
    const { place, agent, clock, timeoutMs, credentials } = this.#parts;
    const { options } = place;
    const { cert, key, headers, problem } = credentials ?? {};
    if (problem !== undefined) {
      this.#end({ ok: false, message: this.#about(problem) });
      return;
    }
    let sent: ClientRequest;
    try {
      sent = secureRequest({
        ...options,
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        agent,
        method: 'POST',
        headers: {
          ...(place.host === undefined ? {} : { Host: place.host }),
          'Content-Type': 'application/json',
          Accept: 'application/json, */*',
          'Content-Length': body.length,
          ...headers,
        },
      });
    } catch (error) {
      // A CA bundle that is none, or an address that is none.
      this.#fail(error);
      return;
    }
    countCall(sent, { host: new URL(place.shown).host, bodyBytes: body.length, clock });
    this.#cancelTimeout = clock.after(timeoutMs, () => {
      const message = this.#about('context deadline exceeded');
      this.#end({ ok: false, message, failure: this.#isConnected ? 'failed' : 'unanswered' });
      sent.destroy();
    });
    sent.on('socket', (socket) => {
      // Through a proxy it comes when the far end is reached.
      if (sent.reusedSocket || !socket.connecting) this.#isConnected = true;
      else socket.once('connect', () => (this.#isConnected = true));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // It was closed while it was idle, which says nothing of the webhook.
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
      if (!isStale || this.#isOver) this.#fail(error);
      else this.#again(body);
    });
    sent.on('response', (response) => {
      this.#read(response);
    });
    sent.end(body);
  }

  #again(body: Buffer): void {
    this.#cancelTimeout();
    this.send(body);
  }

  #read(response: IncomingMessage): void {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    response.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      chunks.push(chunk);
      if (sizeBytes <= BODY_BYTES_MAX) return;
      this.#end({ ok: false, message: this.#about('http: response body too large') });
      response.destroy();
    });
    response.on('error', (error) => {
      this.#fail(error);
    });
    response.on('end', () => {
      this.#end(answerOf(response.statusCode ?? 0, Buffer.concat(chunks)));
    });
  }

  #fail(error: unknown): void {
    const failure = failureOf(error);
    const deprecated = deprecatedIn(error);
    if (deprecated !== undefined) this.#parts.deprecated(deprecated);
    // The server is not known yet.
    const isEarly = error instanceof UnreadableRootsError;
    const message = isEarly ? error.message : this.#about(goProblem(error));
    this.#end({ ok: false, message, failure });
  }

  #about(problem: string): string {
    return `Post ${goQuote(this.#parts.place.shown)}: ${problem}`;
  }

  #end(answer: WebhookAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimeout();
    this.#answered(answer);
  }
}

/** In Kubernetes: hookClientConfig. */
function placeOf(
  { url, service, caBundle }: WebhookTarget,
  resolve: ResolveService,
  query: string,
): WebhookAddress | string {
  const ca = caBundle === '' ? {} : { ca: caBundle };
  if (service !== undefined) {
    const { namespace, name, port } = service;
    const host = `${name}.${namespace}.svc`;
    const path = `${joinedPath(service.path)}${query}`;
    const shown = `https://${host}:${String(port)}${path}`;
    const found = resolve(namespace, name, port);
    if (!found.ok) return `Post ${goQuote(shown)}: ${found.message}`;
    const options = { host: found.host, port: found.port, path, servername: host };
    return { shown, options: { ...options, ...ca }, host: `${host}:${String(port)}` };
  }
  const address = URL.parse(url);
  if (address === null || address.protocol !== 'https:') {
    return 'webhook configuration must have either service or URL';
  }
  const host = address.hostname.replace(/^\[|\]$/g, '');
  const port = address.port === '' ? 443 : Number(address.port);
  const path = `${joinedPath(address.pathname)}${query}`;
  return { shown: `${address.origin}${path}`, options: { host, port, path, ...ca } };
}

/**
 * As Go joins paths: without doubled slashes, which envtest writes, and without one at the end.
 *
 * In client-go: NewRequest, rest/request.go.
 */
function joinedPath(path: string): string {
  const joined = posix.normalize(`/${path}`);
  return joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined;
}

function answerOf(code: number, body: Buffer): WebhookAnswer {
  if (code >= 200 && code < 300) return { ok: true, body };
  return { ok: false, message: serverProblem(code, body), code };
}

/** The kernel has waited for these before it gives up; what is refused is refused at once. */
const WAITED_FOR: ReadonlySet<string> = new Set(['ETIMEDOUT', 'EHOSTUNREACH']);

function failureOf(error: unknown): WebhookFailure {
  if (!(error instanceof Error)) return 'failed';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (WAITED_FOR.has(code)) return 'unanswered';
  return isDialProblem(code) ? 'unreached' : 'failed';
}
