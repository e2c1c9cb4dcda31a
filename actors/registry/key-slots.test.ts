import { describe, expect, it } from 'vitest';
import { KeySlots, type Release } from './key-slots.ts';

describe('key slots', () => {
  it('runs jobs of one key one after the other, in order', () => {
    const slots = new KeySlots();
    const ran: string[] = [];
    const releases: Release[] = [];
    for (const name of ['first', 'second', 'third']) {
      slots.take('a', (release) => {
        ran.push(name);
        releases.push(release);
      });
    }
    expect(ran).toEqual(['first']);
    releases[0]?.();
    expect(ran).toEqual(['first', 'second']);
    releases[1]?.();
    releases[2]?.();
    expect(ran).toEqual(['first', 'second', 'third']);
    expect(slots.size).toBe(0);
  });

  it('does not let one key wait for another', () => {
    const slots = new KeySlots();
    const ran: string[] = [];
    for (const key of ['a', 'b']) slots.take(key, () => ran.push(key));

    expect(ran).toEqual(['a', 'b']);
  });

  it('counts a second release of the same job for nothing', () => {
    const slots = new KeySlots();
    const ran: number[] = [];
    const releases: Release[] = [];
    for (const job of [1, 2, 3]) {
      slots.take('a', (release) => {
        ran.push(job);
        releases.push(release);
      });
    }
    releases[0]?.();
    releases[0]?.();

    expect(ran).toEqual([1, 2]);
  });

  it('gives the key on when a job throws', () => {
    const slots = new KeySlots();
    const fail = (): void => {
      slots.take('a', () => {
        throw new Error('broken');
      });
    };
    expect(fail).toThrow('broken');
    let ran = false;
    slots.take('a', () => {
      ran = true;
    });

    expect(ran).toBe(true);
  });
});
