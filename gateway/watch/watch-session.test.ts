import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, givenViews, selection } from '../../projections/given.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { FakeWire, turn, watching } from './given-session.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

describe('a watch from the current state on', () => {
  it('shows the state, and then what happens', async () => {
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/b' }, { path: 'ns/a' });
    const { wire } = watching(resourceViews);
    expect(wire.shown).toEqual(['ADDED a@2', 'ADDED b@1']);
    await resourceViews.append({ path: 'ns/a', previous: 2 }, { path: 'ns/c' });
    await resourceViews.append({ path: 'ns/b', previous: 1, type: 'deleted' });
    expect(wire.shown.slice(2)).toEqual(['MODIFIED a@3', 'ADDED c@4', 'DELETED b@5']);
    const { counts } = resourceViews.resourceViews.of(CONFIG_MAPS).watch;
    expect(counts).toEqual({ received: 5, dispatched: 3, initial: 2 });
  });

  it('says when the state is complete, if that is wanted', async () => {
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/a' });
    const { wire } = watching(resourceViews, {
      plan: { endOfInitialEvents: true, bookmarks: true },
    });
    expect(wire.shown).toEqual(['ADDED a@1', 'BOOKMARK @1 (initial)']);
    const empty = watching(resourceViews, {
      plan: { endOfInitialEvents: true, selection: selection({ name: 'x' }) },
    });
    expect(empty.wire.shown).toEqual(['BOOKMARK @1 (initial)']);
  });

  it('shows a large state in slices, each when there is room, and what happened meanwhile after it', async () => {
    const resourceViews = await givenViews();
    const names = Array.from({ length: 300 }, (_, i) => `n${String(i).padStart(3, '0')}`);
    await resourceViews.append(...names.map((name) => ({ path: `ns/${name}` })));
    const wire = new FakeWire();
    wire.isFull = true;
    watching(resourceViews, { wire, plan: { endOfInitialEvents: true } });
    expect(wire.chunks).toHaveLength(1);
    const slice = wire.shown.length;
    expect(slice).toBeLessThan(300);
    // It is shown as it was when the watch began, and the changes behind it.
    await resourceViews.append(
      { path: 'ns/n299', previous: 300, type: 'deleted' },
      { path: 'ns/new' },
    );
    expect(wire.chunks).toHaveLength(1);
    wire.drain();
    expect(wire.chunks).toHaveLength(2);
    wire.isFull = false;
    wire.drain();
    expect(wire.shown.map((one) => one.split('@')[0])).toEqual([
      ...names.map((name) => `ADDED ${name}`),
      'BOOKMARK ',
      'DELETED n299',
      'ADDED new',
    ]);
  });

  it('as Tables brings the columns with the first event alone', async () => {
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/a' });
    const { wire } = watching(resourceViews, { media: { transform: 'Table' } });
    await resourceViews.append({ path: 'ns/b' });
    const columns = Buffer.concat(wire.chunks)
      .toString()
      .trimEnd()
      .split('\n')
      .map(
        (line) => (JSON.parse(line) as { object: { columnDefinitions?: unknown[] | null } }).object,
      )
      .map(({ columnDefinitions }) => (columnDefinitions?.length ?? 0) > 0);
    expect(columns).toEqual([true, false]);
  });
});

