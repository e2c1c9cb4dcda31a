import { expect, it } from 'vitest';
import { LifecycleSignals } from './lifecycle-signals.ts';

it('are given once and stay given', () => {
  const told: string[] = [];
  const signals = new LifecycleSignals((name) => void told.push(name));
  const ready = signals.of('HasBeenReady');
  expect(ready.isGiven).toBe(false);
  signals.give('HasBeenReady');
  signals.give('HasBeenReady');
  expect(ready.isGiven).toBe(true);
  expect(signals.of('ShutdownInitiated').isGiven).toBe(false);
  expect(told).toEqual(['HasBeenReady']);
});
