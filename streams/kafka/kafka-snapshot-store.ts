/**
 * Snapshots in a topic beside the log's own: a compacted one, so that it holds two of them and not
 * all there ever were. They go into two slots by turns, so the newest whole one stays until the
 * next is whole; the manifest is written last.
 *
 *     key       <slot>/<index of the chunk>, <slot>/manifest
 *     headers   `snapshot`: which one it belongs to; `index`; on the manifest `first`: where its
 *               first chunk stands, so that a reader need not read what lies before
 */
import {
  decodeManifest,
  encodeManifest,
  packSnapshot,
  unpackSnapshot,
  type Manifest,
  type Snapshot,
  type SnapshotHeader,
  type SnapshotRecords,
  type SnapshotStore,
} from '../snapshots/snapshot.ts';
import type { KafkaSession } from './kafka-session.ts';
import { EARLIEST, LATEST } from './kafka-requests.ts';
import { prepareCompactedTopic, type TopicParts } from './kafka-topic.ts';
import type { TopicRecord } from './record-batch.ts';
import { readFrom, TopicSessions } from './topic-sessions.ts';

/** Only what lies in a segment that is full is compacted. */
const COMPACTION = { segmentBytes: 64 * 1024 * 1024, dirtyRatio: '0.3' };
/** The manifest is the last record, unless a server is writing, or died while it was. */
const LOOK_BACK = [1, 64, 4_096, Number.POSITIVE_INFINITY];
const MANIFEST = 'manifest';
const SLOTS = ['a', 'b'] as const;

interface Found {
  readonly id: string;
  readonly slot: string;
  readonly manifest: Manifest;
  readonly firstOffset: number;
  readonly offset: number;
}

export class KafkaSnapshotStore implements SnapshotStore {
  readonly #parts: TopicParts;
  readonly #sessions: TopicSessions;

  /** @param parts of the log's topic; the snapshots' is named after it. */
  constructor(parts: TopicParts) {
    this.#parts = { ...parts, topic: `${parts.topic}.snapshots` };
    this.#sessions = new TopicSessions(this.#parts);
  }

  /** @throws {LogUnavailableError} Kafka cannot be reached. */
  async newest(): Promise<Snapshot | undefined> {
    await prepareCompactedTopic(this.#parts, COMPACTION);
    const found = await this.#sessions.run(findNewest);
    if (found === undefined) return undefined;
    return unpackSnapshot(found.manifest, () => this.#chunksOf(found));
  }

  async write(header: SnapshotHeader, records: SnapshotRecords): Promise<void> {
    await prepareCompactedTopic(this.#parts, COMPACTION);
    const before = await this.#sessions.run(findNewest);
    const slot = before?.slot === SLOTS[0] ? SLOTS[1] : SLOTS[0];
    const id = `${String(header.version)}/${String(this.#parts.clock.now())}`;
    let first = -1;
    const manifest = await packSnapshot(header, records, async (chunk, index) => {
      const name = String(index);
      const offset = await this.#put(`${slot}/${name}`, chunk, { snapshot: id, index: name });
      if (index === 0) first = offset;
    });
    const headers = { snapshot: id, index: MANIFEST, first: String(first) };
    await this.#put(`${slot}/${MANIFEST}`, encodeManifest(manifest), headers);
  }

  /** A second copy of a record does no harm, so what may have failed is done again. */
  #put(key: string, value: Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
    return this.#sessions.put([{ key, value, headers }]);
  }

  async *#chunksOf({ id, firstOffset, offset, manifest }: Found): AsyncGenerator<Buffer> {
    let expected = 0;
    for (let at = firstOffset; at < offset && expected < manifest.chunks.length;) {
      const read = await this.#sessions.run((session) => readFrom(session, at));
      at = read.next;
      for (const { headers, value } of read.records) {
        if (headers['snapshot'] !== id || headers['index'] !== String(expected)) continue;
        expected += 1;
        yield value;
      }
    }
  }

  /** Lets go of the connection. The next question makes it anew. */
  close(): void {
    this.#sessions.close();
  }
}

async function findNewest(session: KafkaSession): Promise<Found | undefined> {
  const start = await session.offsetAt(EARLIEST);
  const end = await session.offsetAt(LATEST);
  for (const back of LOOK_BACK) {
    let found: Found | undefined;
    for (let at = Math.max(start, end - back); at < end;) {
      const { records, next } = await readFrom(session, at);
      at = next;
      for (const record of records) found = manifestIn(record) ?? found;
    }
    if (found !== undefined || end - back <= start) return found;
  }
  return undefined;
}

function manifestIn({ key, value, headers, offset }: TopicRecord): Found | undefined {
  const [slot = '', index] = key.split('/');
  const id = headers['snapshot'];
  if (index !== MANIFEST || id === undefined) return undefined;
  const manifest = decodeManifest(value);
  if (manifest === undefined) return undefined;
  return { id, slot, manifest, firstOffset: Number(headers['first']), offset };
}
