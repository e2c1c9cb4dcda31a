import { describe, expect, it } from 'vitest';
import { DroppedRequests } from './dropped-requests.ts';

/** How late clients are told to come that are turned away, so many in each second. */
function retryAfters(perSecond: readonly number[]): number[] {
  const dropped = new DroppedRequests();
  return perSecond.map((count, second) => {
    for (let at = 0; at < count; at += 1) dropped.record((1_000 + second) * 1_000 + at);
    return dropped.retryAfter;
  });
}

describe('when to come again', () => {
  it('is later each time while many are turned away, up to half a minute', () => {
    const many = Array.from({ length: 80 }, () => 100);
    const told = retryAfters(many);
    expect(told.slice(0, 4)).toEqual([1, 2, 2, 4]);
    expect(told.at(-1)).toBe(32);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
  });

  it('is a second earlier each time when few are', () => {
    const many = Array.from({ length: 8 }, () => 100);
    const few = Array.from({ length: 200 }, (_none, second) => (second % 5 === 0 ? 1 : 0));
    const told = retryAfters([...many, ...few]);
    expect(Math.max(...told)).toBeGreaterThan(3);
    expect(told.at(-1)).toBe(1);
  });
});
