import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommittedEvent, LoggedEvent, ProposedEvent } from '../../streams/event.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { Arbiter } from '../fold/arbiter.ts';
import { VersionTable } from '../fold/live-versions.ts';
import { givenEvent, givenViews } from '../given.fixture.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import { comparePaths } from '../store/store-key.ts';
import { storedObject } from '../objects/stored-object.ts';
import { verifyStore } from '../verification.ts';
import { IndexedLogSource } from './indexed-log-source.ts';
import { formatJudgedLine, JudgedLineError, parseJudgedLine } from './judged-line.ts';
import type { JudgedEvent, LogQuery } from './log-source.ts';
import { foldedStore, hashOfState } from './folded-log.ts';

const never = new AbortController().signal;
const v = resourceVersion;

/** Writers that see old states, send twice, and ask for "now". */
const step = fc.record({
  kind: fc.constantFrom('write', 'write', 'write', 'delete', 'copy', 'marker', 'stale'),
  resource: fc.constantFrom('core/configmaps', 'core/pods', 'apps/deployments'),
  path: fc.constantFrom('ns/a', 'ns/b', 'other/a', '/x'),
  writer: fc.constantFrom('one', 'two'),
  pick: fc.nat({ max: 50 }),
  late: fc.nat({ max: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Told {
  readonly log: MemoryEventLog;
  readonly judged: readonly JudgedEvent[];
  /** What exists after each version. */
  readonly states: readonly ReadonlyMap<string, LoggedEvent>[];
}

/** A log, and what a fold from its beginning makes of it. */
async function told(steps: readonly Step[]): Promise<Told> {
  const log = new MemoryEventLog();
  const current = new Map<string, LoggedEvent>();
  const versions = new VersionTable();
  const arbiter = new Arbiter(new Map(), versions);
  const judged: JudgedEvent[] = [];
  const states = [new Map<string, LoggedEvent>()];
  const proposed: ProposedEvent[] = [];
  for (const [index, one] of steps.entries()) {
    const event = proposedBy(one, { index, current, proposed });
    proposed.push(event);
    const version = await log.append([event]);
    const logged = { ...event, resourceVersion: version };
    const verdict = arbiter.judge(logged);
    const key = `${event.resource} ${event.path}`;
    if (verdict === 'effective') versions.note(logged);
    if (verdict === 'effective' && event.type === 'deleted') current.delete(key);
    else if (verdict === 'effective') current.set(key, logged);
    judged.push({ event: log.at(version) ?? logged, verdict });
    states.push(new Map(current));
  }
  return { log, judged, states };
}

function proposedBy(
  { kind, resource, path, writer, pick, late }: Step,
  so: {
    index: number;
    current: ReadonlyMap<string, LoggedEvent>;
    proposed: readonly ProposedEvent[];
  },
): ProposedEvent {
  const copied = so.proposed[pick % Math.max(so.proposed.length, 1)];
  if (kind === 'copy' && copied !== undefined) return copied;
  // Clocks of writers are late now and then.
  const base = { writer, sequence: so.index, time: 1_000 * (so.index - late) };
  const { time } = base;
  if (kind === 'marker') {
    const nothing = { type: 'marker', resource: '', path: '', json: Buffer.alloc(0) } as const;
    const unsaid = { uid: '', user: '', verb: '', auditID: '', fieldManager: '' };
    return { ...givenEvent(base), ...nothing, ...unsaid, time };
  }
  const found = so.current.get(`${resource} ${path}`);
  const previous = kind === 'stale' ? pick : (found?.resourceVersion ?? 0);
  const type = kind === 'delete' && previous > 0 ? { type: 'deleted' as const } : {};
  const given = { ...base, ...type, resource, path, previous, data: String(so.index) };
  return { ...givenEvent(given), time };
}

/** A store that has folded so many of the events. */
function storeOf({ judged }: Told, upTo: number): MemoryObjectStore {
  const store = new MemoryObjectStore();
  const writers = new Map<string, number>();
  for (const { event, verdict } of judged.slice(0, upTo)) {
    writers.set(event.writer, Math.max(writers.get(event.writer) ?? -1, event.sequence));
    const { resource, path, type, resourceVersion: applied } = event;
    const effective: CommittedEvent[] =
      verdict === 'effective' && type !== 'marker'
        ? [
            {
              resource,
              path,
              type,
              resourceVersion: applied,
              object: storedObject(event),
              previous: undefined,
            },
          ]
        : [];
    store.record(effective, { applied, writers, time: event.time });
  }
  return store;
}

function sourceOf(one: Told, upTo: number): IndexedLogSource {
  const store = storeOf(one, upTo);
  const close = (): Promise<void> => Promise.resolve();
  return new IndexedLogSource({ name: 'a log', log: one.log, store, grows: true, close });
}

async function all<T>(slices: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const slice of slices) {
    expect(slice.length).toBeGreaterThan(0);
    found.push(...slice);
  }
  return found;
}

const history = fc.array(step, { minLength: 1, maxLength: 40 });
const longHistory = fc.array(step, { minLength: 25, maxLength: 40 });
const where = fc.record({
  from: fc.nat({ max: 45 }),
  to: fc.option(fc.nat({ max: 45 }), { nil: undefined }),
  resource: fc.option(fc.constantFrom('core/configmaps', 'core/pods', 'none/none'), {
    nil: undefined,
  }),
  path: fc.option(fc.constantFrom('ns/a', '/x'), { nil: undefined }),
  effectiveOnly: fc.boolean(),
});

function queryOf(given: typeof where extends fc.Arbitrary<infer T> ? T : never): LogQuery {
  const { from, to, resource, path, effectiveOnly } = given;
  return {
    from: v(from),
    ...(to === undefined ? {} : { to: v(to) }),
    ...(resource === undefined ? {} : { resource }),
    ...(path === undefined || resource === undefined ? {} : { path }),
    effectiveOnly,
  };
}

describe('a log with its index', () => {
  it('tells the same events and verdicts however far the index has come', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.nat({ max: 40 }), where, async (steps, upTo, given) => {
        const one = await told(steps);
        const query = queryOf(given);
        const expected = one.judged.filter(({ event, verdict }) => {
          if (event.resourceVersion < query.from) return false;
          if (event.resourceVersion > (query.to ?? Infinity)) return false;
          if (query.resource !== undefined && event.resource !== query.resource) return false;
          if (query.path !== undefined && event.path !== query.path) return false;
          return query.effectiveOnly !== true || verdict === 'effective';
        });
        expect(await all(sourceOf(one, upTo).events(query, never))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('tells the same states and times however far the index has come', async () => {
    const numbers = fc.nat({ max: 45 });
    await fc.assert(
      fc.asyncProperty(history, numbers, numbers, numbers, async (steps, upTo, version, time) => {
        const one = await told(steps);
        const source = sourceOf(one, upTo);
        const state = one.states[Math.min(version, steps.length)] ?? new Map<string, LoggedEvent>();
        const inOrder = [...state.values()].sort(
          (a, b) => comparePaths(a.resource, b.resource) || comparePaths(a.path, b.path),
        );
        const found = await all(source.stateAt(v(version), never));
        expect(found.map(recordKeyOf)).toEqual(inOrder.map(recordKeyOf));
        const later = one.judged.find(({ event }) => event.time > time * 1_000);
        const moment = later === undefined ? steps.length : later.event.resourceVersion - 1;
        expect(await source.versionAtTime(time * 1_000)).toBe(moment);
      }),
      { numRuns: 300 },
    );
  });

  it('is folded anew where the index is that of a longer log', async () => {
    const steps = fc.sample(history, { numRuns: 1, seed: 7 })[0] ?? [];
    const longer = await told([...steps, ...steps, ...steps]);
    const one = await told(steps);
    const store = storeOf(longer, steps.length * 3);
    const close = (): Promise<void> => Promise.resolve();
    const source = new IndexedLogSource({ name: '', log: one.log, store, grows: false, close });
    expect(await all(source.events({ from: v(0) }, never))).toEqual(one.judged);
  });

  it('is folded anew where it was put back from a backup and has gone on otherwise', async () => {
    const write = { resource: 'core/pods', writer: 'one', pick: 0, late: 0 } as const;
    const steps = (...kinds: (readonly [Step['kind'], Step['path']])[]): Step[] =>
      kinds.map(([kind, path]) => ({ ...write, kind, path }));
    const same = [['write', 'ns/a']] as const;
    const lost = await told(
      steps(...same, ['stale', 'ns/a'], ['write', 'ns/b'], ['write', 'ns/a'], ['delete', 'ns/a']),
    );
    const one = await told(steps(...same, ['write', 'ns/a'], ['stale', 'ns/a']));
    const store = storeOf(lost, 5);
    const close = (): Promise<void> => Promise.resolve();
    const source = new IndexedLogSource({ name: '', log: one.log, store, grows: false, close });
    expect(await all(source.events({ from: v(0) }, never))).toEqual(one.judged);
    const state = await all(source.stateAt(v(9), never));
    expect(state.map(recordKeyOf)).toEqual(['core/pods ns/a 2']);
  });

  it('gives followers what comes, until they have enough', async () => {
    const given = await givenViews();
    await given.append({}, { previous: 1 });
    const close = (): Promise<void> => Promise.resolve();
    const source = new IndexedLogSource({ ...given, name: '', grows: true, close });
    const enough = new AbortController();
    const seen: [ResourceVersion, string][] = [];
    const query = { from: v(2), follow: true, resource: 'core/configmaps', effectiveOnly: true };
    for await (const batch of source.events(query, enough.signal)) {
      for (const { event, verdict } of batch) seen.push([event.resourceVersion, verdict]);
      if (seen.length === 1) await given.append({ path: 'ns/a' }, { path: 'ns/b' });
      if (seen.length === 2) enough.abort();
    }
    expect(seen).toEqual([
      [2, 'effective'],
      [4, 'effective'],
    ]);
    await given.stop();
  });

  it('judges the same when a follower forgets what the index knows', async () => {
    await fc.assert(
      fc.asyncProperty(longHistory, fc.nat({ max: 2 }), async (steps, rememberedMax) => {
        const one = await told(steps);
        const given = await givenViews();
        await given.append({ resource: 'other/one', path: '/first', writer: 'first' });
        const close = (): Promise<void> => Promise.resolve();
        const parts = { ...given, name: '', grows: true, close, rememberedMax };
        const source = new IndexedLogSource(parts);
        const enough = new AbortController();
        const seen: string[] = [];
        const reading = (async () => {
          for await (const batch of source.events({ from: v(1), follow: true }, enough.signal)) {
            seen.push(...batch.map(({ verdict }) => verdict));
            if (seen.length > steps.length) enough.abort();
            // A slow reader: meanwhile the index goes on.
            for (let turn = 0; turn < 6; turn += 1) await new Promise((next) => setImmediate(next));
          }
        })();
        for (const { event } of one.judged) {
          const { previousResourceVersion: previous } = event;
          const shifted = previous === 0 ? previous : v(previous + 1);
          await given.log.append([{ ...event, previousResourceVersion: shifted }]);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await reading;
        expect(seen.slice(1)).toEqual(one.judged.map(({ verdict }) => verdict));
        await given.stop();
      }),
      { numRuns: 60 },
    );
  });

  it('ends at the end of a log that does not grow', async () => {
    const one = await told([]);
    const store = storeOf(one, 0);
    const close = (): Promise<void> => Promise.resolve();
    const source = new IndexedLogSource({ name: '', log: one.log, store, grows: false, close });
    expect(await all(source.events({ from: v(0), follow: true }, never))).toEqual([]);
    expect(await source.bounds()).toMatchObject({ oldest: 1, newest: 0 });
  });
});

function recordKeyOf({ resource, path, resourceVersion: version }: LoggedEvent): string {
  return `${resource} ${path} ${String(version)}`;
}

describe('a line of the log', () => {
  it('is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        for (const judged of (await told(steps)).judged) {
          const line = formatJudgedLine(judged);
          expect(line.indexOf('\n')).toBe(line.length - 1);
          expect(parseJudgedLine(line.subarray(0, -1))).toEqual(judged);
          expect(JSON.parse(line.toString())).toMatchObject({ verdict: judged.verdict });
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is one line even where the object is not', () => {
    const event = { ...givenEvent(), resourceVersion: v(1), json: Buffer.from('{\n"a": "\\n"\n}') };
    const line = formatJudgedLine({ event, verdict: 'effective' }).subarray(0, -1);
    expect(line.includes('\n')).toBe(false);
    expect(Buffer.from(parseJudgedLine(line).event.json).toString()).toBe('{"a":"\\n"}');
  });

  it.each(['', 'x', '[]', '{}', '{"verdict":"effective"}', '{"verdict":"marker","type":"marker"}'])(
    'is refused where it is none: %s',
    (text) => {
      expect(() => parseJudgedLine(Buffer.from(text))).toThrow(JudgedLineError);
    },
  );
});

describe('a fold without a store', () => {
  it('is the same as that of the verification', async () => {
    const given = await givenViews();
    await given.append({}, { previous: 1 }, { previous: 1, writer: 'late' }, { path: 'ns/b' });
    await given.append({ path: 'ns/b', previous: 4, type: 'deleted' }, { resource: 'a/b' });
    const store = await foldedStore(given.log, v(6), never);
    const verified = await verifyStore(given.log, store);
    expect(verified.differences).toEqual([]);
    const close = (): Promise<void> => Promise.resolve();
    const source = new IndexedLogSource({ name: '', log: given.log, store, grows: false, close });
    expect(await hashOfState(source.stateAt(v(6), never))).toEqual({
      hash: verified.hash,
      objects: verified.objects,
    });
    await given.stop();
  });
});
