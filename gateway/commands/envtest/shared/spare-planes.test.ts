import { expect, it } from 'vitest';
import { ManualClock } from '../../../../api/meta/manual-clock.fixture.ts';
import { type SparePlane, SparePlanes } from './spare-planes.ts';

class Plane implements SparePlane {
  isEnded = false;
  isStopped = false;
  readonly started: Promise<boolean>;
  starts: (isStarted: boolean) => void = () => undefined;

  constructor() {
    this.started = new Promise((resolve) => {
      this.starts = resolve;
    });
  }

  stop(): void {
    this.isStopped = true;
  }
}

function given() {
  const clock = new ManualClock();
  const made: Plane[] = [];
  const spares = new SparePlanes({
    clock,
    start: () => {
      const plane = new Plane();
      made.push(plane);
      return plane;
    },
  });
  const started = async (at: number, isStarted = true): Promise<void> => {
    made[at]?.starts(isStarted);
    await made[at]?.started;
    await Promise.resolve();
    clock.advance(1_000);
  };
  return { clock, made, spares, started };
}

it('gives one that waited, of two that are started one after the other', async () => {
  const { clock, made, spares, started } = given();
  expect(spares.take(['--v=1'])).toBe(made[0]);
  spares.refill();
  spares.refill();
  expect(made).toHaveLength(1);
  clock.advance(1_000);
  expect(made).toHaveLength(2);
  await started(1);
  await started(2);
  expect(made).toHaveLength(3);
  expect([spares.take(['--v=1']), spares.take(['--v=1'])]).toEqual([made[1], made[2]]);
  expect(spares.take(['--v=1'])).toBe(made[3]);
});

it('gives none of other flags, and ends those', async () => {
  const { clock, made, spares, started } = given();
  spares.take([]);
  spares.refill();
  clock.advance(1_000);
  await started(1);
  expect(spares.take(['--v=1'])).toBe(made.at(-1));
  expect(made.map(({ isStopped }) => isStopped)).toEqual([false, true, true, false]);
  // It was ended, and asks for no other.
  await started(2);
  expect(made).toHaveLength(4);
});

it('gives none that has ended, and starts none behind one that does not start', async () => {
  const { clock, made, spares, started } = given();
  spares.take([]);
  spares.refill();
  clock.advance(1_000);
  await started(1, false);
  expect(made).toHaveLength(2);
  const [, spare] = made;
  if (spare !== undefined) spare.isEnded = true;
  expect(spares.take([])).toBe(made[2]);
});
