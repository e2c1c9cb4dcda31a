/**
 * A small topic beside the log, read and written now and then: the connection is made when it is
 * needed, and made anew when it broke. What may have failed is done again, so a record may be there
 * twice; that must do no harm.
 */
import type { EventRecord } from '../event-codec.ts';
import { KafkaSession } from './kafka-session.ts';
import type { TopicParts } from './kafka-topic.ts';
import { decodeBatches, encodeBatch, type TopicRecord } from './record-batch.ts';

const FETCH_BYTES = 4 * 1024 * 1024;
const ATTEMPTS = 5;
const RETRY_MS = 500;

export class TopicSessions {
  readonly #parts: TopicParts;
  #session: KafkaSession | undefined;

  constructor(parts: TopicParts) {
    this.#parts = parts;
  }

  /** @throws what the last attempt failed with. */
  async run<T>(work: (session: KafkaSession) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (this.#session?.isOpen !== true) {
          this.#session = await KafkaSession.open(this.#parts, this.#parts.brokers);
        }
        return await work(this.#session);
      } catch (error) {
        this.#session?.fail(error instanceof Error ? error : new Error(String(error)));
        if (attempt === ATTEMPTS) throw error;
        await new Promise<void>((resolve) => {
          this.#parts.clock.after(RETRY_MS, resolve);
        });
      }
    }
  }

  /** Resolves to the offset of the first, when all replicas in sync have them. */
  put(records: readonly EventRecord[]): Promise<number> {
    const batch = encodeBatch(records, this.#parts.clock.now());
    return this.run((session) => session.produce(batch, () => undefined));
  }

  /** Lets go of the connection. The next question makes it anew. */
  close(): void {
    this.#session?.fail(new Error('the topic is not needed any more'));
  }
}

export interface Read {
  readonly records: readonly TopicRecord[];
  /** Compaction leaves batches without records: reading goes on behind them. */
  readonly next: number;
}

export async function readFrom(session: KafkaSession, offset: number): Promise<Read> {
  const answer = await session.fetch(offset, FETCH_BYTES);
  const { records, next } = decodeBatches(answer.records, offset);
  return { records, next: next ?? Math.max(offset + 1, answer.end) };
}
