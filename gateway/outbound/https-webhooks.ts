/**
 * Calls webhooks over HTTPS. No redirect is followed, what comes back has a largest size, and what
 * goes wrong is told in the words of Go's HTTP client, which clients of a cluster know.
 *
 * In Kubernetes: ClientManager, apiserver/pkg/util/webhook, and client-go's rest.Request.
 */
import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../api/meta/clock.ts';
import { goQuote } from '../../api/patch/go-format.ts';
import type {
  WebhookAnswer,
  WebhookCall,
  WebhookClient,
  WebhookFailure,
  WebhookTarget,
} from '../../actors/resources/custom/webhook-client.ts';

export interface HttpsWebhooksParts {
  readonly clock: Clock;
  /** Where a service is reached, or why it is not. */
  readonly resolve: ResolveService;
}

export type ResolveService = (
  namespace: string,
  name: string,
  port: number,
) =>
  | { readonly ok: true; readonly host: string; readonly port: number }
  | { readonly ok: false; readonly message: string };

const UNLESS_SAID: WebhookCall = { timeoutMs: 30_000 };
/** Connections to one webhook that are kept while nobody uses them. */
const IDLE_CONNECTIONS_MAX = 32;
const BODY_BYTES_MAX = 64 * 1024 * 1024;

interface Place {
  /** As it stands in messages. */
  readonly shown: string;
  readonly options: RequestOptions;
  /** The header, where the address is that of an endpoint. */
  readonly host?: string;
}

export class HttpsWebhooks implements WebhookClient {
  readonly #parts: HttpsWebhooksParts;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX });

  constructor(parts: HttpsWebhooksParts) {
    this.#parts = parts;
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
    const parts = { place, clock, agent: this.#agent, timeoutMs };
    return new Promise((answered) => {
      new Call(parts, answered).send(body);
    });
  }
}

interface CallParts extends WebhookCall {
  readonly place: Place;
  readonly clock: Clock;
  readonly agent: Agent;
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
    const { place, agent, clock, timeoutMs } = this.#parts;
    const { options } = place;
    let sent: ReturnType<typeof request>;
    try {
      sent = request({
        ...options,
        agent,
        method: 'POST',
        headers: {
          ...(place.host === undefined ? {} : { Host: place.host }),
          'Content-Type': 'application/json',
          Accept: 'application/json, */*',
          'Content-Length': body.length,
        },
      });
    } catch (error) {
      // A CA bundle that is none, or an address that is none.
      this.#fail(error);
      return;
    }
    this.#cancelTimeout = clock.after(timeoutMs, () => {
      const message = this.#about('context deadline exceeded');
      this.#end({ ok: false, message, failure: this.#isConnected ? 'failed' : 'unanswered' });
      sent.destroy();
    });
    sent.on('socket', (socket) => {
      if (sent.reusedSocket) this.#isConnected = true;
      else socket.once('connect', () => (this.#isConnected = true));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // It was closed while nobody used it, which says nothing of the webhook.
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
    this.#end({ ok: false, message: this.#about(goProblem(error)), failure });
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
): Place | string {
  const ca = caBundle === '' ? {} : { ca: caBundle };
  if (service !== undefined) {
    const { namespace, name, port } = service;
    const host = `${name}.${namespace}.svc`;
    const shown = `https://${host}:${String(port)}${service.path}${query}`;
    const found = resolve(namespace, name, port);
    if (!found.ok) return `Post ${goQuote(shown)}: ${found.message}`;
    const path = `${service.path === '' ? '/' : service.path}${query}`;
    const options = { host: found.host, port: found.port, path, servername: host };
    return { shown, options: { ...options, ...ca }, host: `${host}:${String(port)}` };
  }
  const address = URL.parse(url);
  if (address === null || address.protocol !== 'https:') {
    return 'webhook configuration must have either service or URL';
  }
  const host = address.hostname.replace(/^\[|\]$/g, '');
  const port = address.port === '' ? 443 : Number(address.port);
  const path = `${address.pathname}${query}`;
  return { shown: `${address.origin}${path}`, options: { host, port, path, ...ca } };
}

/** In Kubernetes: transformResponse, client-go/rest. */
function answerOf(code: number, body: Buffer): WebhookAnswer {
  if (code >= 200 && code < 300) return { ok: true, body };
  const text = body.toString().slice(0, 1_024).trim();
  const said = text === '' ? 'unknown' : text;
  if (code >= 500) {
    const message = `an error on the server (${goQuote(said)}) has prevented the request from succeeding`;
    return { ok: false, message, code };
  }
  if (code === 404) {
    return { ok: false, message: 'the server could not find the requested resource', code };
  }
  const message = `the server responded with the status code ${String(code)} but did not return more information`;
  return { ok: false, message, code };
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ETIMEDOUT: 'connect: connection timed out',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
};
/** The kernel has waited for these before it gives up; what is refused is refused at once. */
const WAITED_FOR: ReadonlySet<string> = new Set(['ETIMEDOUT', 'EHOSTUNREACH']);

function failureOf(error: unknown): WebhookFailure {
  if (!(error instanceof Error)) return 'failed';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (WAITED_FOR.has(code)) return 'unanswered';
  return Object.hasOwn(REASONS, code) ? 'unreached' : 'failed';
}

/** What OpenSSL says of certificates, in the words of Go's crypto/x509. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function goProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const {
    code = '',
    address,
    port,
    hostname,
  } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
  };
  const reason = REASONS[code];
  if (reason !== undefined) return `dial tcp ${address ?? ''}:${String(port ?? '')}: ${reason}`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname ?? ''}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  const isUntrusted = UNTRUSTED.has(code);
  const why = isUntrusted ? 'x509: certificate signed by unknown authority' : error.message;
  const isOfTls = isUntrusted || code.startsWith('ERR_TLS') || code.startsWith('CERT_');
  return isOfTls ? `tls: failed to verify certificate: ${why}` : error.message;
}
