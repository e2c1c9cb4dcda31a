import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, givenViews } from '../../projections/given.fixture.ts';
import { convertedBy, FakeWire, TIMEOUT_MS, watching } from './given-session.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

describe('the end of a watch', () => {
  it('comes with its time, with one last bookmark, once', async () => {
    const resourceViews = await givenViews();
    const { wire, resource, ends } = watching(resourceViews, { plan: { bookmarks: true } });
    const other = watching(resourceViews, { plan: { bookmarks: true, timeoutMs: TIMEOUT_MS * 2 } });
    await resourceViews.append({ path: 'ns/a' });
    resourceViews.clock.advance(TIMEOUT_MS);
    expect(wire.shown).toEqual(['ADDED a@1', 'BOOKMARK @1']);
    expect(other.wire.shown).toEqual(['ADDED a@1']);
    expect([wire.ended, ends.count]).toEqual([1, 1]);
    expect(resource.watch.watcherCount).toBe(1);
    await resourceViews.append({ path: 'ns/b' });
    expect(wire.shown).toHaveLength(2);
  });

  it('comes without a bookmark where what was gathered still waits for a webhook', async () => {
    const resourceViews = await givenViews();
    const custom = convertedBy(() => new Promise(() => undefined));
    const { wire, session } = watching(resourceViews, { plan: { bookmarks: true }, custom });
    // So many that changes are gathered for a moment.
    for (let others = 0; others < 16; others += 1) watching(resourceViews);
    await resourceViews.append({ path: 'ns/a' });
    session.end();
    expect([wire.shown, wire.ended]).toEqual([[], 1]);
  });

  it('comes with its client, and leaves nothing behind', async () => {
    const resourceViews = await givenViews();
    const { wire, resource, ends, session } = watching(resourceViews, {
      plan: { bookmarks: true },
    });
    wire.close();
    await resourceViews.append({ path: 'ns/a' });
    session.end();
    resourceViews.clock.advance(TIMEOUT_MS);
    expect([wire.chunks.length, wire.ended, ends.count]).toEqual([0, 0, 1]);
    expect(resource.watch.watcherCount).toBe(0);
  });

  it('comes before its beginning when the version does not come', async () => {
    const resourceViews = await givenViews();
    const { wire, ends } = watching(resourceViews, { from: 100, plan: { bookmarks: true } });
    resourceViews.clock.advance(TIMEOUT_MS);
    expect([wire.chunks.length, wire.ended, ends.count]).toEqual([0, 1, 1]);
  });

  it('leaves no timer, and no callback that waits for a version', async () => {
    const { clock, ...resourceViews } = await givenViews();
    let open = 0;
    const opened = (cancel: () => void) => {
      open += 1;
      return () => {
        open -= 1;
        cancel();
      };
    };
    const after = clock.after.bind(clock);
    clock.after = (delayMs, callback) => opened(after(delayMs, callback));
    const { wire } = watching({ ...resourceViews, clock }, { from: 100 });
    // The watch's own timeout, and that of waiting for the version.
    expect(open).toBe(2);
    wire.close();
    expect(open).toBe(0);
  });

  it('comes in the middle of the state', async () => {
    const resourceViews = await givenViews();
    await resourceViews.append(
      ...Array.from({ length: 300 }, (_, i) => ({ path: `ns/n${String(i)}` })),
    );
    const wire = new FakeWire();
    wire.isFull = true;
    const { ends, resource } = watching(resourceViews, { wire, plan: { bookmarks: true } });
    resourceViews.clock.advance(TIMEOUT_MS);
    wire.drain();
    expect([wire.chunks.length, wire.ended, ends.count]).toEqual([1, 1, 1]);
    expect(resource.watch.watcherCount).toBe(0);
  });

  it('is there from the beginning when the client is gone already', async () => {
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/a' });
    const wire = new FakeWire();
    wire.close();
    const { ends, resource } = watching(resourceViews, { wire });
    expect([wire.chunks.length, wire.hasListener, ends.count]).toEqual([0, false, 1]);
    expect(resource.watch.watcherCount).toBe(0);
  });

  it('comes with an error when the past cannot be read', async () => {
    const resourceViews = await givenViews();
    const data = 'x'.repeat(5 * 1024 * 1024);
    await resourceViews.append({ path: 'ns/a', data });
    await resourceViews.append({ path: 'ns/b', data });
    resourceViews.log.at = () => {
      throw new Error('unreadable');
    };
    const { wire, ends, failures } = watching(resourceViews, { from: 0 });
    await until(() => ends.count > 0);
    expect(wire.shown).toEqual(['ERROR ']);
    expect(Buffer.concat(wire.chunks).toString()).toContain('unreadable');
    expect([wire.ended, failures.length]).toEqual([1, 1]);
  });

  it('comes with what it throws, and the fold goes on', async () => {
    const resourceViews = await givenViews();
    const { resourceViews: views } = resourceViews;
    const { wire, ends } = watching(resourceViews, { from: 2 });
    views.of(CONFIG_MAPS).watch.start = () => {
      throw new Error('odd');
    };
    await resourceViews.append({ path: 'ns/a' });
    await resourceViews.append({ path: 'ns/b' });
    expect(wire.shown).toEqual(['ERROR ']);
    expect(ends.count).toBe(1);
    await resourceViews.append({ path: 'ns/c' });
    expect(resourceViews.applied.current).toBe(3);
  });
});
