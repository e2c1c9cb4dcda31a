import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noteOrigin, originOf } from './log-origin.ts';
import { RecordPlace, type RecordGap } from './record-place.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-origin-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const gap = (version: number): RecordGap => ({
  ...{ time: '2026-11-20T10:00:00.000Z', resource: 'core/pods', reason: 'forgotten (410)' },
  ...{ knownTo: '1', knownFrom: '9', version, added: 1, modified: 0, deleted: 2 },
});

it('a log of a server has none', async () => {
  expect(await originOf(folder)).toBeUndefined();
});

it('a recording tells its cluster and its newest gaps, whatever is being written', async () => {
  const place = new RecordPlace(folder);
  place.setCluster({ server: 'https://prod:6443', uid: 'u', since: 0 });
  await place.save();
  expect(await originOf(folder)).toEqual({ kind: 'recording', of: 'https://prod:6443', gaps: [] });
  for (let version = 1; version <= 600; version += 1) place.addGap(gap(version));
  appendFileSync(join(folder, 'record-gaps.jsonl'), '{"time":"20');
  const { gaps = [] } = (await originOf(folder)) ?? {};
  expect(gaps.length).toBe(100);
  expect(gaps.at(-1)).toEqual(gap(600));
});

it('an archive tells its name, and what is no note tells nothing', async () => {
  await noteOrigin(folder, { kind: 'archive', of: 'incident.ewa' });
  expect(await originOf(folder)).toEqual({ kind: 'archive', of: 'incident.ewa' });
  writeFileSync(join(folder, 'import-origin.json'), '{');
  expect(await originOf(folder)).toBeUndefined();
});
