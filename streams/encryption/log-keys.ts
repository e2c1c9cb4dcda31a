/** What an encrypted log asks the holder of the keys. */
import type { ProposedEvent } from '../event.ts';

/** An object that has a key. */
export interface KeyedObject {
  readonly uid: string;
  readonly resource: string;
  readonly path: string;
}

export interface OpenedKey {
  readonly id: string;
  readonly key: Buffer;
}

export type Writing = Pick<ProposedEvent, 'type' | 'resource' | 'uid'>;

export interface LogKeys {
  /** Whether new versions of its objects are to be sealed. */
  seals(resource: string): boolean;
  /** The keys of these objects by uid; those that have none yet get one, which is durable by then. */
  forWriting(objects: readonly KeyedObject[]): Promise<ReadonlyMap<string, OpenedKey>>;
  /** @returns undefined when there is no such key, or not any more. */
  keyOf(id: string): Buffer | undefined;
  /** Makes sure that keys are known which others have made, however long it takes. undefined: they are. */
  learn?(ids: readonly string[], signal: AbortSignal): Promise<void> | undefined;
  /** Why such an event cannot be written at the moment; undefined: it can. */
  refusal?(event: Writing): string | undefined;
  /** The annotation that says of an object without a key why it cannot be shown. */
  readonly missing: string;
}

/** For a reader of a log that has no keys. It must not write to it. */
export const WITHOUT_KEYS: LogKeys = {
  seals: () => false,
  forWriting: () => Promise.reject(new Error('there are no keys to write with')),
  keyOf: () => undefined,
  missing: 'dev.everwatch/encrypted',
};
