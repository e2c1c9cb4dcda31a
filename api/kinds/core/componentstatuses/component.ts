/**
 * A part of the control plane that can be asked how it is. A prober behind a door asks those that
 * listen on a port; the log is asked here.
 *
 * In Kubernetes: Server, registry/core/componentstatus.
 */

/** The answer of a component, as its `Healthy` condition shows it. */
export interface ComponentHealth {
  /** undefined: not even that could be found out. */
  readonly isHealthy: boolean | undefined;
  /** What the component says of itself, or why it says nothing. */
  readonly message: string;
  /** What went wrong with the asking itself; '' when nothing did. */
  readonly error: string;
}

export interface Component {
  /** As `kubectl get componentstatuses` names it. */
  readonly name: string;
  /** Must not reject. */
  check(): Promise<ComponentHealth>;
}
