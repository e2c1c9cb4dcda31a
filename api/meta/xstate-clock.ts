/** Time for statecharts: xstate counts it on timers of its own shape, which a Clock can drive. */
import type { Clock } from './clock.ts';

export interface XstateClock {
  setTimeout(callback: () => void, delayMs: number): number;
  clearTimeout(id: number): void;
}

/** Our timers give a function that takes them back; xstate's have a number. */
export function xstateClock(clock: Clock): XstateClock {
  const pending = new Map<number, () => void>();
  let lastId = 0;
  return {
    setTimeout(callback, delayMs) {
      lastId += 1;
      const id = lastId;
      pending.set(
        id,
        clock.after(delayMs, () => {
          pending.delete(id);
          callback();
        }),
      );
      return id;
    },
    clearTimeout(id) {
      pending.get(id)?.();
      pending.delete(id);
    },
  };
}
