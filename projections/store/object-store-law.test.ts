/** The law of object stores: the answers are those of a plain list of all events, whatever happened between. */
import { cpSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { MemoryObjectStore } from './memory-object-store.ts';
import type { ObjectStore } from './object-history.ts';
import { LmdbObjectStore } from './object-store.ts';
import { comparePaths } from './store-key.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { type Change, committed, EVERYTHING, record, StillClock } from './given-store.fixture.ts';

const newPath = newPaths('everwatch-store-');

const RESOURCES = ['core/pods', 'core/podtemplates', 'core/pods\0', 'apps/deployments'];
const PATHS = [
  'default/a',
  'default/a-b',
  'default/a.b',
  'default/a\u0001',
  'default/a\0b',
  'default/a\0',
  'default-x/a',
  '/a',
  '/system:controller:a',
  'kube-system/\uffee',
  'kube-system/\u{1f680}',
  `kube-system/${'x'.repeat(253)}`,
];
const PREFIXES = ['', 'default/', 'default/a', '/', 'kube-system/', 'zzz'];

type Step =
  | { readonly do: 'record'; readonly objects: readonly (readonly [number, number, boolean])[] }
  | { readonly do: 'settle' | 'reopen' | 'crash' };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('record' as const),
        objects: fc.array(
          fc.tuple(
            fc.nat({ max: RESOURCES.length - 1 }),
            fc.nat({ max: PATHS.length - 1 }),
            fc.boolean(),
          ),
          { maxLength: 30 },
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('settle' as const, 'reopen', 'crash') }),
    },
  ),
  { maxLength: 25 },
);

/** Up to which version a log is told at once; 0: it is not. */
const filled = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 900 }));

/** What happened, as a list, and the answers read off it. */
class Model {
  readonly changes: Change[] = [];
  applied = 0;

  /** A next change of the object that makes sense after those before it. */
  change(resource: string, path: string, wantsDelete: boolean): Change {
    const last = this.changes.findLast((old) => old.resource === resource && old.path === path);
    const exists = last !== undefined && last.type !== 'deleted';
    // Events that took no effect leave gaps between versions.
    this.applied += 1 + (this.applied % 3);
    const type = exists ? (wantsDelete ? 'deleted' : 'modified') : 'added';
    return { resource, path, version: this.applied, type };
  }

  upTo(version: number): Model {
    const past = new Model();
    past.changes.push(...this.changes.filter((change) => change.version <= version));
    past.applied = version;
    return past;
  }

  versionAt(resource: string, path: string, version: number): number | undefined {
    const last = this.changes.findLast(
      (old) => old.resource === resource && old.path === path && old.version <= version,
    );
    return last?.type === 'deleted' ? undefined : last?.version;
  }

  pathsAt(resource: string, where: { prefix: string; from: string }, version: number): unknown[] {
    return [...PATHS]
      .sort(comparePaths)
      .filter((path) => path.startsWith(where.prefix) && comparePaths(path, where.from) >= 0)
      .map((path) => ({ path, resourceVersion: this.versionAt(resource, path, version) }))
      .filter((found) => found.resourceVersion !== undefined);
  }
}

function expectSame(store: ObjectStore, model: Model): void {
  expect(store.appliedVersion).toBe(model.applied);
  expect([...store.writers()]).toEqual(model.applied === 0 ? [] : [['w', model.applied]]);
  expect([...store.current()]).toEqual(
    [...RESOURCES]
      .sort(comparePaths)
      .flatMap((resource) =>
        model
          .pathsAt(resource, EVERYTHING, model.applied)
          .map((found) => Object.assign({ resource }, found)),
      ),
  );
  const moments = [0, 1, Math.floor(model.applied / 2), model.applied - 1, model.applied + 5];
  for (const moment of moments.filter((version) => version >= 0)) {
    for (const resource of RESOURCES) expectSameAt(store, model, resource, moment);
  }
}

function expectSameAt(store: ObjectStore, model: Model, resource: string, moment: number): void {
  const version = resourceVersion(moment);
  for (const path of PATHS) {
    expect(store.versionAt(resource, path, version)).toBe(model.versionAt(resource, path, moment));
  }
  for (const prefix of PREFIXES) {
    for (const from of ['', PATHS[moment % PATHS.length] ?? '', 'default/aa']) {
      const where = { prefix, from };
      const steps = [...store.stepsAt(resource, where, version)];
      expect(steps.filter((step) => step !== undefined)).toEqual(
        model.pathsAt(resource, where, moment),
      );
      expect([...store.pathsAt(resource, where, version)]).toEqual(
        model.pathsAt(resource, where, moment),
      );
    }
  }
  expect([...store.changesAfter(resource, version)]).toEqual(
    model.changes
      .filter((change) => change.resource === resource && change.version > moment)
      .map((change) => change.version),
  );
}

describe('the law of the object store', () => {
  it('holds for LmdbObjectStore, across closing and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.constantFrom(undefined, 0),
        filled,
        async (program, mappedBytesMax, end) => {
          const open = (at: string) => {
            const opened = new LmdbObjectStore(at, new StillClock(), { mappedBytesMax });
            // Some of it comes while the store is filled, if it is empty.
            if (end > 0) opened.beginFilling(resourceVersion(end));
            return opened;
          };
          let path = newPath();
          let store = open(path);
          const model = new Model();
          for (const step of program) {
            if (step.do === 'record') {
              perform(step, model, store);
            } else if (step.do === 'settle') {
              await store.settled();
            } else if (step.do === 'reopen') {
              await store.close();
              store = open(path);
              // What was kept to be written at once is told again.
              refold(store, model);
            } else {
              const crashed = newPath();
              cpSync(path, crashed, { recursive: true });
              const survivor = open(crashed);
              expectSame(survivor, model.upTo(survivor.appliedVersion));
              refold(survivor, model);
              await store.close();
              path = crashed;
              store = survivor;
            }
          }
          await store.settled();
          expectSame(store, model);
          await store.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('holds for MemoryObjectStore', () => {
    fc.assert(
      fc.property(steps, (program) => {
        const store = new MemoryObjectStore();
        const model = new Model();
        for (const step of program) {
          if (step.do === 'record') perform(step, model, store);
        }
        expectSame(store, model);
      }),
      { numRuns: 100 },
    );
  });
});

function perform(step: Extract<Step, { do: 'record' }>, model: Model, store: ObjectStore): void {
  const changes = step.objects.map(([resource, path, wantsDelete]) => {
    const change = model.change(RESOURCES[resource] ?? '', PATHS[path] ?? '', wantsDelete);
    model.changes.push(change);
    return change;
  });
  if (changes.length > 0) record(store, changes.map(committed));
}

/** What a start does: folds again what the store has not yet seen. */
function refold(store: ObjectStore, model: Model): void {
  const missing = model.changes.filter((change) => change.version > store.appliedVersion);
  if (missing.length > 0) record(store, missing.map(committed));
}
