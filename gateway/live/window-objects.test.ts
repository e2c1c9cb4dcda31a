/** Objects of a window that a webhook converts: to look at them must not hold others up, nor go on for no window. */
import { expect, it } from 'vitest';
import { pageAsShown } from '../../actors/registry/reads/select-shown.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { CONFIG_MAPS, givenViews, selection } from '../../projections/given.fixture.ts';
import { pageInTurns } from '../../projections/list/page-in-turns.ts';
import type { PageQuery } from '../../projections/list/list-page.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { convertedBy } from '../watch/given-session.fixture.ts';
import { WindowObjects } from './window-objects.ts';

const MANY = 1_200;
const PARTS = 3;
const ALL = {
  ...selection({ fields: 'data.value=x' }),
  fieldsOf: (_object: JsonObject) => ({ 'data.value': 'x' }),
};

it.each(['a list', 'a window'])('%s gives others their turn between its parts', async (of) => {
  const { append, resourceViews, applied, stop } = await givenViews();
  await append(...Array.from({ length: MANY }, (_, nth) => ({ path: `ns/n${String(nth)}` })));
  const custom = convertedBy((objects) => ({ ok: true, objects }));
  const served = { ...configMaps, custom };
  const read = (query: PageQuery) =>
    pageInTurns(resourceViews.of(CONFIG_MAPS), applied.current, query);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const query = { selection: ALL, after: '', limit: 0 };
  const page = await (of === 'a list'
    ? pageAsShown(served, query, read)
    : new WindowObjects(served, ALL, () => false).all(read));
  isDone = true;
  expect('items' in page ? page.items : page).toHaveLength(MANY);
  expect(turns).toBeGreaterThanOrEqual(PARTS - 1);
  await stop();
});

it('a window that is closed asks the webhook for nothing more', async () => {
  const { append, resourceViews, applied, stop } = await givenViews();
  await append(...Array.from({ length: MANY }, (_, nth) => ({ path: `ns/n${String(nth)}` })));
  let asked = 0;
  const custom = convertedBy(async (objects) => {
    asked += 1;
    await new Promise(setImmediate);
    return { ok: true, objects };
  });
  const read = (query: PageQuery) =>
    pageInTurns(resourceViews.of(CONFIG_MAPS), applied.current, query);
  const objects = new WindowObjects({ ...configMaps, custom }, ALL, () => asked === 1);
  const all = [...(await objects.all(read))];
  expect([asked, all.length > 0]).toEqual([1, true]);
  const version = applied.current;
  const changes = all.map((object) => {
    return { type: 'ADDED', resourceVersion: version, object } as const;
  });
  expect(await objects.changes(changes)).toEqual([]);
  expect(asked).toBe(1);
  await stop();
});
