/**
 * Shakes hands over connections that another server accepted. A client that names no host (no SNI) is
 * shown the pair that an operator gave for the address that the client reached, else the main one.
 *
 * Node asks for a certificate only where a client names a host, so each such address has a TLS server.
 *
 * In Kubernetes: GetConfigForClient, apiserver/pkg/server/dynamiccertificates.
 */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls';
import { NoAddress, parseAddress } from '../../../api/cel/library/address-text.ts';
import { shownAddress } from '../../../api/x509/host-names.ts';
import type { PemPair } from './certificate-pair.ts';

/** Options of TLS, with pairs by the address that a client reached; '' stands for all other addresses. */
export interface ServingOptions extends TlsOptions {
  /**
   * By the address that the client reached; undefined: every client without SNI is shown the main
   * pair.
   */
  readonly pairsByAddress?: ReadonlyMap<string, PemPair>;
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
  #main: Server;
  #byAddress: ReadonlyMap<string, Server>;

  constructor(options: ServingOptions, parts: TlsServersParts) {
    this.#parts = parts;
    this.#main = this.#server(options);
    this.#byAddress = this.#addressServers(options);
  }

  /** For connections that are taken from now on. */
  renew(options: ServingOptions): void {
    this.#main = this.#server(options);
    this.#byAddress = this.#addressServers(options);
  }

  /** Begins the handshake. */
  take(socket: Socket): void {
    this.#serverFor(socket).emit('connection', socket);
  }

  #serverFor({ localAddress = '' }: Socket): Server {
    const servers = this.#byAddress;
    if (servers.size === 0) return this.#main;
    return servers.get(addressText(localAddress)) ?? servers.get('') ?? this.#main;
  }

  #addressServers({ pairsByAddress, ...options }: ServingOptions): ReadonlyMap<string, Server> {
    const pairs = [...(pairsByAddress ?? [])];
    return new Map(
      pairs.map(([address, { certificate: cert, key }]) => {
        return [address, this.#server({ ...options, cert, key })];
      }),
    );
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

/** As Go writes it: an IPv4 address that was reached over IPv6 is one of IPv4. */
function addressText(address: string): string {
  if (address.includes('%')) return address;
  const bytes = parseAddress(address);
  return bytes instanceof NoAddress ? address : shownAddress(Buffer.from(bytes));
}
