/** Where a kubeconfig file points, for whoever asks there: over connections that are kept. */
import type { ProxyWay } from './egress/proxy-way.ts';
import { TrustingAgent, type TrustingAgentOptions } from './trusting-agent.ts';
import { TunnelAgent } from './tunnel-agent.ts';

/** As a kubeconfig file says it. */
export interface KubeconfigEndpoint {
  /** `https://host:port/some/path` */
  readonly server: string;
  /** PEM; undefined: those that this machine trusts. */
  readonly ca: string | undefined;
  readonly verifiesServer: boolean;
  /** The name in the server's certificate; '': that of the URL. */
  readonly serverName: string;
  /** PEM, both or neither. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The value of the Authorization header; '' for none. */
  readonly authorization: string;
  /** Through whom connections go; undefined: straight there. */
  readonly proxy?: ProxyWay | undefined;
}

/** @param more the clock, and further options, as how often an idle connection is probed. */
export function agentFor(endpoint: KubeconfigEndpoint, more: TrustingAgentOptions): TrustingAgent {
  const options: TrustingAgentOptions = {
    keepAlive: true,
    ...more,
    rejectUnauthorized: endpoint.verifiesServer,
    ...(endpoint.ca === undefined ? {} : { ca: endpoint.ca }),
    ...(endpoint.cert === undefined ? {} : { cert: endpoint.cert }),
    ...(endpoint.key === undefined ? {} : { key: endpoint.key }),
    ...(endpoint.serverName === '' ? {} : { servername: endpoint.serverName }),
  };
  const { proxy } = endpoint;
  return proxy === undefined ? new TrustingAgent(options) : new TunnelAgent(proxy, options);
}

export function credentialsOf({ authorization }: KubeconfigEndpoint): { authorization?: string } {
  return authorization === '' ? {} : { authorization };
}
