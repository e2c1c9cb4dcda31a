import { expect, it } from 'vitest';
import { givenViews } from '../../projections/given.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import { turn, watching } from './given-session.fixture.ts';

const LARGE = 'x'.repeat(300 * 1024);
/** Not the form in which objects are stored. */
const METADATA = { transform: 'PartialObjectMetadata' } as const;

it('large objects in another form come in order, once, and in turns of their own', async () => {
  const views = await givenViews();
  await views.append({ path: 'ns/a' }, { path: 'ns/large', data: LARGE });
  const watchers = [watching(views, { media: METADATA }), watching(views, { media: METADATA })];
  // The beginning holds a large one, so nothing of its slice is there yet.
  expect(watchers.map(({ wire }) => wire.shown)).toEqual([[], []]);
  await views.append({ path: 'ns/b' });
  const began = ['ADDED a@1', 'ADDED large@2', 'ADDED b@3'];
  for (const { wire } of watchers) {
    await until(() => wire.shown.length === began.length);
    expect(wire.shown).toEqual(began);
  }

  await views.append(
    { path: 'ns/c' },
    { path: 'ns/large', data: LARGE, previous: 2 },
    { path: 'ns/d' },
  );
  expect(watchers.map(({ wire }) => wire.shown.length)).toEqual([3, 3]);
  await views.append({ path: 'ns/e' });
  const all = [...began, 'ADDED c@4', 'MODIFIED large@5', 'ADDED d@6', 'ADDED e@7'];
  for (const { wire, session } of watchers) {
    await until(() => wire.shown.length === all.length);
    expect(wire.shown).toEqual(all);
    await until(() => session.state === 'live');
  }
  // What was made was made once, for both.
  const [one, other] = watchers.map(({ wire }) => wire.chunks);
  expect(one?.some((chunk) => chunk.length > 0 && other?.includes(chunk))).toBe(true);
});

it('a watcher that leaves while a large object is made gets nothing more', async () => {
  const views = await givenViews();
  await views.append({ path: 'ns/large', data: LARGE });
  const { wire, ends } = watching(views, { media: METADATA });
  wire.close();
  for (let at = 0; at < 20; at += 1) await turn();
  expect(wire.chunks).toEqual([]);
  expect(ends.count).toBe(1);
});
