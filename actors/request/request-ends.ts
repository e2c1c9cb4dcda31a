/** What comes at the two ends of a request: its body, and how it ended. */
import type { Status } from '../../api/meta/status.ts';

/** The whole body, or the Status of one that is too long, breaks off or is one too many. */
export type BodyRead =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly status: Status };

/** How a request ended: what was sent, when the last byte had gone. */
export interface Outcome {
  /** The HTTP status that was sent, or would have been. */
  readonly code: number;
  /** Of the body of the answer. */
  readonly sizeBytes: number;
}
