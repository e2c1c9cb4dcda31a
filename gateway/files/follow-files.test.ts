import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
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

const EVERY_MS = 10;

/** A follower of both files, which refuses what begins with `bad`. */
function given({ triesAgain = false } = {}) {
  const heard: string[] = [];
  const clock = testClock();
  const stopping = new AbortController();
  followFiles({
    files: [file, other],
    texts: ['one', 'more'],
    everyMs: EVERY_MS,
    clock,
    until: stopping.signal,
    triesAgain,
    take([text = '', more = '']) {
      if (text.startsWith('bad')) throw new Error(`refused ${text}`);
      heard.push(`${text} ${more}`);
    },
    failed: (error) => heard.push(error instanceof Error ? error.message : ''),
  });
  /** Comes when it is time, and is over when the next one is planned. */
  const look = async (): Promise<void> => {
    clock.advance(EVERY_MS);
    await expect.poll(() => clock.waiting).toBe(1);
  };
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

it('looks every so often, one look at a time, until it is ended', async () => {
  const { heard, clock, stopping, look } = given();
  for (const text of ['two', 'three']) {
    writeFileSync(file, text);
    clock.advance(EVERY_MS - 1);
    expect(clock.waiting).toBe(1);
    await look();
    expect(heard.at(-1)).toBe(`${text} more`);
  }
  stopping.abort();
  expect([clock.waiting, listenersOf(stopping)]).toEqual([0, 0]);
});

it('does not look again while a look is under way', async () => {
  const { clock, stopping } = given();
  clock.advance(10 * EVERY_MS);
  expect(clock.waiting).toBe(0);
  await expect.poll(() => clock.waiting).toBe(1);
  stopping.abort();
});

it('ends also while it looks', async () => {
  const { heard, clock, stopping } = given();
  writeFileSync(file, 'two');
  clock.advance(EVERY_MS);
  stopping.abort();
  // What was found is put in force all the same, and nothing comes behind it.
  await expect.poll(() => heard).toEqual(['two more']);
  await new Promise((resolve) => setImmediate(resolve));
  expect([clock.waiting, listenersOf(stopping)]).toEqual([0, 0]);
});

it('leaves nothing where there is no file', () => {
  const clock = testClock();
  const stopping = new AbortController();
  const refused = () => expect.unreachable();
  followFiles({
    ...{ files: [], texts: [], everyMs: EVERY_MS, clock, until: stopping.signal },
    ...{ take: refused, failed: refused },
  });
  expect([clock.waiting, listenersOf(stopping)]).toEqual([0, 0]);
});

function listenersOf(stopping: AbortController): number {
  return getEventListeners(stopping.signal, 'abort').length;
}
