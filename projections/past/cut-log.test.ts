/** What the index, the fold and the judge make of a log whose beginning was cut away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { NO_CUT, type LogCuts } from '../../streams/log-cuts.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { Verdict } from '../fold/arbiter.ts';
import { givenEvent } from '../given.fixture.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import type { ObjectStore } from '../store/object-history.ts';
import { foldedStore } from './folded-log.ts';
import { IndexedLogSource } from './indexed-log-source.ts';
import { NotRetainedError } from './log-source.ts';

const v = resourceVersion;
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'everwatch-cut-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
let made = 0;

const step = fc.record({
  resource: fc.constantFrom('core/pods', 'core/events'),
  path: fc.constantFrom('ns/a', 'ns/b'),
  kind: fc.constantFrom('write', 'write', 'delete', 'stale'),
  writer: fc.constantFrom('one', 'two'),
});
type Steps = readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[];

interface Told {
  readonly version: number;
  readonly verdict: Verdict;
  readonly resource: string;
  readonly path: string;
  readonly sequence: number;
  readonly writer: string;
}

/** Writes the log, and cuts it: everything at one version, events at a later one. */
async function cutLog(steps: Steps, everything: number, events: number) {
  made += 1;
  const log = new EmbeddedEventLog(join(folder, String(made)));
  const current = new Map<string, number>();
  const told: Told[] = [];
  const states = [new Map<string, number>()];
  for (const [index, { resource, path, kind, writer }] of steps.entries()) {
    const key = `${resource} ${path}`;
    const found = current.get(key) ?? 0;
    const previous = kind === 'stale' ? found + 1 : found;
    const type = kind === 'delete' && previous > 0 ? { type: 'deleted' as const } : {};
    const time = index * 1_000;
    const given = { ...type, resource, path, previous, writer, sequence: index };
    const version = await log.append([{ ...givenEvent(given), time }]);
    const verdict = previous === found ? 'effective' : 'overtaken';
    if (verdict === 'effective' && 'type' in type) current.delete(key);
    else if (verdict === 'effective') current.set(key, version);
    told.push({ version, verdict, resource, path, sequence: index, writer });
    states.push(new Map(current));
  }
  const whole = await foldedStore(log, v(steps.length), never);
  const settled = Math.min(Math.max(everything, events), steps.length - 1);
  const cutAt = (resource: string): number =>
    Math.min(resource === 'core/events' ? settled : everything, settled);
  const gone = told.filter(({ version, verdict, resource, path }) => {
    if (version > settled) return false;
    if (verdict !== 'effective') return true;
    const cut = cutAt(resource);
    return version <= cut && states[cut]?.get(`${resource} ${path}`) !== version;
  });
  const cutOf = (version: number) => ({ version: v(version), time: (version - 1) * 1_000 });
  const cuts: LogCuts = {
    settled: v(settled),
    writers: new Map(
      told.filter(({ version }) => version <= settled).map((one) => [one.writer, one.sequence]),
    ),
    everything: cutAt('core/pods') === 0 ? NO_CUT : cutOf(cutAt('core/pods')),
    resources: settled === 0 ? new Map() : new Map([['core/events', cutOf(settled)]]),
  };
  if (settled > 0) await log.trim({ cuts, gone: gone.map(({ version }) => v(version)) });
  const left = told.filter((one) => !gone.includes(one));
  return { log, whole, cuts, cutAt, left, states };
}

type CutLog = Awaited<ReturnType<typeof cutLog>>;

/** The index of a server that cut its own log, of one that is new, and of one that has folded what is left. */
async function storesOf({ log, whole, cuts, states }: CutLog): Promise<[string, ObjectStore][]> {
  whole.adoptCuts(cuts);
  await whole.tidy(cuts);
  const empty = new MemoryObjectStore();
  empty.adoptCuts(cuts);
  return [
    ['its own', whole],
    ['none', empty],
    ['folded anew', await foldedStore(log, v(states.length - 1), never)],
  ];
}

async function all<T>(slices: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const slice of slices) found.push(...slice);
  return found;
}

describe('a log that was cut', () => {
  it('is read the same with every index', async () => {
    const steps = fc.array(step, { minLength: 3, maxLength: 25 });
    const number = fc.nat({ max: 25 });
    await fc.assert(
      fc.asyncProperty(steps, number, number, number, async (history, everything, events, from) => {
        const cut = await cutLog(history, Math.min(everything, history.length - 1), events);
        for (const [name, store] of await storesOf(cut)) {
          const close = (): Promise<void> => Promise.resolve();
          const source = new IndexedLogSource({ name, log: cut.log, store, grows: false, close });
          await readsWhatIsLeft(source, cut, from);
          await readsStates(source, cut);
          await findsTimes(source, cut);
        }
        await cut.log.close();
      }),
      { numRuns: 60 },
    );
  });
});

async function readsWhatIsLeft(source: IndexedLogSource, { left }: CutLog, from: number) {
  const wanted = left.filter(({ version }) => version >= from);
  const found = await all(source.events({ from: v(from) }, never));
  const shown = found.map(({ event, verdict }) => [event.resourceVersion, verdict]);
  expect([source.name, shown]).toEqual([
    source.name,
    wanted.map(({ version, verdict }) => [version, verdict]),
  ]);
  for (const narrowed of [{ resource: 'core/events' }, { resource: 'core/pods', path: 'ns/a' }]) {
    const query = { from: v(from), effectiveOnly: true, ...narrowed };
    const some = await all(source.events(query, never));
    const expected = wanted.filter(
      ({ verdict, resource, path }) =>
        verdict === 'effective' &&
        resource === narrowed.resource &&
        (!('path' in narrowed) || path === narrowed.path),
    );
    expect([source.name, some.map(({ event }) => event.resourceVersion)]).toEqual([
      source.name,
      expected.map(({ version }) => version),
    ]);
  }
}

async function readsStates(source: IndexedLogSource, { states, cutAt }: CutLog): Promise<void> {
  for (const [version, state] of states.entries()) {
    const readable = [...state].filter(([key]) => version >= cutAt(key.split(' ')[0] ?? ''));
    const found = await all(source.stateAt(v(version), never));
    const versions = found.map(({ resourceVersion: one }) => Number(one)).sort((a, b) => a - b);
    expect([source.name, version, versions]).toEqual([
      source.name,
      version,
      readable.map(([, one]) => one).sort((a, b) => a - b),
    ]);
  }
}

/** Every time behind the last cut; one before the first is refused. */
async function findsTimes(source: IndexedLogSource, { states, cuts }: CutLog): Promise<void> {
  for (let version: number = cuts.settled + 1; version < states.length; version += 1) {
    expect(await source.versionAtTime((version - 1) * 1_000)).toBe(version);
  }
  const { everything } = cuts;
  if (everything.version > 0) {
    await expect(source.versionAtTime(everything.time - 1)).rejects.toThrow(NotRetainedError);
  }
}
