import type { CommittedEvent } from '../streams/event.ts';

/** A view of the log: what it shows is a fold over the events, and nothing else. */
export interface Projection {
  readonly name: string;
  /** Folds one event in. Events come in log order, each once. Must not throw, must not wait. */
  apply(event: CommittedEvent): void;
  /** What was applied since the last call belongs together and may be shown now. */
  endOfBatch?(): void;
}
