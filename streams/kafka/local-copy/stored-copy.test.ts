import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loggedAt } from '../../event-codec.ts';
import { proposedEvent } from '../../proposed-event.fixture.ts';
import { resourceVersion } from '../../resource-version.ts';
import { LocalRecords } from './local-records.ts';
import { StoredCopy } from './stored-copy.ts';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'everwatch-copy-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

it('shows what a server has left, and whose it was', async () => {
  const path = join(root, 'left');
  const base = resourceVersion(10);
  const local = new LocalRecords({
    path,
    topic: 'control-plane',
    base,
    onProblem: () => undefined,
    pause: () => Promise.resolve(),
  });
  const events = [1, 2, 3].map((n) => loggedAt(proposedEvent(n), resourceVersion(10 + n)));
  local.beginAt(resourceVersion(11));
  local.add(events);
  await local.close();

  const copy = await StoredCopy.open(path);
  expect(copy.topic).toBe('control-plane');
  expect([await copy.oldest(), await copy.newest()]).toEqual([11, 13]);
  expect(copy.at(resourceVersion(12))?.sequence).toBe(2);
  expect(copy.at(resourceVersion(14))).toBeUndefined();
  for await (const batch of copy.read(resourceVersion(12), new AbortController().signal)) {
    expect(batch.map(({ sequence }) => sequence)).toEqual([2, 3]);
    break;
  }
  await copy.close();
});

it('is none where there is none', async () => {
  await expect(StoredCopy.open(join(root, 'nothing'))).rejects.toThrow('holds no copy of a topic');
});
