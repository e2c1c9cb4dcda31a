/**
 * The keys of single objects in a topic beside the log's own, for all servers that share it: a
 * compacted one, so that a key that was destroyed is overwritten in time on every broker.
 *
 *     key     the id of the key
 *     value   JSON of uid, resource, path and the sealed key; nothing where it was destroyed
 *
 * Each server has all of them in memory. A key is in the topic before anything is in the log that
 * needs it, so a server that meets an id that it does not know reads the topic to its end, and
 * knows it then or never will.
 */
import type { ObjectKeyEntry, ObjectKeyStore } from '../encryption/object-key-store.ts';
import { ObjectKeyTable } from '../encryption/object-key-table.ts';
import { keyArrivals } from './key-arrivals.ts';
import { EARLIEST, LATEST } from './kafka-requests.ts';
import { prepareCompactedTopic, topicExists, type TopicParts } from './kafka-topic.ts';
import type { TopicRecord } from './record-batch.ts';
import { readFrom, TopicSessions } from './topic-sessions.ts';

/** Small, since what is in the newest segment is never compacted. */
const COMPACTION = { segmentBytes: 1024 * 1024, dirtyRatio: '0.01', lagMaxMs: 60 * 60_000 };
const NOTHING = Buffer.alloc(0);
/** What others destroy is let go of by then. */
const LOOK_EVERY_MS = 5_000;

type Written = Omit<ObjectKeyEntry, 'id' | 'sealed'> & { readonly sealed: string };

export class KafkaObjectKeys implements ObjectKeyStore {
  readonly #parts: TopicParts;
  readonly #sessions: TopicSessions;
  readonly #table = new ObjectKeyTable();
  #next = 0;
  #reading: Promise<void> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #isClosed = false;
  #prepare: (entries: readonly ObjectKeyEntry[]) => Promise<void> = () => Promise.resolve();
  /** Ids. */
  readonly #destroyed = new Set<string>();

  private constructor(parts: TopicParts) {
    this.#parts = parts;
    this.#sessions = new TopicSessions(parts);
  }

  /** Whether there ever was an encrypted object. @param parts of the log's topic. */
  static exist(parts: TopicParts): Promise<boolean> {
    return topicExists(ownParts(parts));
  }

  /**
   * @param parts of the log's topic; that of the keys is named after it.
   * @throws {LogUnavailableError} Kafka cannot be reached.
   */
  static async open(parts: TopicParts): Promise<KafkaObjectKeys> {
    const own = ownParts(parts);
    await prepareCompactedTopic(own, COMPACTION);
    const keys = new KafkaObjectKeys(own);
    keys.#next = await keys.#sessions.run((session) => session.offsetAt(EARLIEST));
    await keys.refresh();
    keys.#look();
    return keys;
  }

  get(id: string): ObjectKeyEntry | undefined {
    return this.#table.get(id);
  }

  ofObject(uid: string): ObjectKeyEntry | undefined {
    return this.#table.ofObject(uid);
  }

  all(): Iterable<ObjectKeyEntry> {
    return this.#table.all();
  }

  whenGone(tell: (entry: ObjectKeyEntry) => void): void {
    this.#table.whenGone(tell);
  }

  whenArriving(prepare: (entries: readonly ObjectKeyEntry[]) => Promise<void>): void {
    this.#prepare = prepare;
  }

  /** Reads what others have written. One after the other, from where the last one stopped. */
  refresh(): Promise<void> {
    const read = this.#reading.catch(() => undefined).then(() => this.#readToEnd());
    this.#reading = read;
    return read;
  }

  async put(entries: readonly ObjectKeyEntry[]): Promise<void> {
    await this.#sessions.put(entries.map(recordOf));
    for (const entry of entries) this.#table.set(entry);
  }

  async destroy(ids: readonly string[]): Promise<void> {
    await this.#sessions.put(ids.map((key) => ({ key, value: NOTHING, headers: {} })));
    for (const id of ids) {
      this.#destroyed.add(id);
      this.#table.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#reading.catch(() => undefined);
    this.#sessions.close();
  }

  #look(): void {
    this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      // A reader that misses one asks again by itself.
      void this.refresh()
        .catch(() => undefined)
        .finally(() => {
          // Closed while it was read: the next look would never be cancelled.
          if (!this.#isClosed) this.#look();
        });
    });
  }

  async #readToEnd(): Promise<void> {
    const end = await this.#sessions.run((session) => session.offsetAt(LATEST));
    while (this.#next < end) {
      const from = this.#next;
      const { records, next } = await this.#sessions.run((session) => readFrom(session, from));
      await this.#takeAll(records);
      this.#next = next;
    }
  }

  /** What is destroyed goes at once, even where what is new cannot be taken yet. */
  async #takeAll(records: readonly TopicRecord[]): Promise<void> {
    const { gone, back, live } = keyArrivals(records, this.#destroyed);
    for (const id of gone) {
      this.#destroyed.add(id);
      this.#table.delete(id);
    }
    if (back.length > 0) await this.destroy(back);
    const entries = live.map(({ key, value }) => entryOf(key, value));
    await this.#prepare(entries);
    for (const entry of entries) if (!this.#destroyed.has(entry.id)) this.#table.set(entry);
  }
}

function ownParts(parts: TopicParts): TopicParts {
  return { ...parts, topic: `${parts.topic}.keys` };
}

function recordOf({ id, sealed, ...entry }: ObjectKeyEntry) {
  const written: Written = { ...entry, sealed: sealed.toString('base64') };
  return { key: id, value: Buffer.from(JSON.stringify(written)), headers: {} };
}

function entryOf(id: string, value: Buffer): ObjectKeyEntry {
  const { uid, resource, path, sealed } = JSON.parse(value.toString()) as Written; // Ours.
  return { id, uid, resource, path, sealed: Buffer.from(sealed, 'base64') };
}
