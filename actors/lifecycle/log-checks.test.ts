import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { LogUnavailableError, type EventLog } from '../../streams/event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { testFaults } from '../request/given.fixture.ts';
import { Committer } from '../registry/commit/committer.ts';
import { HealthChecks, type HealthEndpoint } from './health-checks.ts';
import { addLogChecks } from './log-checks.ts';

const FULL = new LogUnavailableError('the disk is full');

/** A committer on a log that does what the test says, and how far the log is applied. */
function given({ end = 0 } = {}) {
  const clock = new ManualClock();
  const log = { failure: undefined as Error | undefined, appends: 0 };
  const append: EventLog['append'] = (events) => {
    log.appends += 1;
    if (log.failure !== undefined) return Promise.reject(log.failure);
    return Promise.resolve(resourceVersion(events.length));
  };
  const random = { integer: () => 0, uuid: () => 'this-process' };
  const committer = new Committer({ log: { append }, clock, random, faults: testFaults() });
  const world = { end, applied: 0, unreachable: undefined as string | undefined };
  const checks = new HealthChecks(clock);
  addLogChecks(checks, {
    committer,
    clock,
    applied: {
      get current() {
        return resourceVersion(world.applied);
      },
    },
    unreachable: () => world.unreachable,
    end: () => world.end,
  });
  const failing = (endpoint: HealthEndpoint): string[] =>
    checks
      .report(endpoint, [])
      .results.filter(({ problem }) => problem !== undefined)
      .map(({ name }) => name);
  return { clock, log, committer, world, checks, failing };
}

/** Lets everything run that waits for nothing but its turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function write({ committer }: ReturnType<typeof given>): Promise<void> {
  void committer.reach();
  await turn();
}

describe('the checks of the log', () => {
  it('stand where kube-apiserver has them', () => {
    const { checks } = given();
    const names = (['healthz', 'livez', 'readyz'] as const).map((endpoint) =>
      checks.report(endpoint, []).results.map(({ name }) => name),
    );
    expect(names).toEqual([
      ['ping', 'etcd'],
      ['ping', 'etcd'],
      ['ping', 'etcd', 'etcd-readiness', 'informer-sync'],
    ]);
    expect(checks.checkOne('livez', 'informer-sync')).toBeUndefined();
  });

  it('fail while the log cannot be reached, but for livez', () => {
    const scene = given();
    scene.world.unreachable = 'no broker answers';
    expect(scene.failing('readyz')).toEqual(['etcd', 'etcd-readiness']);
    expect(scene.failing('healthz')).toEqual(['etcd']);
    expect(scene.failing('livez')).toEqual([]);
    expect(scene.checks.checkOne('healthz', 'etcd')?.problem).toBe('no broker answers');
  });

  it('fail healthz from a failed append on, until one succeeds that the check itself tries', async () => {
    const scene = given();
    await write(scene);
    expect(scene.failing('healthz')).toEqual([]);
    scene.log.failure = FULL;
    await write(scene);
    expect(scene.failing('healthz')).toEqual(['etcd']);
    expect(scene.checks.checkOne('healthz', 'etcd')?.problem).toBe('the disk is full');
    // Reads and watches go on.
    expect(scene.failing('livez')).toEqual([]);
    expect(scene.failing('readyz')).toEqual([]);
    scene.clock.advance(60_000); // The client that wrote has long been answered.
    await turn();
    scene.log.failure = undefined;
    scene.failing('healthz');
    await turn();
    expect(scene.failing('healthz')).toEqual([]);
  });

  it('try again at once where the clock was set back meanwhile', async () => {
    const scene = given();
    scene.log.failure = FULL;
    await write(scene);
    for (let tries = 0; tries < 2; tries += 1) {
      scene.clock.advance(60_000);
      await turn();
      expect(scene.failing('healthz')).toEqual(['etcd']);
    }
    scene.clock.advance(60_000);
    await turn();
    scene.clock.advance(-3_600_000);
    scene.log.failure = undefined;
    scene.failing('healthz');
    await turn();
    expect(scene.failing('healthz')).toEqual([]);
  });

  it('append nothing while the log takes what is written', async () => {
    const scene = given();
    await write(scene);
    const { appends } = scene.log;
    for (let asked = 0; asked < 5; asked += 1) {
      scene.clock.advance(10_000);
      scene.failing('healthz');
      await turn();
    }
    expect(scene.log.appends).toBe(appends);
  });

  it('fail all where only a restart makes the log take events again', async () => {
    const scene = given();
    scene.log.failure = new LogUnavailableError('unknown what was written', { needsRestart: true });
    await write(scene);
    expect(scene.failing('livez')).toEqual(['etcd']);
    expect(scene.failing('healthz')).toEqual(['etcd']);
    expect(scene.failing('readyz')).toEqual(['etcd', 'etcd-readiness']);
  });

  it('say that the views are behind when the same record waits for seconds', () => {
    const scene = given({ end: 10 });
    scene.world.applied = 7;
    expect(scene.failing('readyz')).toEqual([]);
    scene.clock.advance(4_999);
    expect(scene.failing('readyz')).toEqual([]);
    scene.clock.advance(1);
    expect(scene.failing('readyz')).toEqual(['informer-sync']);
    expect(scene.checks.checkOne('readyz', 'informer-sync')?.problem).toBe(
      '3 records of the log are not applied',
    );
    scene.world.applied = 10;
    expect(scene.failing('readyz')).toEqual([]);
  });

  it('leave views alone that are always some records behind a busy log', () => {
    const scene = given();
    for (let second = 0; second < 60; second += 1) {
      scene.world.end += 1_000;
      scene.world.applied = scene.world.end - 500;
      expect(scene.failing('readyz')).toEqual([]);
      scene.clock.advance(1_000);
    }
  });

  it('know of what this server has appended itself', async () => {
    const scene = given();
    await write(scene);
    scene.failing('readyz');
    scene.clock.advance(5_000);
    expect(scene.failing('readyz')).toEqual(['informer-sync']);
  });
});
