/**
 * Requests to the webhook that a kubeconfig file names, over connections that are kept: over TLS, or in the
 * clear where the file says so.
 */
import {
  Agent,
  type ClientRequest,
  type OutgoingHttpHeaders,
  request as plainRequest,
} from 'node:http';
import type { Clock } from '../../api/meta/clock.ts';
import { EndpointRequests, type KubeconfigEndpoint } from './kubeconfig-endpoint.ts';
import { PlainTunnelAgent } from './plain-tunnel-agent.ts';
import { secureRequest } from './trusting-agent.ts';

/** One request, with the credentials that the webhook takes now. */
export interface PreparedPost {
  /** The POST, whose head leaves with its body or its end. */
  open(url: string, headers: OutgoingHttpHeaders): ClientRequest;
  /** To be told the code of the answer. */
  answered(code: number): void;
}

/** @throws (rejects with) Error in client-go's words, where a program prints no credentials. */
export type PreparePost = () => Promise<PreparedPost>;

/** What requests to that webhook are prepared with. */
export function webhookRequests(endpoint: KubeconfigEndpoint, clock: Clock): PreparePost {
  if (endpoint.server.startsWith('http://')) return plainRequests(endpoint);
  const requests = new EndpointRequests(endpoint, { clock });
  return async () => {
    const prepared = await requests.prepare();
    const { agent } = prepared;
    return {
      open: (url, more) =>
        secureRequest({ method: 'POST', agent, headers: { ...prepared.headers, ...more } }, url),
      answered(code) {
        prepared.answered(code);
      },
    };
  };
}

/** Such an endpoint has no credentials. */
function plainRequests({ proxy }: KubeconfigEndpoint): PreparePost {
  const options = { keepAlive: true };
  const agent = proxy === undefined ? new Agent(options) : new PlainTunnelAgent(proxy, options);
  const prepared: PreparedPost = {
    open: (url, headers) => plainRequest(url, { method: 'POST', agent, headers }),
    answered: () => undefined,
  };
  return () => Promise.resolve(prepared);
}
