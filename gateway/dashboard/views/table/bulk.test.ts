import { expect, it } from 'vitest';
import { parseLabel, runOn, summaryOf } from './bulk.ts';

it('does what is allowed, tells what is refused, and runs some at the same time', async () => {
  const keys = Array.from({ length: 11 }, (_, at) => `shop/web-${String(at)}`);
  let running = 0;
  let most = 0;
  const told: number[] = [];
  const act = async (key: string): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    if (/-[37]$/.test(key)) throw new Error(`no right to ${key}`);
  };
  const result = await runOn(keys, act, (through) => told.push(through));
  expect(result).toEqual({
    done: 9,
    refused: [
      { key: 'shop/web-3', why: 'no right to shop/web-3' },
      { key: 'shop/web-7', why: 'no right to shop/web-7' },
    ],
  });
  expect(most).toBe(4);
  expect(told.at(-1)).toBe(11);
  expect(summaryOf('Pods deleted', result)).toBe('9 Pods deleted, 2 refused.');
  expect(summaryOf('Pods deleted', { done: 1, refused: [] })).toBe('1 Pods deleted.');
});

it('labels are set and taken away', () => {
  expect(parseLabel('app=web')).toEqual({ app: 'web' });
  expect(parseLabel(' example.org/tier= ')).toEqual({ 'example.org/tier': '' });
  expect(parseLabel('app-')).toEqual({ app: null });
  expect(['', '=', 'a b=c', '-', 'a=b=c'].map(parseLabel)).toEqual(Array(5).fill(undefined));
});
