import { describe, expect, it } from 'vitest';
import { doneInSlices, inSlices, LARGE_BYTES, restOf, sliced, whole } from './large-work.ts';
import { until } from '../../tools/until.fixture.ts';

/** Counts turns of the event loop until it is told to stop. */
function turnsOfTheLoop() {
  let turns = 0;
  let isOver = false;
  const goOn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(goOn);
  };
  setImmediate(goOn);
  return {
    now: () => turns,
    stop: () => {
      isOver = true;
    },
  };
}

describe('work', () => {
  it('that is small is done at once', () => {
    const done: string[] = [];
    sliced(LARGE_BYTES - 1, () => done.push('small'));

    expect(done).toEqual(['small']);
    expect(doneInSlices(10, () => 2)).toBe(2);
    expect(restOf(10)).toBeUndefined();
    function* parts(): Generator<undefined, string, undefined> {
      yield;
      return 'parted';
    }
    expect(whole(LARGE_BYTES - 1, parts())).toBe('parted');
    expect(whole(LARGE_BYTES, parts())).toBeInstanceOf(Promise);
  });

  it('of many large requests is done in a turn for each, in order', async () => {
    const loop = turnsOfTheLoop();
    const turns: number[] = [];
    const names: number[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      sliced(LARGE_BYTES, () => {
        turns.push(loop.now());
        names.push(nth);
      });
    }
    await until(() => names.length >= 5);
    loop.stop();

    expect(names).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(turns).size).toBe(5);
  });

  it('that is parted has a turn for each part, and ends in what it gives or throws', async () => {
    const loop = turnsOfTheLoop();
    const turns: number[] = [];
    function* parts(last: () => string): Generator<undefined, string, undefined> {
      for (let nth = 0; nth < 3; nth += 1) {
        turns.push(loop.now());
        yield;
      }
      return last();
    }
    await expect(inSlices(parts(() => 'done'))).resolves.toBe('done');
    const failing = parts(() => {
      throw new Error('no');
    });
    await expect(inSlices(failing)).rejects.toThrow('no');
    loop.stop();

    expect(new Set(turns).size).toBe(6);
  });

  it('that throws does not keep others from their turn', async () => {
    function* part(work: () => number): Generator<undefined, number, undefined> {
      yield undefined;
      return work();
    }
    const failing = inSlices(
      part(() => {
        throw new Error('no');
      }),
    );
    const next = inSlices(part(() => 2));

    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe(2);
  });
});
