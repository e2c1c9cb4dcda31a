/** Appends of workers that are begun behind others: what is in the log of them where the disk takes only some. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LmdbRecords } from '../embedded/lmdb-records.ts';
import { LogUnavailableError } from '../event-log.ts';
import type { ProposedEvent } from '../event.ts';
import { until } from '../../tools/until.fixture.ts';
import { numbers, run } from '../log-under-test.fixture.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import { closeGiven, given } from './given-owner.fixture.ts';
import type { WorkerEventLog } from './worker-event-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-behind-'));
/** Asked for each group: why it is not written. */
let refusal: () => Error | undefined = () => undefined;
/** The disk is as slow as this. */
let written: Promise<void> = Promise.resolve();
/** How large the groups were. */
const groups: number[] = [];

beforeEach(() => {
  groups.length = 0;
  const { write }: { write: LmdbRecords['write'] } = LmdbRecords.prototype;
  vi.spyOn(LmdbRecords.prototype, 'write').mockImplementation(async function (
    this: LmdbRecords,
    first: ResourceVersion,
    frames: readonly Buffer[],
  ) {
    groups.push(frames.length);
    const why = refusal();
    await written;
    if (why !== undefined) throw why;
    await write.call(this, first, frames);
  });
});

afterEach(async () => {
  refusal = () => undefined;
  written = Promise.resolve();
  await closeGiven();
  vi.restoreAllMocks();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The owner has all that these workers have sent. */
async function allHasCome(
  ...workers: readonly { pipe: Socket; ownersEnd: Socket }[]
): Promise<void> {
  for (const { pipe, ownersEnd } of workers) {
    await until(() => ownersEnd.bytesRead === pipe.bytesWritten);
  }
}

async function outcomes(appends: readonly Promise<number>[]): Promise<(number | string)[]> {
  const settled = await Promise.allSettled(appends);
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));
}

it('refuses what a worker appended behind what is refused, and takes what another did', async () => {
  const { owner, worker } = given(folder);
  const [one, other] = [await worker(), await worker()];
  let finish: () => void = () => undefined;
  written = new Promise((resolve) => (finish = resolve));
  refusal = () => new LogUnavailableError('full', { isPassing: true });
  const appends = [one.log.append(run(1, 2))];
  await until(() => groups.length === 1);
  refusal = () => undefined;
  appends.push(one.log.append(run(3, 1)), one.log.append(run(4, 1)));
  appends.push(other.log.append(run(1, 5).map((event) => ({ ...event, writer: 'other' }))));
  const told = outcomes(appends);
  await allHasCome(one, other);
  finish();
  expect(await told).toEqual([...Array<string>(3).fill('LogUnavailableError: full'), 1]);
  expect(groups).toEqual([2, 5]);
  expect(await outcomes([one.log.append(run(1, 2)), one.log.append(run(3, 1))])).toEqual([6, 8]);
  expect(await owner.newest()).toBe(8);
});

it('refuses what comes behind a refused append of which its worker has not heard', async () => {
  const { owner, worker } = given(folder);
  const one = await worker();
  const { log, pipe } = one;
  refusal = () => new LogUnavailableError('full');
  // It hears nothing, and appends.
  pipe.pause();
  const saidBefore = one.ownersEnd.bytesWritten;
  const appends = [log.append(run(1, 1))];
  // Until the owner has refused it.
  await until(() => one.ownersEnd.bytesWritten > saidBefore);
  refusal = () => undefined;
  appends.push(log.append(run(2, 1)), log.append(run(3, 1)));
  const told = outcomes(appends);
  await allHasCome(one);
  pipe.resume();
  expect(await told).toEqual(Array<string>(3).fill('LogUnavailableError: full'));
  expect(groups).toEqual([1]);
  expect(await log.append(run(1, 3))).toBe(1);
  expect(await owner.newest()).toBe(3);
});

it('holds the events of every writer once and in order, whatever groups the disk refuses', async () => {
  const { worker } = given(folder);
  const logs = [await worker(), await worker(), await worker()].map(({ log }) => log);
  let asked = 0;
  refusal = () => {
    asked += 1;
    return asked % 3 === 0 ? new LogUnavailableError('full', { isPassing: true }) : undefined;
  };
  await Promise.all(logs.map((log, at) => appendAll(log, `w${String(at)}`)));
  const [log] = logs;
  const told = numbers(1, LAST * logs.length).map((at) => log?.at(resourceVersion(at)));
  for (const at of logs.keys()) {
    const own = told.filter((event) => event?.writer === `w${String(at)}`);
    expect(own.map((event) => event?.sequence)).toEqual(numbers(1, LAST));
  }
  // They meet, how often is a matter of time.
  expect(Math.max(...groups)).toBeGreaterThan(1);
});

const LAST = 120;

/** As a committer does: several under way, and all from the first that failed on once more when each is answered. */
async function appendAll(log: WorkerEventLog, writer: string): Promise<void> {
  const eventOf = (sequence: number): ProposedEvent[] =>
    run(sequence, 1).map((event) => ({ ...event, writer }));
  for (let next = 1; next <= LAST;) {
    const sent = numbers(next, Math.min(LAST, next + log.appendsUnderWay - 1));
    const done = await Promise.allSettled(sent.map((sequence) => log.append(eventOf(sequence))));
    const failed = done.findIndex(({ status }) => status === 'rejected');
    next += failed < 0 ? done.length : failed;
  }
}
