import { describe, expect, it } from 'vitest';
import type { WatchPlan } from '../../actors/request/answer.ts';
import { givenViews, selection } from '../../projections/given.fixture.ts';
import { LogTrimmedError } from '../../streams/event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { FakeWire, turn, watching } from './given-session.fixture.ts';

describe('a watch from a moment of the past on', () => {
  const pastPlan = (version: number): Partial<WatchPlan> => ({
    start: { kind: 'past', version: resourceVersion(version) },
    endOfInitialEvents: true,
  });

  it('shows the state of then, what came after it, and what happens now', async () => {
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/b' }, { path: 'ns/a' });
    await resourceViews.append({ path: 'ns/a', previous: 2 }, { path: 'ns/c' });
    await resourceViews.append({ path: 'ns/b', previous: 1, type: 'deleted' });
    const { wire } = watching(resourceViews, { plan: pastPlan(2) });
    await turn();
    await resourceViews.append({ path: 'ns/d' });
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
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/a', labels: { x: '1' } }, { path: 'ns/b' });
    await resourceViews.append(
      { path: 'ns/a', previous: 1 },
      { path: 'ns/b', previous: 2, labels: { x: '1' } },
    );
    const { wire } = watching(resourceViews, {
      plan: { ...pastPlan(2), selection: selection({ labels: 'x=1' }) },
    });
    await turn();
    expect(wire.shown).toEqual(['ADDED a@1', 'BOOKMARK @2 (initial)', 'DELETED a@3', 'ADDED b@4']);
  });

  it.each([
    ['memory', 1],
    ['the history', 1024 * 1024],
  ])('shows a large state page by page from %s, whatever happens meanwhile', async (_, size) => {
    const resourceViews = await givenViews();
    const names = Array.from({ length: 1_500 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    await resourceViews.append(...names.map((name) => ({ path: `ns/${name}` })));
    const data = 'x'.repeat(size);
    for (let i = 0; i < 6; i += 1) await resourceViews.append({ path: `ns/z${String(i)}`, data });
    const wire = new FakeWire();
    wire.isFull = true;
    const { session, resource } = watching(resourceViews, { wire, plan: pastPlan(1_500) });
    expect(resource.window.reachesBackTo(resourceVersion(1_500))).toBe(size === 1);
    let changes = 0;
    const change = async (): Promise<void> => {
      const path = `ns/${names[1_400 - changes] ?? ''}`;
      await resourceViews.append({ path, previous: 1_401 - changes, type: 'deleted' });
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
    const resourceViews = await givenViews();
    await resourceViews.append({ path: 'ns/a' }, { path: 'ns/b' });
    const seen: number[] = [];
    const seenAt = (version: number): number => {
      seen.push(version);
      return 0;
    };
    const plan = { ...pastPlan(1), seenAt };
    const { wire } = watching(resourceViews, { plan, media: { transform: 'Table' } });
    await turn();
    expect(seen).toEqual([1, 2]);
    expect(wire.chunks.length).toBeGreaterThan(1);
  });

  it('ends when its past was cut meanwhile, and when it cannot be read', async () => {
    for (const [error, says] of [
      [new LogTrimmedError('it was cut'), '"code":410'],
      [new Error('no such disk'), '"code":500'],
    ] as const) {
      const resourceViews = await givenViews();
      const data = 'x'.repeat(1024 * 1024);
      for (let i = 0; i < 6; i += 1) await resourceViews.append({ path: `ns/n${String(i)}`, data });
      resourceViews.store.settled = () => Promise.reject(error);
      const { wire } = watching(resourceViews, { plan: pastPlan(1) });
      await turn();
      expect(Buffer.concat(wire.chunks).toString()).toContain(says);
      expect(wire.ended).toBe(1);
    }
  });

  it('ends with its client, wherever it is', async () => {
    const resourceViews = await givenViews();
    const names = Array.from({ length: 1_100 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    await resourceViews.append(...names.map((name) => ({ path: `ns/${name}` })));
    await resourceViews.append({ path: 'ns/n0000', previous: 1 });
    const { wire, ends, resource } = watching(resourceViews, { plan: pastPlan(1_100) });
    const shown = wire.shown.length;
    wire.close();
    await turn();
    await turn();
    expect([wire.shown.length, ends.count, resource.watch.watcherCount]).toEqual([shown, 1, 0]);
  });
});
