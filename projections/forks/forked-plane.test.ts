import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import { ResourceObjects } from '../objects/object-view.ts';
import { verifyStore } from '../verification.ts';
import { inheritedInSlices } from './inherited-objects.ts';
import { forkLayers } from './fork-layers.ts';
import { copyOf, emptyPlane, proposed, startPlane, type Plane } from './given-forks.fixture.ts';

describe('a fork', () => {
  async function given() {
    const parent = await emptyPlane();
    const write = async (plane: Plane, path: string): Promise<void> => {
      const resource = 'core/configmaps';
      await plane.append([proposed(plane, { resource, path, isDelete: false, isLate: false })]);
    };
    for (let index = 0; index < 100; index += 1) await write(parent, `ns/${String(index)}`);
    const base = parent.applied.current;
    for (let index = 0; index < 10; index += 1) await write(parent, `ns/${String(index)}`);
    const ownLog = new MemoryEventLog(base);
    const open = () =>
      startPlane(forkLayers({ parent, base, ownLog, own: new MemoryObjectStore() }));
    return { parent, write, base, ownLog, open };
  }

  it('has the very objects of its parent where both are the same', async () => {
    const { parent, open } = await given();
    const fork = await open();
    const of = (plane: Plane, path: string) => plane.objects.get('core/configmaps', path);
    expect(of(fork, 'ns/50')).toBe(of(parent, 'ns/50'));
    expect(of(fork, 'ns/5')).not.toBe(of(parent, 'ns/5'));
  });

  it('has them as well when its parent was restarted and the past has to be read', async () => {
    const { parent, write, base, ownLog } = await given();
    for (let index = 0; index < 90; index += 1) await write(parent, `ns/${String(index)}`);
    const later = await parent.again();
    const parts = forkLayers({ parent: later, base, ownLog, own: new MemoryObjectStore() });
    const fork = await startPlane(parts);
    const of = (plane: Plane, path: string) => plane.objects.get('core/configmaps', path);
    expect(fork.objects.of('core/configmaps').size).toBe(100);
    expect(of(fork, 'ns/95')).toBe(of(later, 'ns/95'));
    expect(of(fork, 'ns/5')?.resourceVersion).toBe(6);
  });

  it('has the same when it is looked up in slices, while both are written to', async () => {
    const parent = await emptyPlane();
    const resource = 'core/configmaps';
    const paths = Array.from({ length: 1_500 }, (_, index) => `ns/${String(index)}`);
    const writeAll = (plane: Plane, some: readonly string[], isDelete = false): Promise<void> =>
      plane.append(
        some.map((path) => proposed(plane, { resource, path, isDelete, isLate: false })),
      );
    await writeAll(parent, paths);
    const base = parent.applied.current;
    const copy = await copyOf(parent, base);
    await writeAll(parent, paths.slice(0, 1_400));
    const later = await parent.again();
    const ownLog = new MemoryEventLog(base);
    const own = new MemoryObjectStore();
    const inheritance = { parent: later, base, own, ownLog };
    const first = await startPlane(forkLayers({ parent: later, base, ownLog, own }));
    const one = { resource, isDelete: false, isLate: false };
    const inBoth = [
      ...paths.slice(5, 10).map((path) => proposed(copy, { ...one, path, isDelete: true })),
      ...['ns/x', 'ns/11'].map((path) => proposed(copy, { ...one, path })),
    ];
    for (const plane of [copy, first]) await plane.append(inBoth);
    const fork = await first.again(forkLayers({ parent: later, base, ownLog, own }).objects);

    const slices = inheritedInSlices(inheritance, resource, fork.objects.beganAt);
    await writeAll(later, paths.slice(1_400));
    await writeAll(later, paths.slice(100, 200), true);
    const found = await slices;
    if (found === undefined) throw new Error('there was enough to look up');
    fork.objects.adopt(resource, found);
    expect(fork.objects.of(resource)).toBe(found);
    const shown = (plane: Plane) =>
      [...plane.objects.of(resource).inOrder('')].map(({ json }) => json.toString());
    expect(shown(fork)).toEqual(shown(copy));
    expect(shown(fork)).toHaveLength(1_496);
    // A reader that has looked before keeps what it saw.
    fork.objects.adopt(resource, new ResourceObjects());
    expect(fork.objects.of(resource)).toBe(found);
  });

  it('has the same of many that have hardly changed, in slices, while its parent is written to', async () => {
    const parent = await emptyPlane();
    const resource = 'core/configmaps';
    const paths = Array.from({ length: 5_000 }, (_, index) => `ns/${String(index)}`);
    const writeAll = (some: readonly string[], isDelete = false): Promise<void> =>
      parent.append(
        some.map((path) => proposed(parent, { resource, path, isDelete, isLate: false })),
      );
    await writeAll(paths.slice(0, 2_500));
    await writeAll(paths.slice(2_500));
    const base = parent.applied.current;
    const then = [...parent.objects.of(resource).inOrder('')];
    await writeAll(paths.slice(0, 5));
    await writeAll(paths.slice(5, 10), true);
    await writeAll(['ns/new']);
    const inheritance = {
      parent,
      base,
      ownLog: new MemoryEventLog(base),
      own: new MemoryObjectStore(),
    };

    const looked = { isOver: false };
    const slices = inheritedInSlices(inheritance, resource, base).finally(() => {
      looked.isOver = true;
    });
    let turns = 0;
    while (!looked.isOver) {
      turns += 1;
      if (turns < 20) await writeAll([paths[20 + turns] ?? ''], turns % 2 === 0);
      await nextTurn();
    }
    const found = [...((await slices)?.inOrder('') ?? [])];
    expect(found.map(({ path }) => path)).toEqual(then.map(({ path }) => path));
    expect(found.every((one, nth) => one.resourceVersion === then[nth]?.resourceVersion)).toBe(
      true,
    );
    expect(found.filter((one, nth) => one === then[nth]).length).toBeGreaterThan(4_980);
    // No more than a slice of them in each.
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('copies nothing until it is read', async () => {
    const { open } = await given();
    const fork = await open();
    expect([...fork.objects.resources()]).toEqual([]);
    expect(fork.objects.versionOf('core/secrets', 'ns/a')).toBe(0);
    expect([...fork.objects.resources()].map(([resource]) => resource)).toEqual(['core/secrets']);
  });

  it('knows no version of a time before all that is kept', async () => {
    const { open, parent, base } = await given();
    const fork = await open();
    const begun = parent.log.at(resourceVersion(51))?.time ?? 0;
    expect(fork.store.versionAtTime(begun, fork.log)).toBe(51);
    const everything = { version: resourceVersion(50), time: begun - 7 };
    parent.store.adoptCuts({ ...parent.log.cuts(), everything });
    expect(fork.store.versionAtTime(begun, fork.log)).toBe(51);
    expect(fork.store.versionAtTime(begun - 14, fork.log)).toBeUndefined();
    expect(fork.store.versionAtTime(begun + 1_000_000, fork.log)).toBe(base);
  });

  it('can be folded anew, and no reader finds a difference', async () => {
    const { open, write } = await given();
    const fork = await open();
    await write(fork, 'ns/5');
    await write(fork, 'ns/new');
    expect(await verifyStore(fork.log, fork.store)).toMatchObject({
      differences: [],
      objects: 101,
    });
  });

  it('is read from the beginning of its parent to its own end', async () => {
    const { open, write, base } = await given();
    const fork = await open();
    await write(fork, 'ns/new');
    const reading = new AbortController();
    const versions: number[] = [];
    for await (const batch of fork.log.read(resourceVersion(1), reading.signal)) {
      versions.push(...batch.map((event) => event.resourceVersion));
      if (versions.length > base) reading.abort();
    }
    expect(versions).toEqual(Array.from({ length: base + 1 }, (_, index) => index + 1));
    expect(await fork.log.newest(0)).toBe(base + 1);
    expect(await fork.log.oldest()).toBe(1);
  });
});
