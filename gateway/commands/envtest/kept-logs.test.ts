import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptDirectory, LOGS_VARIABLE, outdated } from './kept-logs.ts';

const none = (): boolean => false;

function nameOf(suite: string, second: number): string {
  return `${suite}-20261126T1000${String(second).padStart(2, '0')}000-${String(second)}`;
}

/** No process has such an id. */
function ended(second: number): string {
  return nameOf('one', second).replace(/\d+$/, `4999${String(second).padStart(5, '0')}`);
}

it('leaves the newest of all suites, and what is no log', () => {
  const names = Array.from({ length: 25 }, (_, at) => nameOf(at % 2 === 0 ? 'a' : 'z', at));
  const gone = [0, 1, 2, 3, 4, 5].map((at) => names[at]);
  expect(outdated([...names.toReversed(), 'notes.txt', 'a-b-c'], none)).toEqual(gone);
  expect(outdated(names.slice(0, 19), none)).toEqual([]);
  expect(outdated(names, (id) => id < 4)).toEqual([names[4], names[5]]);
});

it('removes what is too old, and names a place after the suite', () => {
  const logs = mkdtempSync(join(tmpdir(), 'everwatch-kept-'));
  try {
    for (let at = 0; at < 20; at += 1)
      mkdirSync(join(logs, ended(at), 'everwatch'), { recursive: true });
    const place = keptDirectory({ [LOGS_VARIABLE]: logs }, '/src/controllers') ?? '';
    expect(place.startsWith(join(logs, 'controllers-20'))).toBe(true);
    expect(existsSync(place)).toBe(false);
    expect(readdirSync(logs)).toHaveLength(19);
    expect(readdirSync(logs)).not.toContain(ended(0));
    mkdirSync(place);
    expect(outdated([...readdirSync(logs)], none)).toEqual([ended(1)]);
  } finally {
    rmSync(logs, { recursive: true });
  }
});

it('keeps nothing where no place is named', () => {
  expect(keptDirectory({}, '/src')).toBeUndefined();
  expect(keptDirectory({ [LOGS_VARIABLE]: '' }, '/src')).toBeUndefined();
});
