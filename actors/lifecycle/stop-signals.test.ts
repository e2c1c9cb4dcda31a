import { describe, expect, it } from 'vitest';
import { stopOnSignals, type StopSignal } from './lifecycle-signals.ts';

function given(stop: () => Promise<void>) {
  const listeners = new Map<StopSignal, () => void>();
  const codes: number[] = [];
  stopOnSignals({
    signals: { on: (signal, listener) => listeners.set(signal, listener) },
    stop,
    exit: (code) => void codes.push(code),
  });
  return { codes, signal: (name: StopSignal) => listeners.get(name)?.() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('stopOnSignals', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 when %s has stopped all', async (name) => {
    let finish = (): void => undefined;
    const { codes, signal } = given(() => new Promise((resolve) => (finish = resolve)));
    signal(name);
    await settled();
    expect(codes).toEqual([]);
    finish();
    await settled();
    expect(codes).toEqual([0]);
  });

  it('exits with 1 when stopping failed', async () => {
    const { codes, signal } = given(() => Promise.reject(new Error('disk full')));
    signal('SIGTERM');
    await settled();
    expect(codes).toEqual([1]);
  });

  it('exits at once at the second signal, whichever it is', () => {
    let stops = 0;
    const { codes, signal } = given(() => {
      stops += 1;
      return new Promise(() => undefined);
    });
    signal('SIGINT');
    signal('SIGTERM');
    expect(codes).toEqual([1]);
    expect(stops).toBe(1);
  });
});
