import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { loggedAt } from '../event-codec.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import type { LoggedEvent } from '../event.ts';
import { resourceVersion } from '../resource-version.ts';
import { ReaderPositions } from './reader-positions.ts';

const NEWEST = 10;

/** Reading pauses while more than two versions lie in front of the fastest reader. */
function given() {
  const positions = new ReaderPositions((fastest) => NEWEST - fastest > 2);
  return {
    positions,
    async isPaused(): Promise<boolean> {
      let isRead = false;
      void positions.mayRead().then(() => {
        isRead = true;
      });
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      return !isRead;
    },
    reader(from: number, signal = new AbortController().signal) {
      const batches = positions.follow(resourceVersion(from), signal, oneByOne(from, signal));
      return batches[Symbol.asyncIterator]();
    },
  };
}

async function* oneByOne(from: number, signal: AbortSignal): AsyncGenerator<LoggedEvent[]> {
  for (let version = from; version <= NEWEST && !signal.aborted; version += 1) {
    yield [loggedAt(proposedEvent(version), resourceVersion(version))];
  }
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}

describe('how far readers have come', () => {
  it('does not matter without readers', async () => {
    const { isPaused, reader } = given();
    expect(await isPaused()).toBe(false);
    reader(1);
    expect(await isPaused()).toBe(false);
  });

  it('pauses reading until the fastest of them catches up', async () => {
    const { positions, isPaused, reader } = given();
    const [slow, fast] = [reader(1), reader(5)];
    await slow.next();
    expect(await isPaused()).toBe(true);
    await fast.next();
    expect(await isPaused()).toBe(true);
    const resumed = positions.mayRead();
    for (let version = 6; version <= 8; version += 1) await fast.next();

    await resumed;
    expect(await isPaused()).toBe(false);
  });

  it('never pauses while one of them waits, whatever it waits for', async () => {
    const { isPaused, reader } = given();
    const slow = reader(1);
    await slow.next();
    expect(await isPaused()).toBe(true);
    void reader(NEWEST + 1).next();
    expect(await isPaused()).toBe(false);
  });

  it('is that of a fold as well, which reads no batches, until it ends', async () => {
    const { positions, isPaused } = given();
    positions.folds(resourceVersion(5), false);
    expect(await isPaused()).toBe(true);
    positions.folds(resourceVersion(5), true);
    expect(await isPaused()).toBe(false);
    positions.folds(resourceVersion(6), false);
    const resumed = positions.mayRead();
    positions.folds(resourceVersion(8), false);
    await resumed;
    positions.folds(resourceVersion(2), false);
    expect(await isPaused()).toBe(true);
    positions.foldEnds();
    expect(await isPaused()).toBe(false);
  });

  it('forgets a reader that ends, and its signal with it', async () => {
    const { isPaused, reader } = given();
    const controller = new AbortController();
    const left = reader(1, controller.signal);
    await left.next();
    expect(await isPaused()).toBe(true);
    await left.return?.();
    expect(await isPaused()).toBe(false);

    const aborted = reader(1, controller.signal);
    await aborted.next();
    expect(await isPaused()).toBe(true);
    controller.abort();
    expect(await isPaused()).toBe(false);
    expect((await aborted.next()).done).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
