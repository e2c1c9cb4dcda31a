/** What is counted of connections that leave through a proxy. */

/** Where it went wrong: on the way to the proxy, or when it was asked to go on. */
export type DialStage = 'connect' | 'proxy';

/** Labels of a dial, as upstream's `apiserver_egress_dialer_*` have them. */
export interface DialLabels {
  readonly protocol: 'http_connect' | 'grpc';
  readonly transport: 'tcp' | 'uds';
}

export interface DialMeters {
  started(labels: DialLabels): void;
  failed(labels: DialLabels, stage: DialStage): void;
  succeeded(labels: DialLabels, durationMs: number): void;
}

/** In Kubernetes: the DialFailureReason of konnectivity's client. */
export type TunnelFailure = 'unknown' | 'timeout' | 'endpoint' | 'dialclosed' | 'tunnelclosed';

/** The label `status` of connections through Konnectivity. */
export type TunnelState = 'dialing' | 'ok' | 'closing';

/** Of tunnels of konnectivity alone. */
export interface TunnelMeters {
  /** @param type as the protocol calls it, `DIAL_REQ`. */
  packet(segment: 'from_client' | 'to_client', type: string): void;
  /** @param code as Go calls it, `Unavailable`. */
  broken(code: string): void;
  dialFailed(reason: TunnelFailure): void;
  /** undefined: it was not there before, or is not any more. */
  moved(from: TunnelState | undefined, to: TunnelState | undefined): void;
}
