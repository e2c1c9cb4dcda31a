import { describe, expect, it } from 'vitest';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import { LogUnavailableError } from '../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import { verifyStore } from '../verification.ts';
import { cutOnce, followCuts, startRetention } from './retention.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { EVER, LEASES, Plane, PODS } from './given-retention.fixture.ts';

const newPath = newPaths('everwatch-retention-');

describe('the loop', () => {
  async function givenLoop(count: number, stepRecords?: number) {
    const log = new EmbeddedEventLog(newPath());
    const plane = await Plane.open(log, new MemoryObjectStore());
    const clock = new ManualClock();
    const failures: unknown[] = [];
    const hold = { at: undefined as ResourceVersion | undefined };
    const retention = startRetention({
      log,
      store: plane.store,
      clock,
      settings: { everything: { kind: 'events', count }, resources: new Map() },
      keepFrom: () => hold.at,
      ...(stepRecords === undefined ? {} : { stepRecords }),
      failed: (error) => failures.push(error),
    });
    const write = async (): Promise<void> => {
      const previous = plane.versionOf(PODS, 'ns/a');
      const type = previous === 0 ? 'added' : 'modified';
      const change = { resource: PODS, path: 'ns/a', previousResourceVersion: previous };
      await plane.append(proposedEvent(previous + 1, { ...change, type }));
    };
    const stop = async (): Promise<void> => {
      await retention.stop();
      await plane.stop();
      await log.close();
    };
    const cutsAt = (version: number) =>
      expect.poll(() => log.cuts().everything.version).toBe(version);
    return { log, plane, clock, failures, hold, retention, write, cutsAt, stop };
  }

  it('lets go of what another process has cut, and cuts nothing itself', async () => {
    const { log, plane, clock, write, cutsAt, stop } = await givenLoop(3);
    const other = await Plane.open(log, new MemoryObjectStore());
    const otherClock = new ManualClock();
    const failures: unknown[] = [];
    const failed = (error: unknown) => failures.push(error);
    const following = followCuts({ log, store: other.store, clock: otherClock, failed });
    for (let n = 0; n < 10; n += 1) await write();
    otherClock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.cuts().everything.version).toBe(0);

    clock.advance(60_000);
    await cutsAt(7);
    expect(other.store.readableSince(PODS)).toBe(0);
    otherClock.advance(60_000);
    await expect.poll(() => other.changesAfter(PODS, 0)).toEqual(plane.changesAfter(PODS, 0));
    expect(other.store.readableSince(PODS)).toBe(7);
    expect(failures).toEqual([]);
    await following.stop();
    await other.stop();
    await stop();
  });

  it('cuts every minute, until it is stopped', async () => {
    const { log, plane, clock, retention, write, cutsAt, stop } = await givenLoop(3);
    for (let n = 0; n < 10; n += 1) await write();
    clock.advance(59_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.cuts().everything.version).toBe(0);

    clock.advance(1);
    await cutsAt(7);
    expect(plane.store.readableSince(PODS)).toBe(7);
    expect([6, 7, 8].map((version) => log.at(resourceVersion(version))?.sequence)).toEqual([
      undefined,
      7,
      8,
    ]);
    await write();
    await expect
      .poll(() => {
        clock.advance(60_000);
        return log.cuts().everything.version;
      })
      .toBe(8);

    await retention.stop();
    await write();
    clock.advance(600_000);
    expect(log.cuts().everything.version).toBe(8);
    await stop();
  });

  it('keeps the moments that others need', async () => {
    const { clock, hold, write, cutsAt, stop } = await givenLoop(3);
    for (let n = 0; n < 10; n += 1) await write();
    hold.at = resourceVersion(4);
    clock.advance(60_000);
    await cutsAt(4);
    await stop();
  });

  it('says what went wrong, loses nothing by it, and tries again', async () => {
    const { log, plane, clock, failures, write, cutsAt, stop } = await givenLoop(3);
    for (let n = 0; n < 10; n += 1) await write();
    const failure = new LogUnavailableError('the disk is full');
    const trim = log.trim.bind(log);
    const forget = plane.store.forget.bind(plane.store);
    log.trim = () => Promise.reject(failure);
    clock.advance(60_000);
    await expect.poll(() => failures).toEqual([failure]);
    expect(log.at(resourceVersion(1))?.sequence).toBe(1);

    log.trim = trim;
    plane.store.forget = () => Promise.reject(failure);
    await expect
      .poll(() => {
        clock.advance(60_000);
        return failures.length;
      })
      .toBeGreaterThan(1);
    expect((await verifyStore(log, plane.store)).differences).toEqual([]);

    plane.store.forget = forget;
    await write();
    await expect
      .poll(() => {
        clock.advance(60_000);
        return [...plane.store.changesAfter(PODS, resourceVersion(0))];
      })
      .toEqual([8, 9, 10, 11]);
    await cutsAt(8);
    expect((await verifyStore(log, plane.store)).differences).toEqual([]);
    await stop();
  });

  it('cuts as far as it is asked to in one pass, and comes by each place of the log once', async () => {
    const { log, plane, clock, write, cutsAt, stop } = await givenLoop(3, 64);
    for (let n = 0; n < 600; n += 1) await write();
    const steps: (readonly number[])[] = [];
    const trim = log.trim.bind(log);
    log.trim = (cut) => {
      steps.push(cut.gone);
      return trim(cut);
    };
    clock.advance(60_000);
    await cutsAt(597);
    await expect.poll(() => log.cuts().underWay).toBeUndefined();
    expect(steps.length).toBeGreaterThan(10);
    expect(Math.max(...steps.map((step) => step.length))).toBe(64);
    expect(steps.flat()).toEqual(Array.from({ length: 596 }, (_, nth) => nth + 1));
    expect((await verifyStore(log, plane.store)).differences).toEqual([]);
    await stop();
  });

  it('goes by age where that is asked for', async () => {
    const log = new EmbeddedEventLog(newPath());
    const plane = await Plane.open(log, new MemoryObjectStore());
    const clock = new ManualClock();
    clock.advance(100_000);
    const times = [1_000, 50_000, 30_000, 60_000, 99_000];
    for (const [index, time] of times.entries()) {
      await plane.append(proposedEvent(index + 1, { resource: LEASES, time }));
    }
    const settings = {
      everything: EVER,
      resources: new Map([[LEASES, { kind: 'for' as const, ms: 45_000 }]]),
    };
    const { store } = plane;
    await cutOnce({
      log,
      store,
      clock,
      settings,
      keepFrom: () => undefined,
      failed: () => undefined,
    });

    expect(store.readableSince(LEASES)).toBe(3);
    expect(store.readableSince(PODS)).toBe(0);
    await plane.stop();
    await log.close();
  });
});
