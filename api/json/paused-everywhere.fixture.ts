/** For tests of work in slices: what it comes to with a pause wherever there may be one. */
import { WorkInSlices } from './work-in-slices.ts';

export function pausedEverywhere<Result>(work: () => Result): Result {
  const slices = new WorkInSlices(work, 1);
  for (;;) {
    const done = slices.goOn();
    if (done.isDone) return done.value;
  }
}
