import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LmdbRecords } from '../embedded/lmdb-records.ts';
import { resourceVersion } from '../resource-version.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-reopened-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A process that reads the last records as fast as it can, with its file opened anew all the time. */
function startReader(): ChildProcessByStdio<null, Readable, null> {
  const program = new URL('../embedded/lmdb-records.ts', import.meta.url).href;
  const script = `
    import { LmdbRecords } from ${JSON.stringify(program)};
    const records = new LmdbRecords(${JSON.stringify(folder)}, { readOnly: true, mappedBytesMax: 0 });
    console.log('ready');
    for (let last = 0; last < 600; ) {
      await new Promise((resolve) => setImmediate(resolve));
      records.renew();
      last = records.last();
      if (records.frame(last).toString() !== 'frame ' + last) throw new Error('another frame');
    }
    await records.close();`;
  const node = ['--import', 'tsx', '--input-type=module', '-e', script];
  return spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] });
}

it('is read by another process that opens it anew, while its owner keeps it open', async () => {
  const records = new LmdbRecords(folder, { mappedBytesMax: Infinity });
  const write = (version: number): Promise<void> =>
    records.write(resourceVersion(version), [Buffer.from(`frame ${String(version)}`)]);
  await write(1);
  const reader = startReader();
  const ended = once(reader, 'exit');
  await once(reader.stdout, 'data');
  for (let version = 2; version <= 600; version += 1) {
    await write(version);
    await nextTurn();
  }
  expect(await ended).toEqual([0, null]);
  await records.close();
});
