import { describe, expect, it } from 'vitest';

import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { objectAt } from '../../../api/json/json.ts';
import type { CustomServing } from '../../../api/kinds/custom-serving.ts';
import { loggedEvent } from '../../../projections/given.fixture.ts';
import { storedObject } from '../../../projections/objects/stored-object.ts';
import type { ControlPlane } from '../given-registry.fixture.ts';
import {
  STORAGE,
  TABS,
  TABS2,
  V1,
  V2,
  WEBHOOK,
  definition,
  given,
  renamed,
  stored,
  tab,
} from './given-tabs.fixture.ts';
import { SHOWN_FORMS } from './shown-forms.ts';

/** One form that takes all the room there is. */
function pushOutForms(): void {
  const large = { ...storedObject(loggedEvent(1, {})), json: Buffer.alloc(65 * 1024 * 1024) };
  SHOWN_FORMS.keep({} as CustomServing, storedObject(loggedEvent(1, {})), large);
}

describe('a custom resource that a webhook converts', () => {
  const converted = async (): Promise<ControlPlane> => {
    const plane = await given(definition([V1, V2], { conversion: WEBHOOK }));
    plane.webhooks.answer = renamed;
    return plane;
  };

  it('is converted on its way to the log and back', async () => {
    const plane = await converted();
    const { object, code } = await plane.post(TABS2, tab('a', { width: 3 }, 'example.com/v2'));
    expect(code).toBe(201);
    expect(object).toMatchObject({ apiVersion: 'example.com/v2', spec: { width: 3 } });
    expect(stored(plane, 'a')).toMatchObject({ apiVersion: 'example.com/v1', spec: { size: 3 } });
    const patched = await plane.patch(`${TABS2}/a`, 'merge', { spec: { width: 5 } });
    expect(patched.object).toMatchObject({ apiVersion: 'example.com/v2', spec: { width: 5 } });
    expect(stored(plane, 'a')).toMatchObject({ spec: { size: 5 } });
    const same = await plane.put(`${TABS2}/a`, patched.object);
    expect(same.object.metadata.resourceVersion).toBe(patched.object.metadata.resourceVersion);
    expect((await plane.del(`${TABS2}/a`)).code).toBe(200);
  });

  it('is asked for in one call for a list, and only once', async () => {
    const plane = await converted();
    for (const name of ['a', 'b', 'c']) await plane.post(TABS, tab(name, { size: 2 }));
    expect(plane.webhooks.asked).toEqual([]);
    const list = await plane.get(TABS2);
    expect(list.items.map((one) => objectAt(one, 'spec'))).toEqual(
      [2, 2, 2].map((width) => ({ width })),
    );
    await plane.get(TABS2);
    await plane.get(`${TABS2}/a`);
    expect(plane.webhooks.asked.map((objects) => objects.length)).toEqual([3]);
  });

  it('is shown and written alike where no form is kept from one call to the next', async () => {
    const plane = await converted();
    plane.webhooks.answer = (objects) => {
      pushOutForms();
      return renamed(objects);
    };
    await plane.post(TABS, tab('a', { size: 2 }));
    expect((await plane.get(`${TABS2}/a`)).object['spec']).toEqual({ width: 2 });
    await plane.post(TABS, tab('b', { size: 3 }));
    const list = await plane.get(TABS2);
    expect(list.items.map((one) => objectAt(one, 'spec'))).toEqual([{ width: 2 }, { width: 3 }]);
    const same = await plane.patch(`${TABS2}/a`, 'merge', { spec: { width: 2 } });
    expect([same.code, same.message]).toEqual([200, '']);
    const changed = await plane.patch(`${TABS2}/b`, 'merge', { spec: { width: 4 } });
    expect(changed.object['spec']).toEqual({ width: 4 });
    expect((await plane.del(TABS2)).items).toHaveLength(2);
  });

  it('is selected by the fields of the version that is asked for, page by page', async () => {
    const width = { jsonPath: '.spec.width' };
    const v2 = { ...V2, selectableFields: [width] };
    const plane = await given(definition([V1, v2], { conversion: WEBHOOK }));
    plane.webhooks.answer = renamed;
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      await plane.post(TABS, tab(name, { size: index % 2 }));
    }
    const named = (items: readonly KubeObject[]) => items.map(({ metadata }) => metadata.name);
    const even = `${TABS2}?fieldSelector=spec.width%3D0`;
    expect(named((await plane.get(even)).items)).toEqual(['a', 'c', 'e']);
    const first = await plane.get(`${even}&limit=2`);
    expect(named(first.items)).toEqual(['a', 'c']);
    const rest = encodeURIComponent(first.list?.continue ?? '');
    const second = await plane.get(`${even}&limit=2&continue=${rest}`);
    expect([named(second.items), second.list?.continue]).toEqual([['e'], '']);
    plane.webhooks.answer = () => 'it is gone';
    pushOutForms();
    expect((await plane.get(even)).message).toContain('it is gone');
    plane.webhooks.answer = renamed;
    await plane.del(even);
    expect(named((await plane.get(TABS)).items)).toEqual(['b', 'd']);
  });

  it('is overtaken like any other', async () => {
    const plane = await converted();
    await plane.post(TABS, tab('a', { size: 2 }));
    const patching = plane.patch(`${TABS2}/a`, 'merge', { metadata: { labels: { mine: 'x' } } });
    await plane.elsewhere(STORAGE, 'default/a', (object) => {
      object['spec'] = { size: 8 };
      return undefined;
    });
    const { object, message } = await patching;
    expect(object['spec'], message).toEqual({ width: 8 });
    expect(stored(plane, 'a')).toMatchObject({ metadata: { labels: { mine: 'x' } } });
  });

  it.each([
    [() => 'Post "https://x": EOF', 'failed: Post "https://x": EOF'],
    [() => ({ result: { status: 'Failure', message: 'no' } }), 'failed: no'],
  ])('is not shown, nor written, when the webhook fails', async (answer, message) => {
    const plane = await converted();
    await plane.post(TABS, tab('a', { size: 2 }));
    plane.webhooks.answer = answer;
    const about = `conversion webhook for example.com/v1, Kind=Tab ${message}`;
    for (const told of [
      await plane.get(TABS2),
      await plane.get(`${TABS2}/a`),
      await plane.patch(`${TABS2}/a`, 'merge', { spec: { width: 1 } }),
    ]) {
      expect([told.code, told.message]).toEqual([500, about]);
    }
    const made = await plane.post(TABS2, tab('b', { width: 1 }, 'example.com/v2'));
    expect(made.message).toContain('conversion webhook for example.com/v2, Kind=Tab failed');
    expect(stored(plane, 'b')).toEqual({});
    expect((await plane.get(`${TABS}/a`)).code).toBe(200);
  });
});
