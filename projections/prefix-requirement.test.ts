import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPrefix, namespaceOf, prefixOf, type LoggedEvent } from '../streams/event.ts';
import { resourceVersion } from '../streams/resource-version.ts';
import type { Verdict } from './fold/arbiter.ts';
import { loggedEvent } from './given.fixture.ts';
import { byIndex, byTable, byViews } from './judges.fixture.ts';

const RESOURCES = ['core/pods', 'core/services'] as const;
const PATHS = ['a/x', 'a/y', 'a/z', 'ab/x', 'b/x', '/x', '/y'] as const;
const PREFIXES = ['a/', 'ab/', 'b/', '/'] as const;

const step = fc.record({
  resource: fc.constantFrom(...RESOURCES),
  path: fc.constantFrom(...PATHS),
  kind: fc.constantFrom('write', 'write', 'delete', 'stale', 'copy'),
  prefix: fc.option(fc.constantFrom(...PREFIXES), { nil: undefined, freq: 3 }),
  of: fc.constantFrom(...RESOURCES),
  /** How many versions ago the writer looked. */
  ago: fc.nat({ max: 6 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Naive {
  readonly live: Map<string, LoggedEvent>;
  readonly seen: Set<number>;
}

/** As the sentence in event.ts says it, and nothing kept. */
function naiveVerdict({ live, seen }: Naive, event: LoggedEvent): Verdict {
  if (seen.has(event.sequence)) return 'duplicate';
  seen.add(event.sequence);
  const now = live.get(`${event.resource} ${event.path}`)?.resourceVersion ?? 0;
  const isFree =
    (event.type === 'added') === (event.previousResourceVersion === 0) &&
    now === event.previousResourceVersion;
  const holds = event.requires.every(({ resource, path, resourceVersion: version }) => {
    if (!isPrefix(path)) {
      return (live.get(`${resource} ${path}`)?.resourceVersion ?? 0) === version;
    }
    return [...live.values()].every(
      (one) =>
        one.resource !== resource ||
        prefixOf(namespaceOf(one.path)) !== path ||
        one.resourceVersion <= version,
    );
  });
  return isFree && holds ? 'effective' : 'overtaken';
}

function note({ live }: Naive, event: LoggedEvent): void {
  if (event.type === 'deleted') live.delete(`${event.resource} ${event.path}`);
  else live.set(`${event.resource} ${event.path}`, event);
}

/** A history, what became of it, and how far back copies of its records reach. */
function historyOf(steps: readonly Step[]): { events: LoggedEvent[]; verdicts: Verdict[] } {
  const naive: Naive = { live: new Map(), seen: new Set() };
  const events: LoggedEvent[] = [];
  const verdicts: Verdict[] = [];
  for (const [index, one] of steps.entries()) {
    const version = index + 1;
    const now = naive.live.get(`${one.resource} ${one.path}`)?.resourceVersion ?? 0;
    const before = events.at(-1);
    const isCopy = one.kind === 'copy' && before !== undefined;
    const previous = one.kind === 'stale' ? Math.max(0, now - 1) : now;
    const event = isCopy
      ? { ...before, resourceVersion: resourceVersion(version) }
      : loggedEvent(version, {
          resource: one.resource,
          path: one.path,
          previous,
          sequence: version,
          ...(one.kind === 'delete' && previous > 0 && { type: 'deleted' as const }),
          requires:
            one.prefix === undefined
              ? []
              : [
                  {
                    resource: one.of,
                    path: one.prefix,
                    resourceVersion: resourceVersion(Math.max(0, version - 1 - one.ago)),
                  },
                ],
        });
    const verdict = naiveVerdict(naive, event);
    if (verdict === 'effective') note(naive, event);
    events.push(event);
    verdicts.push(verdict);
  }
  return { events, verdicts };
}

describe('a requirement about a whole namespace', () => {
  it('holds where nothing that is there has changed since, whichever server judges it', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.array(fc.nat({ max: 60 }), { maxLength: 3 }),
        (steps, places) => {
          const { events, verdicts } = historyOf(steps);
          expect(byTable(events)).toEqual(verdicts);
          expect(byViews(events, new Set(places))).toEqual(verdicts);
          const upTo = Math.min(places[0] ?? 0, events.length);
          expect(byIndex(events, verdicts, upTo)).toEqual(verdicts);
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it('meets histories in which it holds, and in which it does not', () => {
    const steps = fc.sample(fc.array(step, { minLength: 40, maxLength: 60 }), {
      numRuns: 50,
      seed: 1,
    });
    const required = steps.flatMap((one) => {
      const { events, verdicts } = historyOf(one);
      return verdicts.filter((_, index) => events[index]?.requires.length === 1);
    });
    expect(required.filter((one) => one === 'effective').length).toBeGreaterThan(50);
    expect(required.filter((one) => one === 'overtaken').length).toBeGreaterThan(50);
  });

  it('counts nothing that is gone, and nothing of another namespace', () => {
    const pods = 'core/pods';
    const requires = [{ resource: pods, path: 'a/', resourceVersion: resourceVersion(1) }];
    const events = [
      loggedEvent(1, { resource: pods, path: 'a/x' }),
      loggedEvent(2, { resource: pods, path: 'a/y' }),
      loggedEvent(3, { resource: pods, path: 'a/late', requires }),
      loggedEvent(4, { resource: pods, path: 'a/y', previous: 2, type: 'deleted' }),
      loggedEvent(5, { resource: pods, path: 'ab/y' }),
      loggedEvent(6, { resource: pods, path: 'a/late', requires }),
    ];
    const told = ['effective', 'effective', 'overtaken', 'effective', 'effective', 'effective'];
    expect(byTable(events)).toEqual(told);
    expect(byViews(events, new Set())).toEqual(told);
  });
});
