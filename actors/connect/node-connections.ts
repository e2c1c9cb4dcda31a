/**
 * What this server asks of its ways to nodes, pods and services; gateway/node-streams has the one that
 * there is. A way is asked when everything about a request is decided, and gives the answer: what the
 * backend has said, or why it could not be reached.
 */
import type { Answer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';

/**
 * Whose certificate is believed: of a `node` one of --kubelet-certificate-authority, which is shown ours;
 * `unverified node`: any, and it is shown ours; `workload`: any, and it is shown none.
 */
export type BackendTrust = 'node' | 'unverified node' | 'workload';

/** Where a request is passed on to. */
export interface Backend {
  /** Whether the backend is asked over TLS. */
  readonly scheme: 'http' | 'https';
  /** An address or a name, without brackets. */
  readonly host: string;
  /** '': that of the scheme. */
  readonly port: string;
  /** Not escaped. */
  readonly path: string;
  /** As it is sent, without its question mark. */
  readonly query: string;
  /** How its certificate is judged; ignored without TLS. */
  readonly trust: BackendTrust;
  /** Whether only addresses that are no loopback, link-local or multicast ones may be reached. */
  readonly globalOnly: boolean;
}

/** What the client wants of a container, or of the network of a pod. */
export interface StreamWish {
  /** Which of the three subresources was asked for. */
  readonly kind: 'exec' | 'attach' | 'portforward';
  /** Whether the client sends input. */
  readonly stdin: boolean;
  /** Whether the client takes output. */
  readonly stdout: boolean;
  /** Whether the client takes errors apart from the output; never with a terminal. */
  readonly stderr: boolean;
  /** Whether the command gets a terminal. */
  readonly tty: boolean;
  /** Whether the node understands the WebSocket protocols of today itself. */
  readonly nodeTakesWebSockets: boolean;
}

/** The ways to nodes, pods and services. */
export interface NodeConnections {
  /** In which order addresses of nodes are preferred, as `InternalIP`. */
  readonly preferredAddressTypes: readonly string[];
  /** The port of nodes that name none. */
  readonly kubeletPort: number;
  /** Passes the request on with its body and gives what comes back; upgrades too. */
  proxy(request: AuthenticatedRequest, to: Backend): Promise<Answer>;
  /** Reads a log, and follows it while the client listens. @param name of the pod, for refusals. */
  log(request: AuthenticatedRequest, from: Backend, name: string): Promise<Answer>;
  /** Joins the client's connection with one of the node, whose protocol may be another one. */
  stream(request: AuthenticatedRequest, to: Backend, wish: StreamWish): Promise<Answer>;
}
