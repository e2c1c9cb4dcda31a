import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, givenGallery } from '../../projections/given.fixture.ts';
import { FakeWire, TIMEOUT_MS, watching } from './given-session.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

describe('the end of a watch', () => {
  it('comes with its time, with one last bookmark, once', async () => {
    const gallery = await givenGallery();
    const { wire, resource, ends } = watching(gallery, { plan: { bookmarks: true } });
    const other = watching(gallery, { plan: { bookmarks: true, timeoutMs: TIMEOUT_MS * 2 } });
    await gallery.append({ path: 'ns/a' });
    gallery.clock.advance(TIMEOUT_MS);
    expect(wire.shown).toEqual(['ADDED a@1', 'BOOKMARK @1']);
    expect(other.wire.shown).toEqual(['ADDED a@1']);
    expect([wire.ended, ends.count]).toEqual([1, 1]);
    expect(resource.watch.watcherCount).toBe(1);
    await gallery.append({ path: 'ns/b' });
    expect(wire.shown).toHaveLength(2);
  });

  it('comes with its client, and leaves nothing behind', async () => {
    const gallery = await givenGallery();
    const { wire, resource, ends, session } = watching(gallery, { plan: { bookmarks: true } });
    wire.close();
    await gallery.append({ path: 'ns/a' });
    session.end();
    gallery.clock.advance(TIMEOUT_MS);
    expect([wire.chunks.length, wire.ended, ends.count]).toEqual([0, 0, 1]);
    expect(resource.watch.watcherCount).toBe(0);
  });

  it('comes before its beginning when the version does not come', async () => {
    const gallery = await givenGallery();
    const { wire, ends } = watching(gallery, { from: 100, plan: { bookmarks: true } });
    gallery.clock.advance(TIMEOUT_MS);
    expect([wire.chunks.length, wire.ended, ends.count]).toEqual([0, 1, 1]);
  });

  it('leaves no timer, and nobody waiting for a version', async () => {
    const { clock, ...gallery } = await givenGallery();
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
    const { wire } = watching({ ...gallery, clock }, { from: 100 });
    // The watch's own timeout, and that of waiting for the version.
    expect(open).toBe(2);
    wire.close();
    expect(open).toBe(0);
  });

  it('comes in the middle of the state', async () => {
    const gallery = await givenGallery();
    await gallery.append(...Array.from({ length: 300 }, (_, i) => ({ path: `ns/n${String(i)}` })));
    const wire = new FakeWire();
    wire.isFull = true;
    const { ends, resource } = watching(gallery, { wire, plan: { bookmarks: true } });
    gallery.clock.advance(TIMEOUT_MS);
    wire.drain();
    expect([wire.chunks.length, wire.ended, ends.count]).toEqual([1, 1, 1]);
    expect(resource.watch.watcherCount).toBe(0);
  });

  it('is there from the beginning when the client is gone already', async () => {
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/a' });
    const wire = new FakeWire();
    wire.close();
    const { ends, resource } = watching(gallery, { wire });
    expect([wire.chunks.length, wire.drainListeners, ends.count]).toEqual([0, 0, 1]);
    expect(resource.watch.watcherCount).toBe(0);
  });

  it('comes with an error when the past cannot be read', async () => {
    const gallery = await givenGallery();
    const data = 'x'.repeat(5 * 1024 * 1024);
    await gallery.append({ path: 'ns/a', data });
    await gallery.append({ path: 'ns/b', data });
    gallery.log.at = () => {
      throw new Error('unreadable');
    };
    const { wire, ends, failures } = watching(gallery, { from: 0 });
    await until(() => ends.count > 0);
    expect(wire.shown).toEqual(['ERROR ']);
    expect(Buffer.concat(wire.chunks).toString()).toContain('unreadable');
    expect([wire.ended, failures.length]).toEqual([1, 1]);
  });

  it('comes with what it throws, and the fold goes on', async () => {
    const gallery = await givenGallery();
    const { gallery: views } = gallery;
    const { wire, ends } = watching(gallery, { from: 2 });
    views.of(CONFIG_MAPS).watch.start = () => {
      throw new Error('odd');
    };
    await gallery.append({ path: 'ns/a' });
    await gallery.append({ path: 'ns/b' });
    expect(wire.shown).toEqual(['ERROR ']);
    expect(ends.count).toBe(1);
    await gallery.append({ path: 'ns/c' });
    expect(gallery.applied.current).toBe(3);
  });
});
