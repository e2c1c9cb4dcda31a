/** Where an aggregated server is reached, and how it is believed: what makes two connections alike. */
import type { AggregatedService } from '../../actors/aggregation/aggregated-services.ts';
import type { ClientTls } from '../files/client-credentials.ts';
import { ANY_SERVER, type RequestOptions } from '../outbound/trusting-agent.ts';

/** A server at an address. */
export interface ServerPlace {
  readonly host: string;
  readonly port: number;
  /** `SERVICE.NAMESPACE.svc`, which its certificate must have. */
  readonly servername: string;
  /** PEM; '': authorities of this machine. */
  readonly ca: string;
  readonly skipsVerification: boolean;
  /** What it is shown. */
  readonly credentials: ClientTls;
}

/** The place of the server behind an APIService. */
export function placeOf(
  { service, caBundle, skipsVerification }: AggregatedService,
  { host, port }: { readonly host: string; readonly port: number },
  credentials: ClientTls,
): ServerPlace {
  const servername = `${service.name}.${service.namespace}.svc`;
  return {
    host,
    port,
    servername,
    ca: caBundle,
    skipsVerification,
    credentials,
  };
}

/** `10.0.0.1:443`, with an IPv6 address in brackets. */
export function hostAndPort({ host, port }: Pick<ServerPlace, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

/** Options of Node for a connection with it that speaks the first of these protocols that it knows. */
export function connectionOptions(
  { host, port, servername, ca, skipsVerification, credentials }: ServerPlace,
  protocols: readonly string[],
): RequestOptions {
  const { cert, key } = credentials;
  return {
    ...{ host, port, servername, ALPNProtocols: [...protocols] },
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(ca === '' ? {} : { ca }),
    ...(skipsVerification ? ANY_SERVER : {}),
  };
}
