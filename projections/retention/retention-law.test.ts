/** The law of retention: what can be read of a log that was cut is what an uncut one gives. */
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { proposedEvent, proposedMarker } from '../../streams/proposed-event.fixture.ts';
import type { ProposedEvent } from '../../streams/event.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import type { ObjectStore } from '../store/object-history.ts';
import { LmdbObjectStore } from '../store/object-store.ts';
import { verifyStore } from '../verification.ts';
import { cutOnce, type Keep, type RetentionSettings } from './retention.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { EVER, LEASES, Plane, PODS } from './given-retention.fixture.ts';

const EVENTS = 'core/events';
const RESOURCES = [PODS, LEASES, EVENTS];
const PATHS = ['ns/a', 'ns/b', 'ns/a-b', '/c'];
/** Between one event and the next. */
const STEP_MS = 400;

const newPath = newPaths('everwatch-retention-');

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
      readonly stepRecords: number;
      readonly keepFrom: number | undefined;
    }
  | { readonly do: 'reopen'; readonly forgets: boolean };

type CutHow = Pick<Extract<Step, { do: 'cut' }>, 'steps' | 'stepRecords' | 'keepFrom'>;
const ALL_AT_ONCE: CutHow = { steps: Infinity, stepRecords: 1_000, keepFrom: undefined };

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
      steps: fc.oneof(fc.constant(Infinity), fc.nat(12)),
      stepRecords: fc.integer({ min: 1, max: 3 }),
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
    // About how many records there are, so that it holds as often as not.
    const since = resourceVersion(Math.max(0, this.#proposed.length - (sequence % 7)));
    const quiet = { resource: PODS, path: 'ns/', resourceVersion: since };
    return proposedEvent(sequence, {
      resource,
      path,
      writer: `writer-${String(sequence % 3)}`,
      type: previous === 0 ? 'added' : modified,
      previousResourceVersion: previous,
      requires: [one.kind === 'unmet' ? unmet : met, ...(sequence % 2 === 0 ? [quiet] : [])],
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
    await this.run(one);
  }

  async run({ steps, stepRecords, keepFrom }: CutHow = ALL_AT_ONCE): Promise<void> {
    let asked = 0;
    const parts = {
      log: this.log,
      store: this.#cut.store,
      clock: new ManualClock(),
      settings: this.#settings,
      keepFrom: () => (keepFrom === undefined ? undefined : resourceVersion(keepFrom)),
      stepRecords,
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
