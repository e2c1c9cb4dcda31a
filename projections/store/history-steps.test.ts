/** Paths of a moment, where most of what the history knows was not there then: a reader is let pause among them. */
import { expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { LmdbObjectStore } from './object-store.ts';
import { committed, EVERYTHING, record, StillClock, type Change } from './given-store.fixture.ts';

const newPath = newPaths('everwatch-steps-');
const RESOURCE = 'core/pods';
const COUNT = 3_000;
/** As many objects as are looked at in a row, and some of a piece that were found besides. */
const IN_A_ROW_MAX = 1_280;

/** Two objects that are there from the start; between them others that come and are gone again. */
async function given() {
  const store = new LmdbObjectStore(newPath(), new StillClock());
  const changes: Change[] = [];
  const add = (path: string, type: Change['type']): void => {
    changes.push({ resource: RESOURCE, path, version: changes.length + 1, type });
  };
  add('n/a', 'added');
  add('n/z', 'added');
  const early = resourceVersion(changes.length);
  const names = Array.from({ length: COUNT }, (_, number) => `n/job-${String(number)}`);
  for (const path of names) add(path, 'added');
  const all = resourceVersion(changes.length);
  for (const path of names) add(path, 'deleted');
  const late = resourceVersion(changes.length);
  record(
    store,
    changes.map((change) => committed(change)),
  );
  await store.settled();
  return { store, moments: { early, all, late }, changes };
}

it('are told with a step behind some hundreds that were looked at, whether objects were there or not', async () => {
  const { store, moments } = await given();
  for (const [name, version] of Object.entries(moments)) {
    const found: string[] = [];
    let steps = 0;
    for (const step of store.stepsAt(RESOURCE, EVERYTHING, version)) {
      if (step === undefined) steps += 1;
      else found.push(step.path);
    }
    const paths = [...store.pathsAt(RESOURCE, EVERYTHING, version)];
    expect(found, name).toEqual(paths.map(({ path }) => path));
    expect(found.length, name).toBe(name === 'all' ? COUNT + 2 : 2);
    expect(steps, name).toBeGreaterThanOrEqual(COUNT / IN_A_ROW_MAX);
  }
  await store.close();
});

it('have a step behind some objects of many versions, and not behind each', async () => {
  const store = new LmdbObjectStore(newPath(), new StillClock());
  const paths = Array.from({ length: 100 }, (_, number) => `n/pod-${String(number)}`).sort();
  const changes: Change[] = [];
  for (let round = 0; round < 20; round += 1) {
    for (const path of paths) {
      const type = round === 0 ? 'added' : 'modified';
      changes.push({ resource: RESOURCE, path, version: changes.length + 1, type });
    }
  }
  record(
    store,
    changes.map((change) => committed(change)),
  );
  await store.settled();
  const all = [...store.stepsAt(RESOURCE, EVERYTHING, resourceVersion(changes.length))];
  const steps = all.filter((step) => step === undefined).length;
  expect(all.flatMap((step) => step?.path ?? [])).toEqual(paths);
  expect(steps).toBeGreaterThan(0);
  expect(steps).toBeLessThan(paths.length / 8);
  await store.close();
});
