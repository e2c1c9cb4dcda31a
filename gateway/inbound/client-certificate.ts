/**
 * Who is on the other end of a TLS connection, as far as TLS knows.
 *
 * OpenSSL verified the certificate once, at the handshake. A connection can outlive it, so
 * whether it has run out meanwhile is asked again on every request, as upstream does; and it can
 * outlive the authorities that were believed then, of which the certificate tells.
 *
 * In Kubernetes: the verification of x509.Authenticator, apiserver/pkg/authentication.
 */
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Clock } from '../../api/meta/clock.ts';
import type { ClientCertificate, Connection } from '../../actors/request.ts';

export interface TlsConnection extends Connection {
  /** Other authorities are believed from now on than at the handshake. */
  outdated(): void;
}

/** One for the whole life of the connection. Call it once the handshake is done. */
export function connectionOf(socket: TLSSocket, clock: Clock): TlsConnection {
  let certificate: ClientCertificate | undefined;
  let isRead = false;
  const state = { isOutdated: false };
  return {
    remoteAddress: socket.remoteAddress ?? '',
    clientCertificate() {
      if (!isRead) {
        isRead = true;
        certificate = readCertificate(socket, state, clock);
      }
      return certificate;
    },
    outdated() {
      state.isOutdated = true;
    },
  };
}

/** Changes when other authorities are believed. */
interface State {
  readonly isOutdated: boolean;
}

function readCertificate(
  socket: TLSSocket,
  state: State,
  clock: Clock,
): ClientCertificate | undefined {
  const peer = socket.getPeerCertificate(false);
  // Without a certificate Node gives an object without fields.
  if (!('raw' in peer)) return undefined;
  return new VerifiedAtHandshake(peer, { socket, state, clock });
}

class VerifiedAtHandshake implements ClientCertificate {
  readonly raw: Uint8Array;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uid: string | undefined;
  readonly expiry: number;
  readonly #handshakeProblem: string;
  readonly #socket: TLSSocket;
  readonly #state: State;
  readonly #clock: Clock;

  constructor(peer: PeerCertificate, { socket, state, clock }: Handshake) {
    this.raw = peer.raw;
    const { CN, O, [UID]: uid } = subjectOf(peer);
    // Where there are several names, Go takes the last one.
    this.commonName = textsOf(CN).at(-1) ?? '';
    this.organizations = textsOf(O);
    // And here the first one.
    this.uid = textsOf(uid)[0];
    this.#handshakeProblem = handshakeProblem(socket);
    this.#socket = socket;
    this.#state = state;
    this.expiry = Date.parse(peer.valid_to);
    this.#clock = clock;
  }

  get isOutdated(): boolean {
    return this.#state.isOutdated;
  }

  /** None once the connection is closed. */
  intermediates(): readonly Uint8Array[] {
    const found: Uint8Array[] = [];
    let { issuerCertificate: next } = this.#socket.getPeerCertificate(true) as Partial<Issued>;
    // The last one is its own issuer.
    while (next !== undefined && !found.some((one) => next?.raw.equals(one))) {
      found.push(next.raw);
      next = next.issuerCertificate;
    }
    return found;
  }

  get verified(): boolean {
    return this.problem === '';
  }

  get problem(): string {
    if (this.#handshakeProblem !== '') return this.#handshakeProblem;
    return this.#clock.now() > this.expiry ? 'CERT_HAS_EXPIRED' : '';
  }
}

interface Handshake {
  readonly socket: TLSSocket;
  readonly state: State;
  readonly clock: Clock;
}

/** What Node's types promise is always there, and is not where the issuer was not found. */
interface Issued {
  readonly raw: Buffer;
  readonly issuerCertificate: Issued | undefined;
}

type PeerCertificate = Pick<DetailedPeerCertificate, 'raw' | 'valid_to' | 'subject'>;

/** By which Kubernetes names the uid of a user; OpenSSL has no word for it. */
const UID = '1.3.6.1.4.1.57683.2';

/** The subject's fields; each a text, or several where the certificate has several. */
interface Subject {
  readonly [UID]?: string | readonly string[];
  readonly CN?: string | readonly string[];
  readonly O?: string | readonly string[];
}

function subjectOf(peer: PeerCertificate): Subject {
  // Node's types promise a text for each field, and know nothing of a subject without fields.
  const loose: { readonly subject?: Subject } = peer;
  return loose.subject ?? {};
}

function textsOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function handshakeProblem(socket: TLSSocket): string {
  if (socket.authorized) return '';
  // Documented as an Error, and in fact OpenSSL's word for it.
  const problem: unknown = socket.authorizationError;
  if (problem instanceof Error) return problem.message;
  return typeof problem === 'string' && problem !== '' ? problem : 'not verified';
}
