/** Which APIServices do not answer, for figures; gateway/metrics shows them. */

/** Told by the controller that keeps the condition `Available`. */
export interface AvailabilityMeters {
  /** What the last look has found. */
  found(name: string, isAvailable: boolean): void;
  /** The condition has changed to another than True. */
  becameUnavailable(name: string, reason: string): void;
  /** There is no such APIService any more. */
  forget(name: string): void;
}
