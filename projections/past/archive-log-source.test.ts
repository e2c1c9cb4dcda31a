import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { archiveBytes } from '../../streams/archive/archive-writer.ts';
import { checkArchive } from '../../streams/archive/archive-reader.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent } from '../given.fixture.ts';
import { ArchiveLogSource } from './archive-log-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-archive-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const never = new AbortController().signal;

/** Of version 4, gone at 7; and one that comes too late to take effect. */
const records: readonly LoggedEvent[] = [
  { ...loggedEvent(4, { path: 'ns/b', sequence: 1 }), time: 4_000 },
  { ...loggedEvent(5, { path: 'ns/a', sequence: 2 }), time: 5_000 },
  { ...loggedEvent(6, { path: 'ns/a', sequence: 3 }), time: 6_000 },
  {
    ...loggedEvent(7, { path: 'ns/b', sequence: 4, type: 'deleted', previous: 4 }),
    time: 7_000,
  },
];

async function given(): Promise<ArchiveLogSource> {
  const range = { from: resourceVersion(4), to: resourceVersion(7) };
  const header = { kind: 'log' as const, ...range, source: 'a test', created: '' };
  const chunks: Buffer[] = [];
  for await (const chunk of archiveBytes({ header, state: [[]], records: [records] }))
    chunks.push(chunk);
  const path = join(folder, 'one.ewa');
  writeFileSync(path, Buffer.concat(chunks));
  return new ArchiveLogSource(path, await checkArchive(path));
}

it('an archive tells what was there at a version, in order, and nothing that took no effect', async () => {
  const source = await given();
  const at = async (version: number): Promise<string[]> => {
    const found: string[] = [];
    for await (const slice of source.stateAt(resourceVersion(version), never))
      found.push(
        `${slice.map((event) => `${event.path}@${String(event.resourceVersion)}`).join()};`,
      );
    return found;
  };
  expect(await at(3)).toEqual([]);
  expect(await at(4)).toEqual(['ns/b@4;']);
  expect(await at(6)).toEqual(['ns/a@5,ns/b@4;']);
  expect(await at(7)).toEqual(['ns/a@5;']);
  await expect(source.close()).resolves.toBeUndefined();
});
