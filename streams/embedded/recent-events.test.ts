import { describe, expect, it } from 'vitest';
import { loggedAt } from '../event-codec.ts';
import type { LoggedEvent } from '../event.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { RecentEvents } from './recent-events.ts';

const MIB = 1024 * 1024;

/** Appended events from `first` on. */
function group(first: number, count: number, bytesEach = 10): LoggedEvent[] {
  const json = Buffer.alloc(bytesEach);
  return Array.from({ length: count }, (_, index) =>
    loggedAt(proposedEvent(first + index, { json }), resourceVersion(first + index)),
  );
}

function kept(recent: RecentEvents, from: number): number[] | undefined {
  return recent.slice(resourceVersion(from))?.map((event) => event.resourceVersion);
}

describe('RecentEvents', () => {
  it('gives what is left of the append in which the version is', () => {
    const recent = new RecentEvents();
    recent.push(group(1, 3));
    recent.push(group(4, 2));

    expect([1, 2, 3].map((from) => kept(recent, from))).toEqual([[1, 2, 3], [2, 3], [3]]);
    expect([4, 5].map((from) => kept(recent, from))).toEqual([[4, 5], [5]]);
    expect(kept(recent, 6)).toBeUndefined();
  });

  it('gives the very events that were appended', () => {
    const recent = new RecentEvents();
    const events = group(7, 2);
    recent.push(events);

    expect(recent.slice(resourceVersion(7))?.[0]).toBe(events[0]);
  });

  it('knows nothing of what came before it began', () => {
    const recent = new RecentEvents();
    expect(kept(recent, 1)).toBeUndefined();
    recent.push(group(10, 2));
    expect(kept(recent, 9)).toBeUndefined();
  });

  it('keeps 128 events, and forgets the oldest append beyond them', () => {
    const recent = new RecentEvents();
    recent.push(group(1, 28));
    recent.push(group(29, 100));
    expect(kept(recent, 1)).toHaveLength(28);

    recent.push(group(129, 1));
    expect(kept(recent, 1)).toBeUndefined();
    expect(kept(recent, 29)).toHaveLength(100);
    // What was forgotten makes room.
    recent.push(group(130, 27));
    expect(kept(recent, 29)).toHaveLength(100);
  });

  it('keeps 4 MiB, and forgets the oldest append beyond them', () => {
    const recent = new RecentEvents();
    recent.push(group(1, 1, MIB));
    recent.push(group(2, 3, MIB));
    expect(kept(recent, 1)).toEqual([1]);

    recent.push(group(5, 1, 1));
    expect(kept(recent, 1)).toBeUndefined();
    expect(kept(recent, 2)).toEqual([2, 3, 4]);
    recent.push(group(6, 1, MIB - 1));
    expect(kept(recent, 2)).toEqual([2, 3, 4]);
  });

  it('keeps nothing of an append that is larger than all it may keep', () => {
    const recent = new RecentEvents();
    recent.push(group(1, 5, MIB));
    expect(kept(recent, 1)).toBeUndefined();

    recent.push(group(6, 1));
    expect(kept(recent, 6)).toEqual([6]);
  });
});
