import { describe, expect, it } from 'vitest';
import { COMING_MS, HandshakeTurns, TURNS_FOR_COMING } from './handshake-turns.ts';

const COUNT = 2_501;

/** Goes on turn by turn, each of so many milliseconds, and tells which handshakes began. */
function given(turnMs = 0) {
  let time = 0;
  const turns = new HandshakeTurns(() => time);
  const begun: number[] = [];
  const now = (): number[] => begun.splice(0);
  return {
    now,
    turns,
    add: (...names: number[]): void => {
      for (const name of names) turns.add(() => begun.push(name));
    },
    async next(): Promise<number[]> {
      time += turnMs;
      await new Promise((resolve) => setImmediate(resolve));
      return now();
    },
  };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('handshakes', () => {
  it('begin at once where one comes now and then', async () => {
    const { add, now, next } = given();
    for (const name of numbers(0, 9)) {
      add(name);
      expect(now()).toEqual([name]);
      expect([...(await next()), ...(await next())]).toEqual([]);
    }
  });

  it('of a crowd that comes together begin two in a turn, each once', async () => {
    const { add, now, next, turns } = given();
    add(...numbers(1, COUNT));
    const seen = new Set(now());
    expect([...seen]).toEqual([1]);
    expect(await next()).toEqual([]);
    for (let left = COUNT - 1; left > 0; left -= 2) {
      expect(turns.size).toBe(left);
      const those = await next();
      expect(those).toHaveLength(2);
      for (const name of those) seen.add(name);
    }
    expect(seen.size).toBe(COUNT);
    expect([...(await next()), ...(await next())]).toEqual([]);
  });

  it('wait while more come, and not for ever', async () => {
    const { add, now, next } = given();
    add(0);
    now();
    const seen: number[][] = [];
    for (const name of numbers(1, 4 * (TURNS_FOR_COMING + 1))) {
      add(name);
      seen.push(await next());
    }
    const sizes = seen.map(({ length }) => length);
    const round = [...Array.from({ length: TURNS_FOR_COMING }, () => 0), 2];
    expect(sizes).toEqual([...round, ...round, ...round, ...round]);
    // The first of all that wait, and the one that came last.
    expect(seen.flat()).toEqual([1, 17, 2, 34, 3, 51, 4, 68]);
  });

  it('keep up with one that comes in each turn, where turns are long', async () => {
    const { add, next, turns } = given(COMING_MS);
    add(...numbers(0, 9));
    for (const name of numbers(10, 100)) {
      add(name);
      await next();
      expect(turns.size).toBeLessThan(10);
    }
    expect(turns.size).toBe(0);
  });

  it('of one that comes behind a crowd begin a turn later', async () => {
    const { add, now, next } = given();
    add(...numbers(1, COUNT));
    now();
    await next();
    expect(await next()).toEqual([2, COUNT]);
    add(0);
    expect(await next()).toEqual([]);
    expect(await next()).toEqual([3, 0]);
    expect(await next()).toEqual([4, COUNT - 1]);
  });
});
