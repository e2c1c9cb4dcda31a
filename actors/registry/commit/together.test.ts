import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Arbiter, type Verdict } from '../../../projections/fold/arbiter.ts';
import { VersionTable } from '../../../projections/fold/live-versions.ts';
import { byIndex, byTable, byViews } from '../../../projections/judges.fixture.ts';
import type { LoggedEvent, ProposedEvent } from '../../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { changesOf, proposedEvent, together, type Change, type Companion } from './change.ts';

const SERVICES = ['a/x', 'a/y', 'b/x'] as const;
const CLAIMS = ['/1', '/2', '/3', '/4'] as const;
const WRITERS = ['one', 'two', 'three'] as const;

const step = fc.record({
  writer: fc.constantFrom(...WRITERS),
  service: fc.constantFrom<string>(...SERVICES),
  /** None: the service is deleted. */
  claims: fc.option(fc.subarray<string>([...CLAIMS], { minLength: 1, maxLength: 3 }), { freq: 4 }),
  /** How many batches ago the writer looked. */
  ago: fc.nat({ max: 3 }),
  /** How many batches ago the one was appended that comes once more. */
  copy: fc.option(fc.nat({ max: 4 }), { freq: 4 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The fold at some moment: what each service holds, and the versions of it all. */
interface Moment {
  readonly versions: ReadonlyMap<string, ResourceVersion>;
  readonly held: ReadonlyMap<string, readonly string[]>;
}

const NONE = resourceVersion(0);
const ORIGIN = { user: '', verb: '', auditID: '', fieldManager: '', deadline: 0 };

function changeOf(kind: string, path: string, { versions }: Moment, isKept: boolean): Companion {
  const resource = `core/${kind}`;
  const previousResourceVersion = versions.get(`${resource} ${path}`) ?? NONE;
  const name = path.slice(path.indexOf('/') + 1);
  const json = Buffer.from(JSON.stringify({ metadata: { name, uid: path } }));
  const type = !isKept ? 'deleted' : previousResourceVersion === 0 ? 'added' : 'modified';
  const common = { resource, path, previousResourceVersion, requires: [], labels: {}, uid: path };
  return { ...common, type, json };
}

/** What a writer wants that sees this; undefined: nothing. */
function wanted({ service, claims }: Step, seen: Moment): Change | undefined {
  const before = seen.held.get(service) ?? [];
  const taken = (claims ?? []).filter((one) => !before.includes(one));
  const isFree = taken.every((one) => !seen.versions.has(`core/claims ${one}`));
  if (!isFree || (claims === null && !seen.held.has(service))) return undefined;
  const released = before.filter((one) => !(claims ?? []).includes(one));
  const first = { ...changeOf('services', service, seen, claims !== null), origin: ORIGIN };
  return together(first, [
    ...taken.map((one) => changeOf('claims', one, seen, true)),
    ...released.map((one) => changeOf('claims', one, seen, false)),
  ]);
}

interface Batch {
  readonly events: readonly ProposedEvent[];
  readonly claims: readonly string[] | undefined;
}

/** A log of batches, and what a server comes to that judges it. */
function historyOf(steps: readonly Step[]) {
  const events: LoggedEvent[] = [];
  const batches: Batch[] = [];
  const moments: Moment[] = [{ versions: new Map(), held: new Map() }];
  let sequence = 0;
  for (const one of steps) {
    const again = one.copy === null ? undefined : batches.at(-1 - one.copy);
    const seen = moments.at(-1 - one.ago) ?? { versions: new Map(), held: new Map() };
    const change = wanted(one, seen);
    const fresh = change === undefined ? [] : changesOf(change);
    const batch = again ?? {
      claims: one.claims ?? undefined,
      events: fresh.map((each) => {
        sequence += 1;
        return proposedEvent(each, { writer: one.writer, sequence, time: 0 });
      }),
    };
    if (again === undefined) batches.push(batch);
    const logged = batch.events.map((event, index) => {
      return { ...event, resourceVersion: resourceVersion(events.length + index + 1) };
    });
    events.push(...logged);
    moments.push(
      after(moments.at(-1) ?? seen, logged, batch, byTable(events).slice(-logged.length)),
    );
  }
  return { events, batches, moments };
}

function after(
  { versions, held }: Moment,
  logged: readonly LoggedEvent[],
  batch: Batch,
  verdicts: readonly Verdict[],
): Moment {
  const [first] = logged;
  const next = { versions: new Map(versions), held: new Map(held) };
  if (first === undefined || verdicts[0] !== 'effective') return next;
  if (first.type === 'deleted') next.held.delete(first.path);
  else next.held.set(first.path, batch.claims ?? []);
  for (const { type, resource, path, resourceVersion: version } of logged) {
    if (type === 'deleted') next.versions.delete(`${resource} ${path}`);
    else next.versions.set(`${resource} ${path}`, version);
  }
  return next;
}

/** Each copy of a batch that stands in the log, and its verdicts. */
function verdictsOfBatches(events: readonly LoggedEvent[], verdicts: readonly Verdict[]) {
  const found: Verdict[][] = [];
  for (const [index, { requires }] of events.entries()) {
    const back = requires.find(({ resourceVersion: version }) => version < 0);
    const isAfterDeleted = requires.some(
      (one) => one.resource === 'core/services' && one.resourceVersion === 0,
    );
    const verdict = verdicts[index] ?? 'overtaken';
    const isFirst = events[index]?.resource === 'core/services';
    if (isFirst || (back === undefined && !isAfterDeleted)) found.push([verdict]);
    else found.at(-1)?.push(verdict);
  }
  return found;
}

/** The verdicts behind a cut, in front of which there is only the state. */
function behindCut(
  events: readonly LoggedEvent[],
  verdicts: readonly Verdict[],
  settled: ResourceVersion,
): Verdict[] {
  const state = new VersionTable();
  const writers = new Map<string, number>();
  for (const [index, event] of events.slice(0, settled).entries()) {
    writers.set(event.writer, Math.max(event.sequence, writers.get(event.writer) ?? 0));
    if (verdicts[index] === 'effective') state.note(event);
  }
  const left = events.filter(({ resource, path, resourceVersion: version }) => {
    return version > settled || state.versionOf(resource, path) === version;
  });
  const table = new VersionTable();
  const arbiter = new Arbiter(new Map(), table, { settled, writers });
  const judged = left.map((event) => {
    const verdict = arbiter.judge(event);
    if (verdict === 'effective') table.note(event);
    return verdict;
  });
  return judged.slice(left.length - (events.length - settled));
}

const history = fc.array(step, { minLength: 1, maxLength: 40 });

describe('changes that are made together', () => {
  it('take effect together or not at all, whatever other writers do and how often they are sent', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { events } = historyOf(steps);
        for (const one of verdictsOfBatches(events, byTable(events))) {
          expect(new Set(one).size, one.join()).toBe(1);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('are judged alike by every server, wherever it was started anew', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat({ max: 80 }), { maxLength: 4 }), (steps, places) => {
        const { events } = historyOf(steps);
        const verdicts = byTable(events);
        expect(byViews(events, new Set(places))).toEqual(verdicts);
        const upTo = Math.min(places[0] ?? 0, events.length);
        expect(byIndex(events, verdicts, upTo)).toEqual(verdicts);
      }),
      { numRuns: 400 },
    );
  });

  it('are judged alike where the log was cut, in the middle of them too', () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 80 }), (steps, place) => {
        const { events } = historyOf(steps);
        const verdicts = byTable(events);
        const cut = resourceVersion(Math.min(place, events.length));
        expect(behindCut(events, verdicts, cut)).toEqual(verdicts.slice(cut));
      }),
      { numRuns: 400 },
    );
  });

  it('leave each claim with one holder, and none without', () => {
    let takes = 0;
    let overtaken = 0;
    fc.assert(
      fc.property(history, (steps) => {
        const { events } = historyOf(steps);
        const table = new VersionTable();
        const holders = new Map<string, string>();
        const verdicts = byTable(events);
        let service = '';
        for (const [index, event] of events.entries()) {
          if (event.resource === 'core/services') service = event.path;
          if (verdicts[index] === 'overtaken') overtaken += 1;
          if (verdicts[index] !== 'effective') continue;
          table.note(event);
          if (event.resource === 'core/services') continue;
          if (event.type === 'deleted') {
            expect(holders.get(event.path)).toBe(service);
            holders.delete(event.path);
            continue;
          }
          takes += 1;
          expect(holders.has(event.path)).toBe(false);
          holders.set(event.path, service);
        }
        for (const path of holders.values()) {
          expect(table.versionOf('core/services', path)).toBeGreaterThan(0);
        }
      }),
      { numRuns: 400 },
    );
    expect(takes).toBeGreaterThan(400);
    expect(overtaken).toBeGreaterThan(400);
  });
});
