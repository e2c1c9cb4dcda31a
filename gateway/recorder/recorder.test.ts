import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../api/meta/clock.ts';
import type { EventLog } from '../../streams/event-log.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { systemClock, systemRandom } from '../process/system-clock.ts';
import { ClusterDiscovery } from '../remote-cluster/cluster-resources.ts';
import { GivenCluster } from '../remote-cluster/given-cluster.fixture.ts';
import { openBook } from './record-book.ts';
import { RecordPlace } from './record-place.ts';
import { Recorder } from './recorder.ts';

/** Pauses of a recorder take a millisecond, whatever they were to take; those that run are counted. */
class QuickClock implements Clock {
  readonly #pauses = new Set<() => void>();

  get waiting(): number {
    return this.#pauses.size;
  }

  now(): number {
    return systemClock.now();
  }

  after(_ms: number, run: () => void): () => void {
    const cancel = systemClock.after(1, () => {
      this.#pauses.delete(cancel);
      run();
    });
    this.#pauses.add(cancel);
    return () => {
      this.#pauses.delete(cancel);
      cancel();
    };
  }
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Recording {
  readonly clock: QuickClock;
  readonly running: Promise<void>;
  /** How many listen to the signal that ends it. */
  readonly listeners: () => number;
  readonly place: RecordPlace;
  readonly gaps: string[];
  readonly troubles: string[];
  stop(): Promise<void>;
}

async function record(
  cluster: GivenCluster,
  log: EventLog = new MemoryEventLog(),
): Promise<Recording> {
  const clock = new QuickClock();
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-recorder-'));
  folders.push(folder);
  const place = new RecordPlace(folder);
  const gaps: string[] = [];
  const troubles: string[] = [];
  const recorder = new Recorder({
    client: cluster,
    discovery: new ClusterDiscovery(cluster, systemClock),
    book: await openBook({
      log,
      clock: systemClock,
      random: systemRandom,
    }),
    place,
    clock,
    random: systemRandom,
    wants: () => true,
    report: {
      listed: () => undefined,
      written: () => undefined,
      gap: ({ reason }) => gaps.push(reason),
      trouble: (_resource, problem) => troubles.push(problem),
    },
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  return {
    clock,
    running,
    listeners: () => getEventListeners(stop.signal, 'abort').length,
    place,
    gaps,
    troubles,
    async stop() {
      stop.abort();
      await running;
    },
  };
}

async function until(fits: () => boolean): Promise<void> {
  await vi.waitFor(
    () => {
      expect(fits()).toBe(true);
    },
    { timeout: 120_000, interval: 2 },
  );
}

describe('a recorder', () => {
  it('follows no server that does not say yet which cluster it is', async () => {
    const cluster = new GivenCluster();
    cluster.put('a', '1');
    const recording = await record(cluster);
    await until(() => cluster.watches === 1);
    cluster.hasKubeSystem = false;
    cluster.replace('cluster-2');
    await until(() => recording.troubles.some((one) => one.includes('which cluster it is')));
    const { watches } = cluster;
    cluster.hasKubeSystem = true;
    await until(() => recording.gaps.length === 1);
    await recording.stop();

    expect(watches).toBe(1);
    expect(recording.gaps[0]).toContain('another cluster');
    expect(recording.place.cluster?.uid).toBe('cluster-2');
  });

  it('leaves no timer and no listener when it is stopped, wherever it is', async () => {
    for (const isSettled of [true, false]) {
      const cluster = new GivenCluster();
      cluster.put('a', '1');
      const recording = await record(cluster);
      if (isSettled) await until(() => cluster.watches === 1);
      await recording.stop();
      expect([recording.clock.waiting, recording.listeners()]).toEqual([0, 0]);
    }
  });

  it('ends in good order with the first failure, and tells it', async () => {
    const cluster = new GivenCluster();
    const log = new MemoryEventLog();
    const recording = await record(cluster, log);
    await until(() => cluster.watches === 1);
    log.append = () => Promise.reject(new Error('the disk is full'));
    cluster.put('a', '1');
    await expect(recording.running).rejects.toThrow('the disk is full');
    expect([recording.clock.waiting, recording.listeners()]).toEqual([0, 0]);
  });
});
