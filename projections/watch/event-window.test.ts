import { describe, expect, it } from 'vitest';

import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CONFIG_MAPS } from '../given.fixture.ts';
import { EventWindow, type Portion } from './event-window.ts';

const version = resourceVersion;

function event(at: number, sizeBytes: number): CommittedEvent {
  const object = {
    resource: CONFIG_MAPS,
    path: 'ns/a',
    resourceVersion: version(at),
    labels: undefined,
    json: Buffer.alloc(sizeBytes),
  };
  return {
    resourceVersion: version(at),
    type: 'modified',
    resource: CONFIG_MAPS,
    path: 'ns/a',
    object,
    previous: undefined,
  };
}

const versionsAfter = (window: EventWindow, at: number, portion?: Portion): number[] =>
  window.after(version(at), portion).map((one) => one.resourceVersion);

describe('a window of events', () => {
  it('gives those after a version, oldest first', () => {
    const window = new EventWindow(1_000);
    for (const at of [2, 5, 9]) window.push(event(at, 10));
    expect(versionsAfter(window, 0)).toEqual([2, 5, 9]);
    expect(versionsAfter(window, 2)).toEqual([5, 9]);
    expect(versionsAfter(window, 4)).toEqual([5, 9]);
    expect(versionsAfter(window, 9)).toEqual([]);
  });

  it('gives a portion of them, and at least one', () => {
    const window = new EventWindow(1_000);
    for (const at of [2, 5, 9]) window.push(event(at, 10));
    expect(versionsAfter(window, 0, { events: 2, bytes: 1_000 })).toEqual([2, 5]);
    expect(versionsAfter(window, 0, { events: 9, bytes: 11 })).toEqual([2, 5]);
    expect(versionsAfter(window, 2, { events: 9, bytes: 1 })).toEqual([5]);
  });

  it('reaches back to where it began', () => {
    const window = new EventWindow(1_000, version(4));
    expect(window.reachesBackTo(version(4))).toBe(true);
    expect(window.reachesBackTo(version(3))).toBe(false);
    window.push(event(7, 10));
    expect(window.reachesBackTo(version(4))).toBe(true);
  });

  it('lets go of the oldest when there is no room', () => {
    const window = new EventWindow(25);
    for (const at of [1, 2, 3]) window.push(event(at, 10));
    expect(versionsAfter(window, 0)).toEqual([2, 3]);
    expect(window.reachesBackTo(version(0))).toBe(false);
    expect(window.reachesBackTo(version(1))).toBe(true);
  });

  it('keeps the newest, however large', () => {
    const window = new EventWindow(25);
    window.push(event(1, 10));
    window.push(event(2, 1_000));
    expect(versionsAfter(window, 0)).toEqual([2]);
    window.push(event(3, 10));
    expect(versionsAfter(window, 0)).toEqual([3]);
  });

  it('stays right when it moves up, again and again', () => {
    const window = new EventWindow(100);
    for (let at = 1; at <= 10_000; at += 1) {
      window.push(event(at, 10));
      if (at < 20 || at % 997 !== 0) continue;
      expect(versionsAfter(window, 0)).toEqual(Array.from({ length: 10 }, (_, i) => at - 9 + i));
      expect(versionsAfter(window, at - 3)).toEqual([at - 2, at - 1, at]);
      expect(window.reachesBackTo(version(at - 10))).toBe(true);
      expect(window.reachesBackTo(version(at - 11))).toBe(false);
    }
  });
});
