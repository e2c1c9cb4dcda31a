/** Logs in Kafka for tests, each with a topic and a local copy of its own. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Random } from '../../api/meta/clock.ts';
import { KafkaEventLog } from './kafka-event-log.ts';
import type { KafkaLogOptions } from './kafka-options.ts';

export interface LogPlace {
  readonly topic: string;
  readonly localPath: string;
}

const clock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

const random: Random = {
  integer: (below) => Math.floor(Math.random() * below),
  uuid: () => randomUUID(),
};

export class EngineLogs {
  readonly #brokers: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'everwatch-kafka-'));
  readonly #opened = new Set<KafkaEventLog>();
  #places = 0;

  constructor(brokers: readonly string[]) {
    this.#brokers = brokers;
  }

  newPlace(topic = `log-${randomUUID()}`): LogPlace {
    this.#places += 1;
    return { topic, localPath: join(this.#folder, String(this.#places)) };
  }

  async open(place: LogPlace, changes: Partial<KafkaLogOptions> = {}): Promise<KafkaEventLog> {
    const log = await KafkaEventLog.open(this.options(place, changes));
    this.#opened.add(log);
    return log;
  }

  options(place: LogPlace, changes: Partial<KafkaLogOptions> = {}): KafkaLogOptions {
    return { brokers: this.#brokers, clientId: 'engine-test', clock, random, ...place, ...changes };
  }

  /** Closes all that are open, and removes their copies. */
  async remove(): Promise<void> {
    for (const log of this.#opened) await log.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
