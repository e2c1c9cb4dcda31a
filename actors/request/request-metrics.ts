/** What the filters tell the meters about each request. gateway/metrics implements it. */
import type { Outcome, RoutedRequest } from './request.ts';

export interface RequestMetrics {
  /** The request is known for what it is and on its way. */
  begun(request: RoutedRequest): void;
  /** The last byte of its answer has gone, or its client has. Called once for every `begun`. */
  ended(request: RoutedRequest, outcome: Outcome, durationMs: number): void;
  /** The server answers so to save itself: it is too late, or there is no room. */
  terminated(request: RoutedRequest, code: number): void;
}
