/** What is written down beside the records of a local copy: whose copy it is, and how it was begun. */
import type { ResourceVersion } from '../../resource-version.ts';
import { LocalCopyError } from '../kafka-errors.ts';

const LAYOUT = 'kafka-records-1';
/** Under which it is kept. */
export const LOCAL_META_KEY = 'meta';

/** The writer of a record, and its number: no two records of a topic are alike in this. */
export interface RecordIdentity {
  /** The place of the record in the log. */
  readonly version: ResourceVersion;
  /** The writer and its sequence, as one text. */
  readonly identity: string;
}

export interface LocalTopic {
  readonly topic: string;
  readonly base: ResourceVersion;
}

/** What is kept beside the records. */
export interface Meta extends LocalTopic {
  readonly layout: typeof LAYOUT;
  /** The first record that the topic had when this copy was begun; undefined until then. */
  readonly begun: ResourceVersion | undefined;
  /** How far the snapshot went that it was filled from. */
  readonly adopted: RecordIdentity | undefined;
  /** It is being filled from a snapshot; what is there is not whole. */
  readonly isFilling: boolean;
}

export function emptyMeta({ topic, base }: LocalTopic): Meta {
  return { layout: LAYOUT, topic, base, begun: undefined, adopted: undefined, isFilling: false };
}

/** @throws {LocalCopyError} it is of something else. */
export function checkMeta(meta: Meta, { topic, base }: LocalTopic, path: string): void {
  if (meta.topic === topic && meta.base === base && (meta.layout as string) === LAYOUT) return;
  throw new LocalCopyError(
    `${path} holds a copy of the topic ${meta.topic} (from version ${String(meta.base)}, ` +
      `${meta.layout}), and not of ${topic} (from version ${String(base)}, ${LAYOUT}): choose ` +
      `another directory, or remove this one, which is only a copy`,
  );
}

/** The one that comes later in the topic. */
export function latestOf(
  one: RecordIdentity | undefined,
  other: RecordIdentity | undefined,
): RecordIdentity | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.version >= other.version ? one : other;
}
