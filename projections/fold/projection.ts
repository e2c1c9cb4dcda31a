import type { CommittedEvent } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** A view of the log: what it shows is a fold over the events, and nothing else. */
export interface Projection {
  /** Unique among the views; for logs and metrics. */
  readonly name: string;
  /** Folds one event in. Events come in log order, each once. Must not throw, must not wait. */
  apply(event: CommittedEvent): void;
  /** What happened up to here is not told: a view that wants to know reads it from the log. */
  skipTo?(version: ResourceVersion): void;
  /** What was applied since the last call belongs together and may be shown now. */
  endOfBatch?(): void;
}
