/**
 * Connections over TLS to servers, which are believed or not as Go believes them. This is the one way
 * out: nothing else in this repository opens a connection over TLS. Where no authority is configured,
 * those of the machine count, which are read once, when they are first needed; a machine that has none
 * falls back to those of Node.
 *
 * The surprise: OpenSSL is told to accept every certificate. Its judgement differs from Go's in both
 * directions, so a connection is judged here, right after its handshake and before a byte of a request
 * has left.
 *
 * In Kubernetes: TLSConfigFor, client-go/transport; in Go: loadSystemRoots, crypto/x509.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates, TLSSocket } from 'node:tls';
import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions, request, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

import {
  authoritiesProblem,
  type CertificatePool,
  poolOf,
} from '../../api/x509/certificate-pool.ts';
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { serverProblem } from '../../api/x509/peer-judgement.ts';
import { type LinkedCertificate, shownChain } from '../../api/x509/shown-chain.ts';

const FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const DIRECTORIES = ['/etc/ssl/certs', '/etc/pki/tls/certs'];

let known: CertificatePool | undefined;

function systemRoots(): CertificatePool {
  known ??= readRoots(process.env);
  return known;
}

/** As the environment names them: `SSL_CERT_FILE`, `SSL_CERT_DIR`, and Node's `NODE_EXTRA_CA_CERTS`. */
function readRoots(env: NodeJS.ProcessEnv): CertificatePool {
  const file = env['SSL_CERT_FILE'] ?? '';
  const directories = env['SSL_CERT_DIR'] ?? '';
  const ofFile = (file === '' ? FILES : [file]).map(textOf).find((text) => text !== undefined);
  const ofDirectories = (directories === '' ? DIRECTORIES : directories.split(':')).flatMap(
    textsIn,
  );
  const pool = poolOf([ofFile ?? '', ...ofDirectories, extraOf(env)].join('\n'));
  return pool.all.length > 0 ? pool : poolOf(rootCertificates.join('\n'));
}

function extraOf(env: NodeJS.ProcessEnv): string {
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return extra === '' ? '' : (textOf(extra) ?? '');
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // It is not there, on most machines.
  }
}

function textsIn(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => textOf(join(directory, name)) ?? '');
  } catch {
    return [];
  }
}

/** Why a server is not believed, in Go's words. */
export class UntrustedServerError extends Error {
  override readonly name = 'UntrustedServerError';
}

/** There is a bundle, and no authority in it. */
export class UnreadableRootsError extends Error {
  override readonly name = 'UnreadableRootsError';

  constructor(problem: string) {
    super(`unable to load root certificates: ${problem}`);
  }
}

/** Told of the connection, or why there is none. */
export type Connected = (error: Error | null, stream: Duplex) => void;

/** Says that there is no connection. Node's types ask for a stream, at which it never looks then. */
export function notConnected(connected: Connected | undefined, error: Error): void {
  connected?.(error, undefined as unknown as Duplex);
}

const throwing: Connected = (error) => {
  throw error ?? new Error('a connection that no request waits for');
};

export interface TrustingAgentOptions extends AgentOptions {
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * After these a connection without requests is closed: what forgets connections on the way, as NAT does, says
 * nothing to their ends, and the next request would wait in vain. In Kubernetes: tlsTransportCache, client-go/transport.
 */
const IDLE_MS = 90_000;

/**
 * Its options, and those of each request, are Node's: `ca` is one text of PEM with whom to believe,
 * without it those that this machine trusts, and with `rejectUnauthorized: false` every peer.
 */
export class TrustingAgent extends Agent {
  readonly #clock: Pick<Clock, 'now'>;

  constructor({ clock, ...options }: TrustingAgentOptions) {
    // A session that is taken up again shows no certificates to judge.
    super({
      ...(options.keepAlive === true ? { timeout: IDLE_MS } : {}),
      ...{ ...options, maxCachedSessions: 0 },
    });
    this.#clock = clock;
  }

  /** Calls back when there is no connection, as where `ca` holds no authority. */
  override createConnection(
    options: RequestOptions,
    callback: Connected = throwing,
  ): Duplex | undefined {
    const host = [options.servername, options.host, 'localhost'].find((one) => one) ?? '';
    const roots = options.rejectUnauthorized === false ? undefined : rootsOf(options.ca);
    if (roots instanceof Error) {
      notConnected(callback, roots);
      return undefined;
    }
    const socket = super.createConnection({
      ...options,
      ...{ ca: [], rejectUnauthorized: false },
      // In a name that is asked for no dot stands at the end.
      ...(host.endsWith('.') ? { servername: withoutLastDots(host) } : {}),
    });
    if (roots !== undefined && socket) this.#judge(socket, roots, host);
    return socket ?? undefined;
  }

  #judge(socket: Duplex, roots: CertificatePool, host: string): void {
    // The first to be told, and at once: what was written meanwhile leaves afterwards.
    socket.prependOnceListener('secureConnect', () => {
      // It always is one, though Node's types know it as a stream.
      const leaf = socket instanceof TLSSocket ? leafOf(socket) : undefined;
      const shown = leaf === undefined ? [] : shownChain(leaf);
      const problem = serverProblem({ shown, roots, now: this.#clock.now() }, host);
      if (problem !== '') socket.destroy(new UntrustedServerError(problem));
    });
  }
}

function withoutLastDots(host: string): string {
  let end = host.length;
  while (host[end - 1] === '.') end -= 1;
  return host.slice(0, end);
}

function leafOf(socket: TLSSocket): LinkedCertificate | undefined {
  // Node gives an object without fields where there is no certificate.
  const peer: Partial<LinkedCertificate> = socket.getPeerCertificate(true);
  return peer.raw === undefined ? undefined : (peer as LinkedCertificate);
}

const POOLS_MAX = 64;

/** Bundles that were read, the last ones: a connection does not read its own again. */
const pools = new BoundedMap<string, CertificatePool>(POOLS_MAX);

function rootsOf(ca: RequestOptions['ca']): CertificatePool | Error {
  if (ca === undefined) return systemRoots();
  const pem = String(ca);
  const known = pools.get(pem);
  if (known !== undefined) return known;
  const problem = authoritiesProblem(pem);
  if (problem !== undefined) return new UnreadableRootsError(problem);
  const pool = poolOf(pem);
  pools.set(pem, pool);
  return pool;
}

/** Options of a request to a server whose certificate is not judged, because the operator or the caller says so. */
export const ANY_SERVER = { rejectUnauthorized: false } as const;

export type { RequestOptions };

/** Options of node:https that cannot leave out the agent, and so not the judgement of the peer. */
export interface SecureRequestOptions extends RequestOptions {
  /** Judges the certificate of the server. */
  readonly agent: TrustingAgent;
}

/** A request of node:https, over a connection of such an agent. */
export function secureRequest(options: SecureRequestOptions, url?: string): ClientRequest {
  return url === undefined ? request(options) : request(url, options);
}
