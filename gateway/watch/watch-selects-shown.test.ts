import { expect, it } from 'vitest';
import type { Converted } from '../../api/kinds/custom-serving.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import { givenViews, selection } from '../../projections/given.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import { convertedBy, watching } from './given-session.fixture.ts';

/** A webhook: what is stored as `old-x` is shown as `x`. */
async function toServed(objects: readonly KubeObject[]): Promise<Converted> {
  await new Promise(setImmediate);
  const shown = objects.map((one) => {
    return { ...one, data: { value: valueOf(one).replace('old-', '') } };
  });
  return { ok: true, objects: shown };
}

function valueOf(object: JsonObject): string {
  const value = objectAt(object, 'data')?.['value'];
  return typeof value === 'string' ? value : '';
}

const X = {
  ...selection({ fields: 'data.value=x' }),
  fieldsOf: (object: JsonObject) => ({ 'data.value': valueOf(object) }),
};

it('a watch selects what a webhook converts by the fields that are shown', async () => {
  const views = await givenViews();
  await views.append({ path: 'ns/a', data: 'old-x' }, { path: 'ns/b', data: 'old-y' });
  const custom = convertedBy(toServed);
  const { wire, session } = watching(views, { plan: { selection: X }, custom });
  await until(() => session.state === 'live');
  expect(wire.shown).toEqual(['ADDED a@1']);
  await views.append(
    { path: 'ns/c', data: 'old-y' },
    { path: 'ns/b', data: 'old-x', previous: 2 },
    { path: 'ns/b', data: 'old-x', previous: 4, labels: { is: 'more' } },
    { path: 'ns/a', data: 'old-y', previous: 1 },
    { path: 'ns/a', data: 'old-z', previous: 6 },
    { path: 'ns/a', type: 'deleted', previous: 7, data: 'old-z' },
    { path: 'ns/b', type: 'deleted', previous: 5, data: 'old-z' },
    { path: 'ns/d', data: 'old-x' },
  );
  const changes = ['ADDED b@4', 'MODIFIED b@5', 'DELETED a@6', 'DELETED b@9', 'ADDED d@10'];
  await until(() => wire.shown.length > changes.length);
  expect(wire.shown).toEqual(['ADDED a@1', ...changes]);
  await until(() => session.state === 'live');
  // Of what went out of sight its last state in sight is shown, converted once.
  const gone = Buffer.concat(wire.chunks).toString().split('\n')[3] ?? '';
  expect(gone).toContain('"value":"x"');
  expect(wire.chunks.every((chunk) => chunk.length > 0)).toBe(true);
});

it('a watch goes on where nothing of a change is wanted', async () => {
  const views = await givenViews();
  const custom = convertedBy(toServed);
  const { wire, session } = watching(views, { plan: { selection: X }, custom });
  for (const data of ['old-y', 'y', 'old-old-x']) {
    await views.append({ path: `ns/${data}`, data });
    await until(() => session.state === 'live');
  }
  await views.append({ path: 'ns/a', data: 'x' });
  await until(() => wire.shown.length > 0);
  expect(wire.shown).toEqual(['ADDED a@4']);
});
