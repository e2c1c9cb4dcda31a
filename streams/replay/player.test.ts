import { describe, expect, it } from 'vitest';
import type { Clock } from '../../api/meta/clock.ts';
import { loggedAt } from '../event-codec.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import type { LoggedEvent } from '../event.ts';
import { resourceVersion } from '../resource-version.ts';
import { Player, type PlayedPosition, type PlayerParts } from './player.ts';

/** Stands still until it is told to go on; jumps from timer to timer. */
class ManualClock implements Clock {
  time = 5_000_000;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.time;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.#timers.set(callback, this.time + delayMs);
    return () => this.#timers.delete(callback);
  }

  get waiting(): number {
    return this.#timers.size;
  }

  /** Goes to the next timer and runs it; false when there is none. */
  async next(): Promise<boolean> {
    await settled();
    const [first] = [...this.#timers].sort(([, a], [, b]) => a - b);
    if (first === undefined) return false;
    this.time = first[1];
    this.#timers.delete(first[0]);
    first[0]();
    await settled();
    return true;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function recordsAt(...times: readonly number[]): LoggedEvent[] {
  return times.map((time, index) =>
    loggedAt(proposedEvent(index + 1, { time }), resourceVersion(index + 1)),
  );
}

async function* batchesOf(...batches: LoggedEvent[][]): AsyncGenerator<LoggedEvent[]> {
  for (const batch of batches) {
    await Promise.resolve();
    yield batch;
  }
}

interface Given extends Partial<PlayerParts> {
  readonly times: readonly number[];
  readonly signal?: AbortSignal;
}

function givenPlayer({ times, signal = new AbortController().signal, ...parts }: Given) {
  const clock = new ManualClock();
  const begin = clock.time;
  /** When each version was delivered, in milliseconds after the beginning. */
  const played: [version: number, afterMs: number][] = [];
  const moves: PlayedPosition[] = [];
  const player = new Player(
    {
      clock,
      records: batchesOf(recordsAt(...times)),
      speed: 1,
      deliver: (records) => {
        for (const { resourceVersion: version } of records)
          played.push([version, clock.time - begin]);
        return Promise.resolve();
      },
      moved: (position) => moves.push(position),
      ...parts,
    },
    signal,
  );
  return { clock, played, moves, player };
}

async function runToEnd(
  clock: ManualClock,
  playing: Promise<PlayedPosition>,
): Promise<PlayedPosition> {
  while (await clock.next());
  return playing;
}

describe('a player', () => {
  it('leaves the pauses that were there', async () => {
    const { clock, played, player } = givenPlayer({ times: [1_000, 1_000, 1_700, 9_000] });
    const end = await runToEnd(clock, player.play());

    expect(played).toEqual([
      [1, 0],
      [2, 0],
      [3, 700],
      [4, 8_000],
    ]);
    expect(end).toEqual({ time: 9_000, version: 4, count: 4 });
  });

  it.each([
    [2, [0, 500, 5_000]],
    [10, [0, 100, 1_000]],
    [0.5, [0, 2_000, 20_000]],
  ])('plays %d times as fast', async (speed, expected) => {
    const { clock, played, player } = givenPlayer({ times: [0, 1_000, 10_000], speed });
    await runToEnd(clock, player.play());

    expect(played.map(([, afterMs]) => afterMs)).toEqual(expected);
  });

  it('waits before the first record when it begins earlier', async () => {
    const { clock, played, player } = givenPlayer({ times: [3_000, 4_000], beginTime: 1_000 });
    await runToEnd(clock, player.play());

    expect(played).toEqual([
      [1, 2_000],
      [2, 3_000],
    ]);
  });

  it('never waits when the speed has no limit, and hands over what comes together', async () => {
    const times = Array.from({ length: 600 }, (_, index) => index * 60_000);
    const sizes: number[] = [];
    const deliver = (records: readonly LoggedEvent[]) => {
      sizes.push(records.length);
      return Promise.resolve();
    };
    const { clock, player } = givenPlayer({ times, speed: Infinity, deliver });

    expect(await player.play()).toMatchObject({ version: 600, count: 600, time: 599 * 60_000 });
    expect(clock.waiting).toBe(0);
    expect(sizes).toEqual([256, 256, 88]);
  });

  it('plays at once what says an earlier time than the one before', async () => {
    const { clock, played, player } = givenPlayer({ times: [1_000, 5_000, 2_000, 6_000] });
    await runToEnd(clock, player.play());

    expect(played.map(([, afterMs]) => afterMs)).toEqual([0, 4_000, 4_000, 5_000]);
  });

  it('catches up after a delivery that took long', async () => {
    const { clock, played, player } = givenPlayer({
      times: [0, 1_000, 2_000, 30_000],
      deliver: (records) => {
        played.push(
          ...records.map((one): [number, number] => [one.resourceVersion, clock.time - begin]),
        );
        if (records[0]?.resourceVersion === 1) clock.time += 10_000;
        return Promise.resolve();
      },
    });
    const begin = clock.time;
    await runToEnd(clock, player.play());

    expect(played).toEqual([
      [1, 0],
      [2, 10_000],
      [3, 10_000],
      [4, 30_000],
    ]);
  });

  it('tells the time each second while nothing happens', async () => {
    const { clock, moves, player } = givenPlayer({ times: [0, 3_500] });
    await runToEnd(clock, player.play());

    expect(moves.map(({ time, version }) => [time, version])).toEqual([
      [0, 1],
      [1_000, 1],
      [2_000, 1],
      [3_000, 1],
      [3_500, 1],
      [3_500, 2],
    ]);
  });

  it('plays nothing behind a no, step by step', async () => {
    const asked: number[] = [];
    const { clock, played, player } = givenPlayer({
      times: [0, 60_000, 120_000],
      step: ({ resourceVersion: version }) => {
        asked.push(version);
        return Promise.resolve(version < 3);
      },
    });

    expect(await player.play()).toMatchObject({ version: 2, count: 2 });
    expect(asked).toEqual([1, 2, 3]);
    expect(played.map(([version]) => version)).toEqual([1, 2]);
    expect(clock.waiting).toBe(0);
  });

  it('ends when it is told to, though it waits', async () => {
    const stop = new AbortController();
    const { clock, played, player } = givenPlayer({ times: [0, 60_000], signal: stop.signal });
    const playing = player.play();
    await clock.next();
    stop.abort();

    expect(await playing).toMatchObject({ version: 1, count: 1 });
    expect(played).toEqual([[1, 0]]);
    expect(clock.waiting).toBe(0);
  });

  it('ends with the error of the receiver of the records', async () => {
    const { player } = givenPlayer({
      times: [0],
      deliver: () => Promise.reject(new Error('the server is gone')),
    });

    await expect(player.play()).rejects.toThrow('the server is gone');
  });
});
