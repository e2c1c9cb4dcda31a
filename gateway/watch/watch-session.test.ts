import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../api/meta/json.ts';
import { testClock } from '../../actors/given.fixture.ts';
import type { WatchPlan } from '../../actors/registry/watch-plan.ts';
import type { AcceptedMedia } from '../../actors/request.ts';
import { builtInResources } from '../../actors/resources/built-in.ts';
import { ServedResources } from '../../actors/resources/served-resources.ts';
import { CONFIG_MAPS, givenGallery, selection } from '../../projections/given.fixture.ts';
import { LogTrimmedError } from '../../streams/event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { HTTP_FRAMING } from './framing.ts';
import { WatchEncoder } from './watch-encoder.ts';
import { WatchSession, type WatchWire } from './watch-session.ts';

const found = new ServedResources(builtInResources(testClock())).lookup({
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'configmaps',
});
if (found === undefined) throw new Error('no ConfigMaps are served');
const configMaps = found;

const PLAIN: AcceptedMedia = {
  type: 'json',
  transform: 'none',
  pretty: false,
  includeObject: 'Metadata',
};
const TIMEOUT_MS = 60_000;

class FakeWire implements WatchWire {
  readonly chunks: Buffer[] = [];
  isFull = false;
  /** Thrown by the next write. */
  problem: Error | undefined = undefined;
  ended = 0;
  isClosed = false;
  #onDrain: (() => void)[] = [];
  #onClose: (() => void)[] = [];

  write(chunk: Buffer): boolean {
    if (this.problem !== undefined) throw this.problem;
    this.chunks.push(chunk);
    return !this.isFull;
  }

  end(): void {
    this.ended += 1;
    this.close();
  }

  onDrain(callback: () => void): void {
    this.#onDrain.push(callback);
  }

  onClose(callback: () => void): void {
    if (this.isClosed) callback();
    else this.#onClose.push(callback);
  }

