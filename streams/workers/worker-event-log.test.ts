import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { durableLogContract } from '../event-log.contract.ts';
import { AppendOutcomeUnknownError, LogUnavailableError } from '../event-log.ts';
import { NO_CUT } from '../log-cuts.ts';
import { numbers, Reading, run } from '../log-under-test.fixture.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { closeGiven, given } from './given-owner.fixture.ts';
import { MESSAGE, MessageWriter } from './messages.ts';
import { WorkerEventLog } from './worker-event-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-workers-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

afterEach(closeGiven);

durableLogContract('WorkerEventLog', async () => {
  const first = given(folder);
  const { log } = await first.worker();
  return {
    log,
    reopen: async () => {
      await log.close();
      await first.owner.close();
      return (await given(folder, first.path).worker()).log;
    },
  };
});

function sequences(events: readonly { readonly sequence: number }[]): number[] {
  return events.map(({ sequence }) => sequence);
}

describe('WorkerEventLog', () => {
  it('gives every worker the events of all, once, in one order, while all append', async () => {
    const { worker } = given(folder);
    const logs = [await worker(), await worker(), await worker()].map(({ log }) => log);
    const readings = logs.map((log) => {
      return new Reading(log, resourceVersion(1), new AbortController());
    });
    const taken = readings.map((reading) => reading.take(1_500));
    const firsts = await Promise.all(
      logs.flatMap((log, at) =>
        numbers(0, 99).map((round) =>
          log.append(
            run(round * 5 + 1, 5).map((event) => ({ ...event, writer: `w${String(at)}` })),
          ),
        ),
      ),
    );
    expect(firsts.sort((a, b) => a - b)).toEqual(numbers(0, 299).map((n) => 1 + n * 5));
    const [one = [], ...others] = await Promise.all(taken);
    const told = one.map(({ writer, sequence }) => `${writer}:${String(sequence)}`);
    expect(new Set(told).size).toBe(1_500);
    for (const other of others) {
      expect(other.map(({ writer, sequence }) => `${writer}:${String(sequence)}`)).toEqual(told);
    }
    for (const reading of readings) reading.abort();
  });

  it('knows of what another worker was told, before its owner has told it', async () => {
    const { worker } = given(folder);
    const [one, other] = [await worker(), await worker()];
    other.pipe.pause();
    expect(await one.log.append(run(1, 3))).toBe(1);
    expect(other.log.end()).toBe(3);
    expect(other.log.at(resourceVersion(3))).toBeUndefined();
    other.pipe.resume();
    const reading = new Reading(other.log, resourceVersion(1), new AbortController());
    expect(sequences(await reading.take(3))).toEqual([1, 2, 3]);
    reading.abort();
  });

  it('reads from the log what the owner did not send to a worker that stood still', async () => {
    const { worker } = given(folder);
    const [one, other] = [await worker(), await worker()];
    const reading = new Reading(other.log, resourceVersion(1), new AbortController());
    const taken = reading.take(60);
    await reading.isWaiting();
    other.pipe.pause();
    const json = Buffer.alloc(1_000_000, 'x');
    for (const sequence of numbers(1, 60))
      await one.log.append([proposedEvent(sequence, { json })]);
    // All of it would be 60 MB.
    expect(other.ownersEnd.writableLength).toBeLessThan(12_000_000);
    other.pipe.resume();
    expect(sequences(await taken)).toEqual(numbers(1, 60));
    expect(sequences([await other.log.append(run(61, 1))].map((at) => ({ sequence: at })))).toEqual(
      [61],
    );
    reading.abort();
  });

  it('does not know what became of an append whose owner is gone', async () => {
    const { worker } = given(folder);
    const { log, ownersEnd } = await worker();
    const reading = new Reading(log, resourceVersion(1), new AbortController());
    const outcome = expect(reading.take(1)).rejects.toThrow(LogUnavailableError);
    await reading.isWaiting();
    ownersEnd.pause();
    const appended = log.append(run(1, 1));
    ownersEnd.destroy();
    await expect(appended).rejects.toThrow(AppendOutcomeUnknownError);
    await outcome;
    await expect(log.append(run(1, 1))).rejects.toThrow(/owns the log is gone/);
    await expect(log.newest()).rejects.toThrow(LogUnavailableError);
  });

  it('appends what a worker sent before it died', async () => {
    const { owner, worker } = given(folder);
    const [one, other] = [await worker(), await worker()];
    const reading = new Reading(other.log, resourceVersion(1), new AbortController());
    one.log.append(run(1, 2)).catch(() => undefined);
    one.pipe.end();
    expect(sequences(await reading.take(2))).toEqual([1, 2]);
    expect(await owner.newest()).toBe(2);
    reading.abort();
  });

  it('says so where the file of the log cannot be read', async () => {
    const pipe = new Duplex({ read: () => undefined });
    const owner = { pipe, end: { read: () => undefined } };
    const opening = WorkerEventLog.open(join(folder, 'none'), owner);
    pipe.push(new MessageWriter(MESSAGE.hello).version(resourceVersion(0)).finish());
    await expect(opening).rejects.toThrow(`the log in ${join(folder, 'none')} cannot be read`);
  });

  it('cuts the log for all workers', async () => {
    const { worker } = given(folder);
    const [one, other] = [await worker(), await worker()];
    await one.log.append(run(1, 4));
    const everything = { ...NO_CUT, version: resourceVersion(2) };
    const cuts = { ...one.log.cuts(), settled: resourceVersion(2), everything };
    const writers = new Map([['w', 2]]);
    await one.log.trim({ cuts: { ...cuts, writers }, gone: [resourceVersion(1)] });
    expect(one.log.cuts()).toEqual({ ...cuts, writers });
    // It may not have been told yet.
    expect(other.log.at(resourceVersion(1))).toBeUndefined();
    expect(await other.log.oldest()).toBe(3);
    expect(other.log.cuts()).toEqual({ ...cuts, writers });
    expect(other.log.at(resourceVersion(2))?.sequence).toBe(2);
    await expect(
      one.log.trim({ cuts: { ...cuts, settled: resourceVersion(4) }, gone: [] }),
    ).rejects.toThrow(RangeError);
  });
});
