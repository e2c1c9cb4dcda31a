/**
 * Shakes hands over connections that another server accepted. A client is shown the pair that an operator gave for the
 * name that it asks for, or for the address that it reached where it asks for none, else the main one.
 *
 * The surprise: each pair has a TLS server of its own, and the client's name is known before its handshake begins. Node has
 * a callback for names, but lays the pair that it gives over the main one: what the main one has and the other has not, as
 * a chain, or a key of another kind, is shown all the same.
 *
 * In Kubernetes: GetConfigForClient, apiserver/pkg/server/dynamiccertificates.
 */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls';
import { NoAddress, parseAddress } from '../../../api/cel/library/address-text.ts';
import { shownAddress } from '../../../api/x509/host-names.ts';
import type { PemPair } from './certificate-pair.ts';
import type { NamedPairs } from './named-pairs.ts';

/** Options of TLS, with pairs beside the main one. */
export interface ServingOptions extends TlsOptions {
  /** undefined: every client is shown the main pair. Options for the same servers have pairs all, or none. */
  readonly named?: NamedPairs;
}

export interface TlsServersParts {
  /** Takes a connection over whose handshake is done. */
  readonly secured: (socket: TLSSocket) => void;
  /** Told of each handshake that fails. */
  readonly failed: () => void;
}

/** A handshake that takes longer holds a socket for nothing. Milliseconds. */
export const HANDSHAKE_MS = 32_000;

/** A client that resumes a session shows one certificate, without those that lead to an authority. */
const NO_TICKETS = { secureOptions: constants.SSL_OP_NO_TICKET };

export class TlsServers {
  readonly #parts: TlsServersParts;
  #served: Served;

  constructor(options: ServingOptions, parts: TlsServersParts) {
    this.#parts = parts;
    this.#served = this.#servers(options);
  }

  /** For connections that are taken from now on. */
  renew(options: ServingOptions): void {
    this.#served = this.#servers(options);
  }

  /** Begins the handshake. @param serverName that the client asks for; '': none. */
  take(socket: Socket, serverName: string): void {
    const { main, named, byPair } = this.#served;
    const pair = named?.pairFor(serverName, addressText(socket.localAddress ?? ''));
    const server = pair === undefined ? main : (byPair.get(pair) ?? main);
    server.emit('connection', socket);
  }

  #servers({ named, ...options }: ServingOptions): Served {
    const others = (named?.pairs ?? []).map((pair) => {
      const { certificate: cert, key } = pair;
      return [pair, this.#server({ ...options, cert, key })] as const;
    });
    return { main: this.#server(options), named, byPair: new Map(others) };
  }

  #server(options: TlsOptions): Server {
    const server = createServer({
      ALPNProtocols: ['h2', 'http/1.1'],
      ...options,
      ...NO_TICKETS,
      handshakeTimeout: HANDSHAKE_MS,
    });
    server.on('secureConnection', this.#parts.secured);
    // A handshake that fails is the client's affair; without a listener it would end the process.
    server.on('tlsClientError', this.#parts.failed);
    return server;
  }
}

interface Served {
  readonly main: Server;
  readonly named: NamedPairs | undefined;
  readonly byPair: ReadonlyMap<PemPair, Server>;
}

/** As Go writes it: an IPv4 address that was reached over IPv6 is one of IPv4. */
function addressText(address: string): string {
  if (address.includes('%')) return address;
  const bytes = parseAddress(address);
  return bytes instanceof NoAddress ? address : shownAddress(Buffer.from(bytes));
}
