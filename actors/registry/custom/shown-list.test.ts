import { describe, expect, it, vi } from 'vitest';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { passingJson } from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { STORAGE, TABS, definition, given, tab, version } from './given-tabs.fixture.ts';
import { shownList } from './shown-list.ts';
import { shownObjects } from './shown-objects.ts';

const MANY = 2_000;
const STRING = { color: { type: 'string' } };

/** An object of version v1, and both versions of its resource, of which v2 has a default. */
async function givenVersions() {
  const plane = await given(
    definition([
      version('v1', STRING, { storage: true }),
      version('v2', { ...STRING, size: { type: 'string', default: 'small' } }),
    ]),
  );
  await plane.post(TABS, tab('a', { color: 'red' }));
  const lying = plane.objects.get(STORAGE, 'default/a');
  const served = ['v1', 'v2'].flatMap(
    (apiVersion) =>
      plane.served.lookup({ apiGroup: 'example.com', apiVersion, resource: 'tabs' }) ?? [],
  );
  if (lying === undefined || served.length !== 2) throw new Error('nothing is there');
  return { lying, served };
}

/** Many that are like this one, and how often one of them was read. */
function manyOf(one: StoredObject): { items: StoredObject[]; reads: () => number } {
  let reads = 0;
  const { resource, path, resourceVersion, labels } = one;
  const items = Array.from({ length: MANY }, () => ({
    ...{ resource, path, resourceVersion, labels, sizeBytes: one.json.length },
    get json() {
      reads += 1;
      return one.json;
    },
  }));
  return { items, reads: () => reads };
}

function shownAs(served: ServedResource, one: StoredObject): Buffer {
  const shown = shownObjects(served, [one]);
  if (shown instanceof Promise || !shown.ok) throw new Error('it cannot be shown');
  return shown.objects[0]?.json ?? Buffer.alloc(0);
}

describe('a long list of custom resources', () => {
  it.each([true, false])('reads an object when it is written (kept: %s)', async (mayKeep) => {
    const { lying, served } = await givenVersions();
    for (const one of served) {
      const { items, reads } = manyOf(lying);
      const shown = shownList(one, items);
      if (shown instanceof Promise || !shown.ok || !('parts' in shown.objects))
        throw new Error('it is shown at once');
      expect(shown.objects.length).toBe(MANY);
      expect(reads()).toBe(0);
      const wanted = shownAs(one, lying);
      let written = 0;
      for (const part of shown.objects.parts) {
        const before = reads();
        for (const item of part) {
          expect(passingJson(item, { mayKeep }).equals(wanted)).toBe(true);
          expect(item.path).toBe(lying.path);
        }
        written += part.length;
        // Of what stays in memory the bytes are looked at for what they are, and once more where they are shown as they lie.
        expect(reads() - before).toBeLessThanOrEqual(part.length * (mayKeep ? 3 : 1));
        expect(part.length).toBeLessThanOrEqual(512);
      }
      expect(written).toBe(MANY);
    }
  });

  it('reads no object again that it has seen to lie as it is shown', async () => {
    const size = { size: { type: 'string', default: 'small' } };
    const plane = await given(
      definition([version('v1', size, { storage: true }), version('v2', STRING)]),
    );
    await plane.post(TABS, tab('a', {}));
    const lying = plane.objects.get(STORAGE, 'default/a');
    const lookup = { apiGroup: 'example.com', apiVersion: 'v1', resource: 'tabs' };
    const served = plane.served.lookup(lookup);
    if (lying === undefined || served?.custom === undefined) throw new Error('nothing is there');
    expect(served.custom.isShownAsStored(lying)).toBe(false);
    const converted = vi.spyOn(served.custom, 'toServed');
    const { items } = manyOf(lying);
    for (const round of [1, 2]) {
      const shown = shownList(served, items);
      if (shown instanceof Promise || !shown.ok) throw new Error('it cannot be shown');
      for (const item of shown.objects)
        expect(passingJson(item, { mayKeep: false }).equals(lying.json)).toBe(true);
      expect([round, converted.mock.calls.length]).toEqual([round, 0]);
    }
  });

  it('has its objects in their order wherever it is asked', async () => {
    const { lying, served } = await givenVersions();
    const [, other] = served;
    if (other === undefined) throw new Error('there is one version');
    const items = Array.from({ length: MANY }, (_, nth) => ({
      ...{ resource: lying.resource, resourceVersion: lying.resourceVersion, labels: undefined },
      ...{ path: `default/a${String(nth)}`, json: lying.json },
    }));
    const shown = shownList(other, items);
    if (shown instanceof Promise || !shown.ok) throw new Error('it cannot be shown');
    const paths = items.map(({ path }) => path);
    expect(Array.from(shown.objects, ({ path }) => path)).toEqual(paths);
    expect(shown.objects.at(1_234)?.path).toBe(paths[1_234]);
    expect(shown.objects.at(1_234)?.json.equals(shownAs(other, lying))).toBe(true);
    expect(shown.objects.at(MANY)).toBeUndefined();
  });

  it('is shown at once where it is short', async () => {
    const { lying, served } = await givenVersions();
    const shown = shownList(served[0] ?? { custom: undefined }, [lying]);
    expect(shown).toEqual({ ok: true, objects: [lying] });
  });
});
