import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { proposedEvent, proposedMarker } from '../../streams/event-log.contract.ts';
import { LogUnavailableError, type EventLog } from '../../streams/event-log.ts';
import type { ProposedEvent } from '../../streams/event.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { AppliedVersion } from '../applied-version.ts';
import type { Verdict } from '../arbiter.ts';
import { ManualClock } from '../given.fixture.ts';
import { MemoryObjectStore } from '../objects/memory-object-store.ts';
import type { ObjectStore } from '../objects/object-history.ts';
import { LmdbObjectStore } from '../objects/object-store.ts';
import { ObjectView } from '../objects/object-view.ts';
import { Projector } from '../projector.ts';
import { verifyStore } from '../verification.ts';
import { cutOnce, startRetention } from './retention.ts';
import type { Keep, RetentionSettings } from './retention-settings.ts';

const PODS = 'core/pods';
const LEASES = 'coordination.k8s.io/leases';
const EVENTS = 'core/events';
const RESOURCES = [PODS, LEASES, EVENTS];
const PATHS = ['ns/a', 'ns/b', 'ns/a-b', '/c'];
const EVER: Keep = { kind: 'ever' };
/** Between one event and the next. */
const STEP_MS = 400;
const EVERYTHING = { prefix: '', from: '' };

const folder = mkdtempSync(join(tmpdir(), 'everwatch-retention-'));
let made = 0;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function newPath(): string {
  made += 1;
  return join(folder, String(made));
}

/** A log, and what is folded from it. */
class Plane {
  readonly log: EventLog;
  readonly store: ObjectStore;
  readonly verdicts: Verdict[] = [];
  readonly #objects = new ObjectView();
  readonly #applied = new AppliedVersion(new ManualClock());
  readonly #projector: Projector;

  private constructor(log: EventLog, store: ObjectStore) {
    this.log = log;
    this.store = store;
    const parts = { log, store, objects: this.#objects, applied: this.#applied, views: [] };
    this.#projector = new Projector(parts);
    this.#projector.listen((_event, verdict) => this.verdicts.push(verdict));
  }

  static async open(log: EventLog, store: ObjectStore): Promise<Plane> {
    const plane = new Plane(log, store);
    await plane.#projector.start((error) => {
      throw error;
    });
    return plane;
  }

  versionOf(resource: string, path: string): ResourceVersion {
    return this.#objects.versionOf(resource, path);
  }

  async append(event: ProposedEvent): Promise<void> {
    const version = await this.log.append([event]);
    await new Promise((resolve) => {
      this.#applied.whenApplied(version, 1_000, resolve);
    });
  }

  async stop(): Promise<void> {
    await this.#projector.stop();
  }

  /** Everything that can be read of a resource as of a version. */
  stateAt(resource: string, version: number): unknown {
    const found = [...this.store.pathsAt(resource, EVERYTHING, resourceVersion(version))];
    return found.map((one) => [one.path, one.resourceVersion, this.jsonAt(one.resourceVersion)]);
  }

  changesAfter(resource: string, version: number): unknown {
    const changes = [...this.store.changesAfter(resource, resourceVersion(version))];
    return changes.map((one) => [one, this.jsonAt(one), this.replacedAt(one)]);
  }

  jsonAt(version: ResourceVersion): string {
    const event = this.log.at(version);
    return event === undefined ? 'gone' : Buffer.from(event.json).toString();
  }

  replacedAt(version: ResourceVersion): string {
    const previous = this.log.at(version)?.previousResourceVersion ?? 0;
    return previous === 0 ? '' : this.jsonAt(previous);
  }
}

type Step =
  | { readonly do: 'change'; readonly resource: number; readonly path: number; readonly kind: Kind }
  | { readonly do: 'marker' }
  | { readonly do: 'repeat'; readonly back: number }
  | {
      readonly do: 'cut';
      readonly all: number | undefined;
      readonly leases: number;
      readonly events: number;
      readonly steps: number;
      readonly keepFrom: number | undefined;
    }
  | { readonly do: 'reopen'; readonly forgets: boolean };

