import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { followFiles } from './follow-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'follow-files-'));
const file = join(folder, 'configuration');
const other = join(folder, 'other');

beforeEach(() => {
  writeFileSync(file, 'one');
  writeFileSync(other, 'more');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A follower of both files, who refuses what begins with `bad`. */
function given({ triesAgain = false } = {}) {
  const heard: string[] = [];
  const clock = testClock();
  const stopping = new AbortController();
  const look = followFiles({
    files: [file, other],
    texts: ['one', 'more'],
    everyMs: 10,
    clock,
    until: stopping.signal,
    triesAgain,
    take([text = '', more = '']) {
      if (text.startsWith('bad')) throw new Error(`refused ${text}`);
      heard.push(`${text} ${more}`);
    },
    failed: (error) => heard.push(error instanceof Error ? error.message : ''),
  });
  return { heard, clock, stopping, look };
}

describe('what is found', () => {
  it('is taken when it has changed, and once', async () => {
    const { heard, look } = given();
    await look();
    writeFileSync(other, 'less');
    await look();
    await look();
    expect(heard).toEqual(['one less']);
  });

  it('is not tried again before it changes, where it was no good', async () => {
    const { heard, look } = given();
    writeFileSync(file, 'bad');
    await look();
    await look();
    expect(heard).toEqual(['refused bad']);
    writeFileSync(file, 'one');
    await look();
    expect(heard).toEqual(['refused bad', 'one more']);
  });

  it('is tried again and again where what is wrong may lie elsewhere', async () => {
    const { heard, look } = given({ triesAgain: true });
    writeFileSync(file, 'bad');
    await look();
    await look();
    expect(heard).toEqual(['refused bad', 'refused bad']);
    writeFileSync(file, 'one');
    await look();
    expect(heard).toHaveLength(2);
  });

  it('is no good where a file is missing', async () => {
    const { heard, look } = given();
    rmSync(other);
    await look();
    await look();
    expect(heard).toEqual([expect.stringContaining('ENOENT')]);
    writeFileSync(other, 'more');
    await look();
    expect(heard.at(-1)).toBe('one more');
  });
});

it('looks every so often, until it is ended', async () => {
  const { heard, clock, stopping } = given();
  for (const text of ['two', 'three']) {
    writeFileSync(file, text);
    await vi.waitFor(() => {
      clock.advance(10);
      expect(heard.at(-1)).toBe(`${text} more`);
    });
  }
  await vi.waitFor(() => {
    expect(clock.waiting).toBe(1);
  });
  stopping.abort();
  expect(clock.waiting).toBe(0);
});

it('ends also while it looks', async () => {
  const { clock, stopping, look } = given();
  const looking = look();
  clock.advance(10);
  stopping.abort();
  await looking;
  await look();
  expect(clock.waiting).toBe(0);
});
