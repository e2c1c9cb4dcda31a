import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { followLifeline, LIFELINE_VARIABLE } from './lifeline.ts';

function given(variable: string | undefined) {
  const stdin = new PassThrough();
  const signals: [number, string][] = [];
  followLifeline({
    env: { [LIFELINE_VARIABLE]: variable },
    stdin,
    pid: 7,
    kill: (pid, signal) => signals.push([pid, signal]),
  });
  return { stdin, signals };
}

it('ends the process with its standard input, whatever came before', async () => {
  const { stdin, signals } = given('stdin');
  stdin.write('not looked at');
  expect(signals).toEqual([]);
  stdin.end();
  await finished(stdin);
  expect(signals).toEqual([[7, 'SIGTERM']]);
});

it('ends it when the pipe breaks', async () => {
  const { stdin, signals } = given('stdin');
  stdin.destroy(new Error('EIO'));
  await expect(finished(stdin)).rejects.toThrow('EIO');
  expect(signals).toEqual([[7, 'SIGTERM']]);
});

it('does not look where it is not told to', async () => {
  const { stdin, signals } = given(undefined);
  stdin.end();
  stdin.resume();
  await finished(stdin);
  expect(signals).toEqual([]);
});