type Kind = 'write' | 'delete' | 'overtaken' | 'unmet';

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      resource: fc.nat({ max: RESOURCES.length - 1 }),
      path: fc.nat({ max: PATHS.length - 1 }),
      kind: fc.oneof(
        { weight: 5, arbitrary: fc.constant('write' as const) },
        { weight: 2, arbitrary: fc.constant('delete' as const) },
        { weight: 1, arbitrary: fc.constantFrom('overtaken' as const, 'unmet' as const) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'marker' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), back: fc.nat(30) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      all: fc.option(fc.nat(40), { nil: undefined }),
      leases: fc.nat(20),
      events: fc.nat(20),
      steps: fc.oneof(fc.constant(Infinity), fc.nat(3)),
      keepFrom: fc.option(fc.nat(60), { nil: undefined, freq: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reopen' as const), forgets: fc.boolean() }),
  },
);

/** @param isNew nothing is left of the store that was there. */
type OpenStore = (isNew: boolean) => ObjectStore;

/** The same events in a log that is cut and in one that is not. */
class Rig {
  readonly whole: Plane;
  #cut: Plane;
  readonly #path: string;
  readonly #openStore: OpenStore;
  readonly #proposed: ProposedEvent[] = [];
  #settings: RetentionSettings = { everything: EVER, resources: new Map() };

  private constructor(whole: Plane, cut: Plane, path: string, openStore: OpenStore) {
    this.whole = whole;
    this.#cut = cut;
    this.#path = path;
    this.#openStore = openStore;
  }

  static async make(openStore: OpenStore): Promise<Rig> {
    const whole = await Plane.open(new MemoryEventLog(), new MemoryObjectStore());
    const path = newPath();
    const cut = await Plane.open(new EmbeddedEventLog(path), openStore(true));
    return new Rig(whole, cut, path, openStore);
  }

  get cut(): Plane {
    return this.#cut;
  }

  get log(): EmbeddedEventLog {
    if (this.#cut.log instanceof EmbeddedEventLog) return this.#cut.log;
    throw new Error('it is an embedded log');
  }

  async perform(one: Step): Promise<void> {
    if (one.do === 'cut') await this.#cutNow(one);
    else if (one.do === 'reopen') await this.reopen(one.forgets);
    else await this.#append(this.#proposal(one));
  }

  #proposal(one: Exclude<Step, { do: 'cut' | 'reopen' }>): ProposedEvent {
    const sequence = this.#proposed.length + 1;
    const marker = { ...proposedMarker(sequence), time: sequence * STEP_MS };
    if (one.do === 'marker') return marker;
    const repeated = this.#proposed.at(-1 - (one.do === 'repeat' ? one.back : 0));
    if (one.do === 'repeat') return repeated ?? marker;
    const resource = RESOURCES[one.resource] ?? PODS;
    const path = PATHS[one.path] ?? 'ns/a';
    const now = this.whole.versionOf(resource, path);
    const previous = one.kind === 'overtaken' ? resourceVersion(now + 1_000) : now;
    const modified = one.kind === 'delete' ? ('deleted' as const) : ('modified' as const);
    const unmet = { resource: PODS, path: 'ns/never', resourceVersion: resourceVersion(7) };
    const met = { resource, path, resourceVersion: now };
    return proposedEvent(sequence, {
      resource,
      path,
      writer: `writer-${String(sequence % 3)}`,
      type: previous === 0 ? 'added' : modified,
      previousResourceVersion: previous,
      requires: [one.kind === 'unmet' ? unmet : met],
      json: Buffer.from(`{"n":${String(sequence)}}`),
      time: sequence * STEP_MS,
    });
  }

  async #append(event: ProposedEvent): Promise<void> {
    this.#proposed.push(event);
    await this.whole.append(event);
    await this.#cut.append(event);
    expect(this.#cut.verdicts.at(-1)).toBe(this.whole.verdicts.at(-1));
  }

  async #cutNow(one: Extract<Step, { do: 'cut' }>): Promise<void> {
    const events = (count: number): Keep => ({ kind: 'events', count });
    this.#settings = {
      everything: one.all === undefined ? EVER : events(one.all),
      resources: new Map([
        [LEASES, events(one.leases)],
        [EVENTS, events(one.events)],
      ]),
    };
    const { keepFrom } = one;
    await this.run(one.steps, keepFrom === undefined ? undefined : resourceVersion(keepFrom));
  }

  async run(steps = Infinity, keepFrom?: ResourceVersion): Promise<void> {
    let asked = 0;
    const parts = {
      log: this.log,
      store: this.#cut.store,
      clock: new ManualClock(),
      settings: this.#settings,
      keepFrom: () => keepFrom,
      failed: () => undefined,
    };
    await cutOnce(parts, () => (asked += 1) > steps);
  }

  /** @param forgets the store is gone, and is folded again from what is left of the log. */
  async reopen(forgets: boolean): Promise<void> {
    await this.#cut.stop();
    await this.log.close();
    this.#cut = await Plane.open(new EmbeddedEventLog(this.#path), this.#openStore(forgets));
  }

  async stop(): Promise<void> {
    await this.whole.stop();
    await this.#cut.stop();
    await this.log.close();
  }
}

