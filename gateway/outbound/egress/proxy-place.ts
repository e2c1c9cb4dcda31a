/** Where proxies are, and the figures of connections through them. */
import type { Duplex } from 'node:stream';
import type { DialStage } from '../../metrics/egress-figures.ts';

/** Where a proxy listens: a Unix socket, or an address with or without TLS. */
export type ConnectPlace =
  | { readonly kind: 'socket'; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** undefined: in the clear. */
      readonly tls: ProxyTls | undefined;
    };

/** `grpc`: a konnectivity server on a Unix socket; the others are asked by HTTP's CONNECT. */
export type ProxyPlace = ConnectPlace | { readonly kind: 'grpc'; readonly path: string };

/** PEM. */
export interface ProxyTls {
  /** undefined: those that this machine trusts. */
  readonly ca: string | undefined;
  /** The certificate that the server shows the proxy. */
  readonly cert: string;
  /** The private key of the certificate. */
  readonly key: string;
  /** The name in the proxy's certificate; '': its host. */
  readonly serverName: string;
}

/**
 * Told of a tunnel, or why there is none. No promise: between its end and the reader's turn a tunnel could
 * fail with nothing listening to its error.
 */
export type Opened = (tunnel: Duplex | Error) => void;

/** Why there is no tunnel, and on which part of the way that was. */
export class DialError extends Error {
  override readonly name = 'DialError';
  readonly stage: DialStage;

  constructor(stage: DialStage, message: string, options?: ErrorOptions) {
    super(message, options);
    this.stage = stage;
  }
}