describe('a watch behind a version', () => {
  it('shows what came after it', async () => {
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/a' }, { path: 'ns/a', previous: 1 }, { path: 'ns/b' });
    const { wire } = watching(resourceViews, { from: 1 });
    await turn();
    expect(wire.shown).toEqual(['MODIFIED a@2', 'ADDED b@3']);
  });

  it('of the future shows nothing until then', async () => {
    const resourceViews = await givenViews();
    const { wire } = watching(resourceViews, { from: 2 });
    await resourceViews.append({ path: 'ns/a' });
    await resourceViews.append({ path: 'ns/b' });
    expect(wire.shown).toEqual([]);
    await resourceViews.append({ path: 'ns/c' });
    expect(wire.shown).toEqual(['ADDED c@3']);
  });

  it('as Tables brings the columns, too', async () => {
    const resourceViews = await givenViews();
    const { wire } = watching(resourceViews, { from: 0, media: { transform: 'Table' } });
    await resourceViews.append({ path: 'ns/a' });
    expect(Buffer.concat(wire.chunks).toString()).toContain('"columnDefinitions":[{');
  });

  it('shows only what is selected', async () => {
    const resourceViews = await givenViews();
    const { wire } = watching(resourceViews, {
      from: 0,
      plan: { selection: selection({ labels: 'x=1' }) },
    });
    await resourceViews.append({ path: 'ns/a' }, { path: 'ns/b', labels: { x: '1' } });
    await resourceViews.append({ path: 'ns/b', previous: 2 });
    expect(wire.shown).toEqual(['ADDED b@2', 'DELETED b@3']);
  });
});

describe('a wire that is full', () => {
  it('lets the watch fall behind, which catches up when there is room, in order and without loss', async () => {
    const resourceViews = await givenViews();
    const { wire, resource, session } = watching(resourceViews);
    wire.isFull = true;
    await resourceViews.append({ path: 'ns/n0' });
    expect(resource.watch.isLive(session)).toBe(false);
    for (let i = 1; i < 200; i += 1) await resourceViews.append({ path: `ns/n${String(i)}` });
    expect(wire.shown).toEqual(['ADDED n0@1']);
    wire.drain();
    expect(wire.chunks).toHaveLength(2);
    wire.isFull = false;
    wire.drain();
    expect(wire.shown).toEqual(
      Array.from({ length: 200 }, (_, i) => `ADDED n${String(i)}@${String(i + 1)}`),
    );
    expect(resource.watch.isLive(session)).toBe(true);
    await resourceViews.append({ path: 'ns/last' });
    expect(wire.shown.at(-1)).toBe('ADDED last@201');
  });

  it('lets it catch up from what memory no longer holds', async () => {
    const resourceViews = await givenViews();
    const { wire, resource, session } = watching(resourceViews);
    wire.isFull = true;
    const data = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 8; i += 1) await resourceViews.append({ path: `ns/n${String(i)}`, data });
    expect(resource.window.reachesBackTo(resourceVersion(1))).toBe(false);
    wire.isFull = false;
    wire.drain();
    await until(() => resource.watch.isLive(session));
    expect(wire.shown).toEqual(
      Array.from({ length: 8 }, (_, i) => `ADDED n${String(i)}@${String(i + 1)}`),
    );
  });

  it('may be drained when nothing waits', async () => {
    const resourceViews = await givenViews();
    const { wire } = watching(resourceViews, { from: 5 });
    wire.drain();
    wire.close();
    wire.drain();
    expect(wire.shown).toEqual([]);
  });
});

describe('bookmarks', () => {
  it('are told to a client that wants them, from time to time', async () => {
    const resourceViews = await givenViews();
    const { wire } = watching(resourceViews, { plan: { bookmarks: true } });
    const without = watching(resourceViews);
    await resourceViews.append({ resource: 'core/secrets', path: 'ns/s' });
    resourceViews.resourceViews.of(CONFIG_MAPS).watch.announceProgress();
    expect(wire.shown).toEqual(['BOOKMARK @1']);
    expect(without.wire.shown).toEqual([]);
  });

  it('are not told to a watcher that is behind', async () => {
    const resourceViews = await givenViews();
    const { wire, resource } = watching(resourceViews, { plan: { bookmarks: true } });
    wire.isFull = true;
    await resourceViews.append({ path: 'ns/a' });
    await resourceViews.append({ path: 'ns/b' });
    resource.watch.announceProgress();
    expect(wire.shown).toEqual(['ADDED a@1']);
  });
});
