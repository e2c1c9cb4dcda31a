/** Readers of a topic of a stand-in for Kafka, and what they have read. */
import { expect, vi } from 'vitest';

import { recordOf, type EventRecord } from '../event-codec.ts';
import type { LoggedEvent } from '../event.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { KafkaConnection } from './kafka-connection.ts';
import type { KafkaTimeouts } from './kafka-options.ts';
import { KafkaReader, type ReaderParts } from './kafka-reader.ts';
import { LocalRecords } from './local-copy/local-records.ts';
import { encodeBatch } from './record-batch.ts';
import { givenKafka, type GivenKafka } from './stand-in/given-kafka.fixture.ts';

/** A limit for what is broken. */
export const PATIENCE = { timeout: 120_000 };

const stops: (() => Promise<void>)[] = [];

/** To be called behind each test. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}

/** A topic, and readers of it. */
export interface Given extends GivenKafka {
  append(...sequences: number[]): void;
  read(changes?: Partial<ReaderParts>): Reading;
}

/** One reader, with a connection of its own. */
export interface Reading {
  readonly reader: KafkaReader;
  readonly connection: KafkaConnection;
  readonly events: LoggedEvent[];
  /** Waits until so many events were read, and gives their sequences. */
  sequences(count: number): Promise<number[]>;
  /** Why it could not go on. */
  failure(): Promise<Error>;
  stop(): Promise<void>;
}

/** A topic that is empty. */
export async function given(
  options: { brokers?: number; base?: number; timeouts?: Partial<KafkaTimeouts> } = {},
): Promise<Given> {
  const made = await givenKafka(options);
  const { parts, logs, kafka, topic } = made;
  const base = resourceVersion(options.base ?? 0);
  const { localPath: path } = logs.newPlace();
  const readings: Reading[] = [];
  stops.push(async () => {
    for (const reading of readings) await reading.stop();
    await made.stop();
    expect(kafka.misfits).toEqual([]);
  });
  const append = (...sequences: number[]): void => {
    kafka.topic(topic).append(batchOf(sequences.map((n) => recordOf(proposedEvent(n)))));
  };
  const read = (changes: Partial<ReaderParts> = {}): Reading => {
    const pause = () => Promise.resolve();
    const local = new LocalRecords({ path, topic, base, onProblem: () => undefined, pause });
    const random = { integer: () => 0, uuid: () => '' };
    const connection = new KafkaConnection({ ...parts, random });
    connection.start();
    const reading = follow({ ...parts, base, connection, local, ...changes });
    readings.push(reading);
    return reading;
  };
  return { ...made, append, read };
}

type FollowParts = Omit<ReaderParts, 'onRead' | 'mayRead' | 'onFailure'> & Partial<ReaderParts>;

function follow(parts: FollowParts): Reading {
  const events: LoggedEvent[] = [];
  const failures: Error[] = [];
  const reader = new KafkaReader({
    onRead: (first) => events.push(...parts.local.slice(first)),
    mayRead: () => Promise.resolve(),
    onFailure: (error) => failures.push(error),
    ...parts,
  });
  reader.start();
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    const hasStopped = reader.stop();
    await parts.connection.stop();
    await hasStopped;
    await parts.local.close();
  };
  return {
    reader,
    connection: parts.connection,
    events,
    sequences: async (count) => {
      await vi.waitFor(() => {
        expect(events.length).toBeGreaterThanOrEqual(count);
      }, PATIENCE);
      return events.map(({ sequence }) => sequence);
    },
    failure: () => vi.waitFor(() => failures[0] ?? Promise.reject(new Error('no end')), PATIENCE),
    stop: () => (stopped ??= end()),
  };
}

/** As it lies in a topic. */
export function batchOf(records: readonly EventRecord[]): Buffer {
  return encodeBatch(records, 1_700_000_000_000);
}

/** When the stand-in was asked for records. */
export function fetchesOf({ kafka }: GivenKafka): (number | undefined)[] {
  return kafka.asked.filter(({ request }) => request === 'Fetch').map(({ at }) => at);
}

/** How often the stand-in was asked for the leaders of its topics. */
export function looksOf({ kafka }: GivenKafka): number {
  return kafka.asked.filter(({ request }) => request === 'Metadata').length;
}
