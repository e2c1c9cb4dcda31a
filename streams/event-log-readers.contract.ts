/** The promises of `EventLog` to its readers, and of its end; part of `event-log.contract.ts`. */
import { expect, it } from 'vitest';
import { LogTrimmedError, LogUnavailableError } from './event-log.ts';
import { resourceVersion } from './resource-version.ts';
import {
  numbers,
  type Open,
  run,
  type StartReading,
  TIMEOUT_MS,
} from './log-under-test.fixture.ts';
import { proposedEvent } from './proposed-event.fixture.ts';

/** What readers are promised: every event, once, in order. */
export function describeRead(open: Open, startReading: StartReading): void {
  it('gives a reader all events in order, in batches of at least one', async () => {
    const { log } = await open();
    for (let first = 1; first <= 3_000; first += 600) await log.append(run(first, 600));

    const reading = startReading(log, 1);
    const events = await reading.take(3_000);

    expect(events.map((event) => event.resourceVersion)).toEqual(numbers(1, 3_000));
    expect(events.map((event) => event.sequence)).toEqual(numbers(1, 3_000));
    expect(Math.min(...reading.batchSizes)).toBeGreaterThan(0);
  });

  it('begins in the middle of an append when asked to', async () => {
    const { log } = await open();
    await log.append(run(1, 10));
    await log.append(run(11, 10));

    expect((await startReading(log, 5).take(16)).map((event) => event.sequence)).toEqual(
      numbers(5, 20),
    );
    expect((await startReading(log, 20).take(1)).map((event) => event.sequence)).toEqual([20]);
  });

  it('hands an appended event to a waiting reader', async () => {
    const { log } = await open();
    const reading = startReading(log, 1);
    const taken = reading.take(2);
    await reading.isWaiting();

    await log.append([proposedEvent(1), proposedEvent(2)]);

    expect((await taken).map((event) => event.sequence)).toEqual([1, 2]);
  });

  it('gives every event once to each of many readers while others append', async () => {
    const { log } = await open();
    await log.append(run(1, 50));
    const readings = [1, 1, 25, 51, 60].map((from) => ({ from, reading: startReading(log, from) }));
    const taken = readings.map(({ from, reading }) => reading.take(2_050 - from + 1));

    for (let first = 51; first <= 2_050; first += 100) {
      await Promise.all([log.append(run(first, 50)), log.append(run(first + 50, 50))]);
    }

    for (const [index, { from }] of readings.entries()) {
      const events = (await taken[index]) ?? [];
      expect(events.map((event) => event.resourceVersion)).toEqual(numbers(from, 2_050));
      expect(events.map((event) => event.sequence)).toEqual(numbers(from, 2_050));
    }
  });

  it('gives a slow reader what it missed', async () => {
    const { log } = await open();
    await log.append(run(1, 1));
    const reading = startReading(log, 1);
    expect(await reading.take(1)).toHaveLength(1);

    for (let first = 2; first <= 2_001; first += 100) await log.append(run(first, 100));

    expect((await reading.take(2_000)).map((event) => event.sequence)).toEqual(numbers(2, 2_001));
  });

  it('waits for versions that are still to come', async () => {
    const { log } = await open();
    const reading = startReading(log, 4);
    const taken = reading.take(2);
    await reading.isWaiting();

    await log.append(run(1, 2));
    await log.append(run(3, 2));
    await log.append(run(5, 1));

    expect((await taken).map((event) => event.sequence)).toEqual([4, 5]);
  });

  it('refuses to read from before the oldest version', async () => {
    const { log } = await open();
    await log.append([proposedEvent(1)]);

    await expect(startReading(log, 0).take(1)).rejects.toThrow(LogTrimmedError);
  });
}

/** How readers end, and the log. */
export function describeEnds(open: Open, startReading: StartReading): void {
  it('ends a waiting reader when its signal aborts, and only that one', async () => {
    const { log } = await open();
    const ended = startReading(log, 1);
    const other = startReading(log, 1);
    const taken = [ended.take(1), other.take(1)];
    await ended.isWaiting();
    await other.isWaiting();

    ended.abort();
    expect(await taken[0]).toEqual([]);
    expect(ended.hasReturned).toBe(true);

    await log.append([proposedEvent(1)]);
    expect(await taken[1]).toHaveLength(1);
  });

  it('ends a busy reader at its next step after the abort', async () => {
    const { log } = await open();
    await log.append(run(1, 2_000));
    const reading = startReading(log, 1);
    await reading.take(1);

    reading.abort();

    expect(await reading.take(2_000)).toEqual([]);
    expect(reading.hasReturned).toBe(true);
  });

  it('gives nothing to a reader whose signal was aborted from the start', async () => {
    const { log } = await open();
    await log.append([proposedEvent(1)]);
    const reading = startReading(log, 1);
    reading.abort();

    expect(await reading.take(1)).toEqual([]);
  });

  it('finishes the appends under way before it closes', async () => {
    const { log } = await open();
    const appends = [1, 2, 3, 4, 5].map((n) => log.append([proposedEvent(n)]));

    const closed = log.close();

    expect(await Promise.all(appends)).toEqual([1, 2, 3, 4, 5]);
    await closed;
  });

  it('can be closed twice', async () => {
    const { log } = await open();
    await log.append([proposedEvent(1)]);

    await Promise.all([log.close(), log.close()]);
    await log.close();
  });

  it('is unavailable after it was closed', async () => {
    const { log } = await open();
    await log.append([proposedEvent(1)]);
    await log.close();

    await expect(log.append([proposedEvent(2)])).rejects.toThrow(LogUnavailableError);
    await expect(log.newest(TIMEOUT_MS)).rejects.toThrow(LogUnavailableError);
    await expect(log.oldest()).rejects.toThrow(LogUnavailableError);
    expect(() => log.at(resourceVersion(1))).toThrow(LogUnavailableError);
    await expect(startReading(log, 1).take(1)).rejects.toThrow(LogUnavailableError);
  });

  it('lets no reader hang when it closes', async () => {
    const { log } = await open();
    const reading = startReading(log, 1);
    const taken = reading.take(1);
    await reading.isWaiting();

    const outcome = expect(taken).rejects.toThrow(LogUnavailableError);
    await log.close();
    await outcome;
  });
}