async function expectSame({ whole, cut }: Rig): Promise<void> {
  await cut.store.settled();
  const newest = await whole.log.newest(0);
  expect(await cut.log.newest(0)).toBe(newest);
  expect(cut.store.appliedVersion).toBe(newest);
  expect([...cut.store.writers()].sort()).toEqual([...whole.store.writers()].sort());
  expect([...cut.store.current()]).toEqual([...whole.store.current()]);
  for (const resource of RESOURCES) {
    const since = cut.store.readableSince(resource);
    for (let version: number = since; version <= newest; version += 1) {
      expect(cut.stateAt(resource, version)).toEqual(whole.stateAt(resource, version));
      expect(cut.changesAfter(resource, version)).toEqual(whole.changesAfter(resource, version));
    }
    for (const path of PATHS) expectSameLife(resource, path, { whole, cut });
  }
  expectSameMoments({ whole, cut }, newest);
  const { differences } = await verifyStore(cut.log, cut.store);
  expect(differences).toEqual([]);
}

function expectSameLife(
  resource: string,
  path: string,
  { whole, cut }: Pick<Rig, 'whole' | 'cut'>,
): void {
  const since = cut.store.readableSince(resource);
  const standing = whole.store.versionAt(resource, path, since);
  const life = [...whole.store.versionsOf(resource, path)].filter(
    (one) => one.resourceVersion > since || one.resourceVersion === standing,
  );
  expect([...cut.store.versionsOf(resource, path)]).toEqual(life);
}

/** A time may be another version, but whatever can be read is the same there. */
function expectSameMoments({ whole, cut }: Pick<Rig, 'whole' | 'cut'>, newest: number): void {
  for (let time = -STEP_MS; time <= (newest + 1) * STEP_MS; time += STEP_MS / 2) {
    const wanted = whole.store.versionAtTime(time, whole.log) ?? 0;
    const found = cut.store.versionAtTime(time, cut.log);
    for (const resource of RESOURCES) {
      const since = cut.store.readableSince(resource);
      if (found === undefined || found < since) expect(wanted).toBeLessThan(since);
      else expect(cut.stateAt(resource, found)).toEqual(whole.stateAt(resource, wanted));
    }
  }
}

describe('the law of retention: what can be read is what an uncut log gives', () => {
  it.each([
    ['with a store that lasts', true],
    ['with a store that is folded anew at every start', false],
  ])(
    '%s',
    async (_name, lasts) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
          const path = newPath();
          const rig = await Rig.make((isNew) => {
            if (isNew) rmSync(path, { recursive: true, force: true });
            return lasts ? new LmdbObjectStore(path, new ManualClock()) : new MemoryObjectStore();
          });
          for (const one of steps) await rig.perform(one);
          await expectSame(rig);
          await rig.run();
          await expectSame(rig);
          await rig.reopen(false);
          await rig.run();
          await expectSame(rig);
          await rig.stop();
        }),
        { numRuns: 20 },
      );
    },
    240_000,
  );
});

describe('the loop', () => {
  async function givenLoop(count: number) {
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