  close(): void {
    this.isClosed = true;
    for (const callback of this.#onClose.splice(0)) callback();
  }

  drain(): void {
    for (const callback of [...this.#onDrain]) callback();
  }

  get drainListeners(): number {
    return this.#onDrain.length;
  }

  /** What was written, as `ADDED a@1`. */
  get shown(): string[] {
    return Buffer.concat(this.chunks)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { type: string; object: JsonObject })
      .map(({ type, object }) => `${type} ${nameAndVersion(object)}`);
  }
}

function nameAndVersion({ metadata }: JsonObject): string {
  const {
    name = '',
    resourceVersion: version = '',
    annotations,
  } = metadata as Record<string, string>;
  const suffix = annotations === undefined ? '' : ' (initial)';
  return version === '' ? '' : `${name}@${version}${suffix}`;
}

type Gallery = Awaited<ReturnType<typeof givenGallery>>;

interface Given {
  readonly plan?: Partial<WatchPlan>;
  readonly from?: number;
  readonly media?: Partial<AcceptedMedia>;
  readonly wire?: FakeWire;
}

/** Watches from the current state on, or behind the version `from`. */
function watching({ gallery, applied, clock }: Gallery, given: Given = {}) {
  const { from, wire = new FakeWire() } = given;
  const start: WatchPlan['start'] =
    from === undefined
      ? { kind: 'current', version: applied.current }
      : { kind: 'after', version: resourceVersion(from) };
  const resource = gallery.of(CONFIG_MAPS);
  const plan: WatchPlan = {
    resource,
    applied,
    selection: selection(),
    start,
    endOfInitialEvents: false,
    bookmarks: false,
    timeoutMs: TIMEOUT_MS,
    ...given.plan,
  };
  const media = { ...PLAIN, ...given.media };
  const framing = HTTP_FRAMING;
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const shape = new WatchEncoder({
    served: configMaps,
    media,
    selection: plan.selection,
    framing,
    clock,
    seenAt: plan.seenAt,
    failed,
  });
  const session = new WatchSession({ plan, shape, clock, wire, failed });
  const ends = { count: 0 };
  session.start(() => {
    ends.count += 1;
  });
  return { session, wire, resource, ends, failures };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a watch from the current state on', () => {
  it('shows the state, and then what happens', async () => {
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/b' }, { path: 'ns/a' });
    const { wire } = watching(gallery);
    expect(wire.shown).toEqual(['ADDED a@2', 'ADDED b@1']);
    await gallery.append({ path: 'ns/a', previous: 2 }, { path: 'ns/c' });
    await gallery.append({ path: 'ns/b', previous: 1, type: 'deleted' });
    expect(wire.shown.slice(2)).toEqual(['MODIFIED a@3', 'ADDED c@4', 'DELETED b@5']);
  });

  it('says when the state is complete, if that is wanted', async () => {
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/a' });
    const { wire } = watching(gallery, { plan: { endOfInitialEvents: true, bookmarks: true } });
    expect(wire.shown).toEqual(['ADDED a@1', 'BOOKMARK @1 (initial)']);
    const empty = watching(gallery, {
      plan: { endOfInitialEvents: true, selection: selection({ name: 'x' }) },
    });
    expect(empty.wire.shown).toEqual(['BOOKMARK @1 (initial)']);
  });

  it('shows a large state in slices, each when there is room, and what happened meanwhile after it', async () => {
    const gallery = await givenGallery();
    const names = Array.from({ length: 300 }, (_, i) => `n${String(i).padStart(3, '0')}`);
    await gallery.append(...names.map((name) => ({ path: `ns/${name}` })));
    const wire = new FakeWire();
    wire.isFull = true;
    watching(gallery, { wire, plan: { endOfInitialEvents: true } });
    expect(wire.chunks).toHaveLength(1);
    const slice = wire.shown.length;
    expect(slice).toBeLessThan(300);
    // It is shown as it was when the watch began, and the changes behind it.
    await gallery.append({ path: 'ns/n299', previous: 300, type: 'deleted' }, { path: 'ns/new' });
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
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/a' });
    const { wire } = watching(gallery, { media: { transform: 'Table' } });
    await gallery.append({ path: 'ns/b' });
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
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/a' }, { path: 'ns/a', previous: 1 }, { path: 'ns/b' });
    const { wire } = watching(gallery, { from: 1 });
    await turn();
    expect(wire.shown).toEqual(['MODIFIED a@2', 'ADDED b@3']);
  });

  it('of the future shows nothing until then', async () => {
    const gallery = await givenGallery();
    const { wire } = watching(gallery, { from: 2 });
    await gallery.append({ path: 'ns/a' });
    await gallery.append({ path: 'ns/b' });
    expect(wire.shown).toEqual([]);
    await gallery.append({ path: 'ns/c' });
    expect(wire.shown).toEqual(['ADDED c@3']);
  });

  it('as Tables brings the columns, too', async () => {
    const gallery = await givenGallery();
    const { wire } = watching(gallery, { from: 0, media: { transform: 'Table' } });
    await gallery.append({ path: 'ns/a' });
    expect(Buffer.concat(wire.chunks).toString()).toContain('"columnDefinitions":[{');
  });

  it('shows only what is selected', async () => {
    const gallery = await givenGallery();
    const { wire } = watching(gallery, {
      from: 0,
      plan: { selection: selection({ labels: 'x=1' }) },
    });
    await gallery.append({ path: 'ns/a' }, { path: 'ns/b', labels: { x: '1' } });
    await gallery.append({ path: 'ns/b', previous: 2 });
    expect(wire.shown).toEqual(['ADDED b@2', 'DELETED b@3']);
  });
});

describe('a watch from a moment of the past on', () => {
  const pastPlan = (version: number): Partial<WatchPlan> => ({
    start: { kind: 'past', version: resourceVersion(version) },
    endOfInitialEvents: true,
  });

  it('shows the state of then, what came after it, and what happens now', async () => {
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/b' }, { path: 'ns/a' });
    await gallery.append({ path: 'ns/a', previous: 2 }, { path: 'ns/c' });
    await gallery.append({ path: 'ns/b', previous: 1, type: 'deleted' });
    const { wire } = watching(gallery, { plan: pastPlan(2) });
    await turn();
    await gallery.append({ path: 'ns/d' });
    expect(wire.shown).toEqual([
      'ADDED a@2',
      'ADDED b@1',
      'BOOKMARK @2 (initial)',
      'MODIFIED a@3',
      'ADDED c@4',
      'DELETED b@5',
      'ADDED d@6',
    ]);
  });

  it('shows only what is selected', async () => {
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/a', labels: { x: '1' } }, { path: 'ns/b' });
    await gallery.append(
      { path: 'ns/a', previous: 1 },
      { path: 'ns/b', previous: 2, labels: { x: '1' } },
    );
    const { wire } = watching(gallery, {
      plan: { ...pastPlan(2), selection: selection({ labels: 'x=1' }) },
    });
    await turn();
    expect(wire.shown).toEqual(['ADDED a@1', 'BOOKMARK @2 (initial)', 'DELETED a@3', 'ADDED b@4']);
  });

  it.each([
    ['memory', 1],
    ['the history', 1024 * 1024],
  ])('shows a large state page by page from %s, whatever happens meanwhile', async (_, size) => {
    const gallery = await givenGallery();
    const names = Array.from({ length: 1_500 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    await gallery.append(...names.map((name) => ({ path: `ns/${name}` })));
    const data = 'x'.repeat(size);
    for (let i = 0; i < 6; i += 1) await gallery.append({ path: `ns/z${String(i)}`, data });
    const wire = new FakeWire();
    wire.isFull = true;
    const { session, resource } = watching(gallery, { wire, plan: pastPlan(1_500) });
    expect(resource.window.reachesBackTo(resourceVersion(1_500))).toBe(size === 1);
    let changes = 0;
    const change = async (): Promise<void> => {
      const path = `ns/${names[1_400 - changes] ?? ''}`;
      await gallery.append({ path, previous: 1_401 - changes, type: 'deleted' });
      changes += 1;
    };
    while (!resource.watch.isLive(session)) {
      if (changes < 20) await change();
      // Some drains find it full again, and some turns pass without one.
      wire.isFull = changes % 3 !== 0;
      wire.drain();
      await turn();
    }
    const expected = [
      ...names.map((name, i) => `ADDED ${name}@${String(i + 1)}`),
      'BOOKMARK @1500 (initial)',
      ...Array.from({ length: 6 }, (_, i) => `ADDED z${String(i)}@${String(1_501 + i)}`),
      ...Array.from({ length: changes }, (_, i) => {
        return `DELETED ${names[1_400 - i] ?? ''}@${String(1_507 + i)}`;
      }),
    ];
    expect(wire.shown).toEqual(expected);
    expect(Math.max(...wire.chunks.map((chunk) => chunk.length))).toBeLessThan(1_500_000);
  });

  it('tells ages as they were', async () => {
    const gallery = await givenGallery();
    await gallery.append({ path: 'ns/a' }, { path: 'ns/b' });
    const seen: number[] = [];
    const seenAt = (version: number): number => {
      seen.push(version);
      return 0;
    };
    const plan = { ...pastPlan(1), seenAt };
    const { wire } = watching(gallery, { plan, media: { transform: 'Table' } });
    await turn();
    expect(seen).toEqual([1, 2]);
    expect(wire.chunks.length).toBeGreaterThan(1);
  });

  it('ends when its past was cut meanwhile, and when it cannot be read', async () => {
    for (const [error, says] of [
      [new LogTrimmedError('it was cut'), '"code":410'],
      [new Error('no such disk'), '"code":500'],
    ] as const) {
      const gallery = await givenGallery();
      const data = 'x'.repeat(1024 * 1024);
      for (let i = 0; i < 6; i += 1) await gallery.append({ path: `ns/n${String(i)}`, data });
      gallery.store.settled = () => Promise.reject(error);
      const { wire } = watching(gallery, { plan: pastPlan(1) });
      await turn();
      expect(Buffer.concat(wire.chunks).toString()).toContain(says);
      expect(wire.ended).toBe(1);
    }
  });

  it('ends with its client, wherever it is', async () => {
    const gallery = await givenGallery();
    const names = Array.from({ length: 1_100 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    await gallery.append(...names.map((name) => ({ path: `ns/${name}` })));
    await gallery.append({ path: 'ns/n0000', previous: 1 });
    const { wire, ends, resource } = watching(gallery, { plan: pastPlan(1_100) });
    const shown = wire.shown.length;
    wire.close();
    await turn();
    await turn();
    expect([wire.shown.length, ends.count, resource.watch.watcherCount]).toEqual([shown, 1, 0]);
  });
});

describe('a wire that is full', () => {
  it('lets the watch fall behind, which catches up when there is room, in order and without loss', async () => {
    const gallery = await givenGallery();
    const { wire, resource, session } = watching(gallery);
    wire.isFull = true;
    await gallery.append({ path: 'ns/n0' });
    expect(resource.watch.isLive(session)).toBe(false);
    for (let i = 1; i < 200; i += 1) await gallery.append({ path: `ns/n${String(i)}` });
    expect(wire.shown).toEqual(['ADDED n0@1']);
    wire.drain();
    expect(wire.chunks).toHaveLength(2);
    wire.isFull = false;
    wire.drain();
    expect(wire.shown).toEqual(
      Array.from({ length: 200 }, (_, i) => `ADDED n${String(i)}@${String(i + 1)}`),
    );
    expect(resource.watch.isLive(session)).toBe(true);
    await gallery.append({ path: 'ns/last' });
    expect(wire.shown.at(-1)).toBe('ADDED last@201');
  });

  it('lets it catch up from what memory no longer holds', async () => {
    const gallery = await givenGallery();
    const { wire, resource, session } = watching(gallery);
    wire.isFull = true;
    const data = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 8; i += 1) await gallery.append({ path: `ns/n${String(i)}`, data });
    expect(resource.window.reachesBackTo(resourceVersion(1))).toBe(false);
    wire.isFull = false;
    wire.drain();
    while (!resource.watch.isLive(session)) await turn();
    expect(wire.shown).toEqual(
      Array.from({ length: 8 }, (_, i) => `ADDED n${String(i)}@${String(i + 1)}`),
    );
  });

  it('may be drained when nothing waits', async () => {
    const gallery = await givenGallery();
    const { wire } = watching(gallery, { from: 5 });
    wire.drain();
    wire.close();
    wire.drain();
    expect(wire.shown).toEqual([]);
  });
});

describe('bookmarks', () => {
  it('are told to who wants them, from time to time', async () => {
    const gallery = await givenGallery();
    const { wire } = watching(gallery, { plan: { bookmarks: true } });
    const without = watching(gallery);
    await gallery.append({ resource: 'core/secrets', path: 'ns/s' });
    gallery.gallery.of(CONFIG_MAPS).watch.announceProgress();
    expect(wire.shown).toEqual(['BOOKMARK @1']);
    expect(without.wire.shown).toEqual([]);
  });

  it('are not told to who is behind', async () => {
    const gallery = await givenGallery();
    const { wire, resource } = watching(gallery, { plan: { bookmarks: true } });
    wire.isFull = true;
    await gallery.append({ path: 'ns/a' });
    await gallery.append({ path: 'ns/b' });
    resource.watch.announceProgress();
    expect(wire.shown).toEqual(['ADDED a@1']);
  });
});

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
    while (ends.count === 0) await turn();
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
