/** The server that a kubeconfig file points at, called over connections that are kept. */
import type { ProxyWay } from './egress/proxy-way.ts';
import { TrustingAgent, type TrustingAgentOptions } from './trusting-agent.ts';
import { TunnelAgent } from './tunnel-agent.ts';

/** As a kubeconfig file says it. */
export interface KubeconfigEndpoint {
  /** `https://host:port/some/path` */
  readonly server: string;
  /** PEM; undefined: those that this machine trusts. */
  readonly ca: string | undefined;
  /** False where the file says `insecure-skip-tls-verify`. */
  readonly verifiesServer: boolean;
  /** The name in the server's certificate; '': that of the URL. */
  readonly serverName: string;
  /** PEM, both or neither. */
  readonly cert: string | undefined;
  /** The private key of the client certificate as PEM; undefined: it has none. */
  readonly key: string | undefined;
  /** The value of the Authorization header; '' for none. */
  readonly authorization: string;
  /** The source of credentials for each request; undefined: those above are all. */
  readonly program?: CredentialSource | undefined;
  /** Through whom connections go; undefined: straight there. */
  readonly proxy?: ProxyWay | undefined;
}

/** Credentials that are not there for good, as a program prints them. */
export interface CredentialSource {
  /** @throws Error that says why there are none. */
  get(): Promise<ChangingCredentials>;
  /** The server did not take them: other ones are needed at the next request. */
  refused(credentials: ChangingCredentials): void;
}

/**
 * What a credential program gave; kept until it says that it expired, or the server answers 401.
 */
export interface ChangingCredentials {
  /** '' for none. */
  readonly token: string;
  /** PEM, both or neither; '' for none. */
  readonly cert: string;
  /** The private key of the certificate as PEM; '' where there is none. */
  readonly key: string;
}

/** What one request needs. */
export interface PreparedRequest {
  /** Judges the certificate of the server. */
  readonly agent: TrustingAgent;
  /** The bearer token, where there is one. */
  readonly headers: { readonly authorization?: string };
  /** To be told the code of the answer. */
  answered(code: number): void;
}

const UNAUTHORIZED = 401;

/** Requests to an endpoint, with the credentials that it takes now. */
export class EndpointRequests {
  readonly #endpoint: KubeconfigEndpoint;
  readonly #more: TrustingAgentOptions;
  #agent: TrustingAgent;
  /** Of the agent, where a program printed it. */
  #cert = '';

  constructor(endpoint: KubeconfigEndpoint, more: TrustingAgentOptions) {
    this.#endpoint = endpoint;
    this.#more = more;
    this.#agent = agentFor(endpoint, more);
  }

  /** @throws Error in client-go's words, where a program prints no credentials. */
  async prepare(): Promise<PreparedRequest> {
    const { program, authorization } = this.#endpoint;
    if (program === undefined) {
      const headers = authorization === '' ? {} : { authorization };
      return { agent: this.#agent, headers, answered: () => undefined };
    }
    const printed = await printedBy(program);
    this.#present(printed);
    return {
      agent: this.#agent,
      headers: printed.token === '' ? {} : { authorization: `Bearer ${printed.token}` },
      answered: (code) => {
        if (code === UNAUTHORIZED) program.refused(printed);
      },
    };
  }

  /** Connections end. */
  destroy(): void {
    this.#agent.destroy();
  }

  /** Connections under another certificate are ended, as client-go does. */
  #present({ cert, key }: ChangingCredentials): void {
    if (cert === this.#cert) return;
    this.#cert = cert;
    this.#agent.destroy();
    const own = cert === '' ? {} : { cert, key };
    this.#agent = agentFor({ ...this.#endpoint, ...own }, this.#more);
  }
}

async function printedBy(program: CredentialSource): Promise<ChangingCredentials> {
  try {
    return await program.get();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`getting credentials: ${why}`, { cause: error });
  }
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
