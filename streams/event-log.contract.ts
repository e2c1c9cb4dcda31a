/**
 * The promises of `EventLog`, each as a test, to be run against every engine.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { encodeRecord } from './event-codec.ts';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX, type EventLog } from './event-log.ts';
import type { LoggedEvent, ProposedEvent } from './event.ts';
import { resourceVersion } from './resource-version.ts';
import { describeEnds, describeRead } from './event-log-readers.contract.ts';
import {
  type DurableLogUnderTest,
  type LogUnderTest,
  numbers,
  type Open,
  Reading,
  run,
  TIMEOUT_MS,
} from './log-under-test.fixture.ts';
import { proposedEvent, proposedMarker } from './proposed-event.fixture.ts';

/** There is no later Date. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** What the tests of a contract share: logs that are closed and readings that end after each. */
class LogsUnderTest<Made extends LogUnderTest> {
  readonly #opened: EventLog[] = [];
  readonly #reading = new Set<AbortController>();
  readonly #make: () => Promise<Made>;

  constructor(make: () => Promise<Made>) {
    this.#make = make;
    afterEach(async () => {
      for (const controller of this.#reading) controller.abort();
      this.#reading.clear();
      for (const log of this.#opened.splice(0)) await log.close();
    });
  }

  readonly open = async (): Promise<Made> => {
    const made = await this.#make();
    this.#opened.push(made.log);
    return made;
  };

  readonly opened = (log: EventLog): void => {
    this.#opened.push(log);
  };

  readonly startReading = (log: EventLog, from: number): Reading => {
    const controller = new AbortController();
    this.#reading.add(controller);
    return new Reading(log, resourceVersion(from), controller);
  };
}

/** @param make an empty log, asked for anew by every test. */
export function eventLogContract(name: string, make: () => Promise<LogUnderTest>): void {
  describe(`${name} keeps the contract of an event log`, () => {
    const { open, startReading } = new LogsUnderTest(make);
    describeAppend(open);
    describeRead(open, startReading);
    describeEnds(open, startReading);
  });
}

/** What a log promises besides if it outlives its process. */
export function durableLogContract(name: string, make: () => Promise<DurableLogUnderTest>): void {
  eventLogContract(name, make);
  describe(`${name} keeps the contract of a log that outlives its process`, () => {
    describeReopen(new LogsUnderTest(make));
  });
}

function describeAppend(open: Open): void {
  it('begins empty: newest is 0, oldest is 1, nothing is at 1', async () => {
    const { log } = await open();

    expect(await log.newest(TIMEOUT_MS)).toBe(0);
    expect(await log.oldest()).toBe(1);
    expect(log.at(resourceVersion(1))).toBeUndefined();
  });

  it('adds events to the end, and tells the version of the first', async () => {
    const { log } = await open();

    expect(await log.append([proposedEvent(1)])).toBe(1);
    expect(await log.append([proposedEvent(2), proposedEvent(3), proposedEvent(4)])).toBe(2);
    expect(await log.append([proposedEvent(5)])).toBe(5);

    expect(await log.newest(TIMEOUT_MS)).toBe(5);
    expect(await log.oldest()).toBe(1);
    expect(sequencesAt(log, 1, 5)).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives back every part of an event as it was', async () => {
    const { log } = await open();
    const events = [...strangeEvents()];

    const first = await log.append(events);

    for (const [index, event] of events.entries()) {
      const version = resourceVersion(first + index);
      expect(plain(log.at(version))).toEqual(plain({ ...event, resourceVersion: version }));
      const json = log.jsonAt?.(version) ?? event.json;
      expect(Buffer.compare(json, event.json)).toBe(0);
    }
  });

  it('gives the heads of events as it gives the events', async () => {
    const { log } = await open();
    const events = [...strangeEvents()];
    const first = await log.append(events);
    const heads = log.heads?.(first, () => undefined);
    if (heads === undefined) return;
    for (const [index, event] of events.entries()) {
      const head = heads.next();
      const whole = { ...event, resourceVersion: resourceVersion(first + index) };
      expect({ ...whole, ...head, json: '' }).toEqual({ ...whole, json: '' });
      expect(head?.resourceVersion).toBe(first + index);
    }
    expect(heads.next()).toBeUndefined();
    expect(log.heads?.(resourceVersion(first + events.length), () => undefined).next()).toBe(
      undefined,
    );
  });

  it('keeps the order inside every append when many run at once', async () => {
    const { log } = await open();
    const writers = Array.from({ length: 20 }, (_, index) => `writer-${String(index)}`);

    const appended = await Promise.all(
      writers.flatMap((writer) =>
        [0, 1, 2, 3, 4].map(async (round) => {
          const events = [1, 2, 3].map((n) => proposedEvent(round * 3 + n, { writer }));
          return { events, first: await log.append(events) };
        }),
      ),
    );

    for (const { events, first } of appended) {
      const found = events.map((_, index) => log.at(resourceVersion(first + index)));
      expect(found.map(identityOf)).toEqual(events.map(identityOf));
    }
    const firsts = appended.map(({ first }) => first).sort((a, b) => a - b);
    expect(firsts).toEqual(firsts.map((_, index) => 1 + index * 3));
    for (const writer of writers) {
      const own = appended.filter(({ events }) => events[0]?.writer === writer);
      expect(own.map(({ first }) => first)).toEqual(
        own.map(({ first }) => first).sort((a, b) => a - b),
      );
    }
  });

  it('takes as many events as APPEND_EVENTS_MAX, and no more', async () => {
    const { log } = await open();
    const events = Array.from({ length: APPEND_EVENTS_MAX }, (_, index) => proposedEvent(index));

    expect(await log.append(events)).toBe(1);
    await expect(log.append([...events, proposedEvent(0)])).rejects.toThrow(RangeError);
    await expect(log.append([])).rejects.toThrow(RangeError);

    expect(await log.newest(TIMEOUT_MS)).toBe(APPEND_EVENTS_MAX);
    expect(sequencesAt(log, 1, APPEND_EVENTS_MAX)).toEqual(events.map((event) => event.sequence));
  });

  it('takes as many bytes as APPEND_BYTES_MAX, and no more', async () => {
    const { log, addedBytes = 0 } = await open();
    const overhead = addedBytes + encodeRecord(proposedEvent(1, { json: Buffer.alloc(0) })).length;
    const json = Buffer.alloc(APPEND_BYTES_MAX - overhead, 'x');

    expect(await log.append([proposedEvent(1, { json })])).toBe(1);
    const tooLarge = proposedEvent(1, { json: Buffer.concat([json, Buffer.from('x')]) });
    await expect(log.append([tooLarge])).rejects.toThrow(RangeError);

    expect(await log.newest(TIMEOUT_MS)).toBe(1);
    expect(Buffer.from(log.at(resourceVersion(1))?.json ?? []).equals(json)).toBe(true);
  });

  it('gives bytes that later calls do not change', async () => {
    const { log } = await open();
    await log.append([1, 2, 3].map((n) => proposedEvent(n, { json: Buffer.alloc(900, n) })));

    const events = [1, 2, 3].map((n) => log.at(resourceVersion(n)));
    for (let round = 0; round < 100; round += 1) log.at(resourceVersion(1 + (round % 3)));

    expect(events.map((event) => Buffer.from(event?.json ?? []))).toEqual(
      [1, 2, 3].map((n) => Buffer.alloc(900, n)),
    );
  });

  it('has nothing at 0 and nothing behind its end', async () => {
    const { log } = await open();
    await log.append([proposedEvent(1)]);

    expect(log.at(resourceVersion(0))).toBeUndefined();
    expect(log.at(resourceVersion(2))).toBeUndefined();
    expect(log.at(resourceVersion(Number.MAX_SAFE_INTEGER))).toBeUndefined();
  });
}

function describeReopen({ open, opened }: LogsUnderTest<DurableLogUnderTest>): void {
  it('keeps everything when it is opened again, and goes on from there', async () => {
    const { log, reopen } = await open();
    const strange = [...strangeEvents()];
    await log.append(strange);
    await log.append(run(1, 1_000));
    const newest = strange.length + 1_000;
    const before = numbers(1, newest).map((version) => plain(log.at(resourceVersion(version))));

    const second = await reopen();
    opened(second);
    expect(await second.newest(TIMEOUT_MS)).toBe(newest);
    expect(await second.oldest()).toBe(1);
    const after = numbers(1, newest).map((version) => plain(second.at(resourceVersion(version))));
    expect(after).toEqual(before);
    expect(await second.append([proposedEvent(7)])).toBe(newest + 1);
  });

  it('gives a reader what was before and what comes after it was opened again', async () => {
    const { log, reopen } = await open();
    await log.append(run(1, 700));

    const second = await reopen();
    opened(second);
    const controller = new AbortController();
    const reading = new Reading(second, resourceVersion(1), controller);
    const taken = reading.take(703);
    await second.append(run(701, 3));

    expect((await taken).map((event) => event.sequence)).toEqual(numbers(1, 703));
    controller.abort();
  });
}

function* strangeEvents(): Generator<ProposedEvent> {
  yield proposedEvent(1, { json: Buffer.alloc(0) });
  yield proposedEvent(2, { json: Buffer.from([0, 255, 254, 10, 13, 0]) });
  yield proposedEvent(3, { resource: 'core/namespaces', path: '/kube-system', type: 'modified' });
  yield proposedEvent(4, {
    resource: 'rbac.authorization.k8s.io/clusterroles',
    path: '/system:controller:Ärger 🚀',
    user: 'line\nbreak "quoted" \\ \u0000 \u2028',
    fieldManager: '',
    type: 'deleted',
  });
  yield proposedEvent(Number.MAX_SAFE_INTEGER, {
    time: LAST_MOMENT,
    previousResourceVersion: resourceVersion(Number.MAX_SAFE_INTEGER),
    requires: [
      { resource: 'core/namespaces', path: '/default', resourceVersion: resourceVersion(12) },
      { resource: 'core/resourcequotas', path: 'default/q', resourceVersion: resourceVersion(0) },
    ],
  });
  yield proposedEvent(6, { json: Buffer.from(JSON.stringify({ data: 'ü'.repeat(300_000) })) });
  yield proposedEvent(7, { json: Buffer.from('{"__proto__":{"a":1},"constructor":null}') });
  yield proposedMarker(8);
}

function sequencesAt(log: EventLog, first: number, last: number): (number | undefined)[] {
  return numbers(first, last).map((version) => log.at(resourceVersion(version))?.sequence);
}

function identityOf(event: ProposedEvent | undefined): string {
  return `${String(event?.writer)}:${String(event?.sequence)}`;
}

/** For comparing: bytes as text, whichever kind of array holds them. */
function plain(event: LoggedEvent | undefined): unknown {
  return event && { ...event, json: Buffer.from(event.json).toString('latin1') };
}
