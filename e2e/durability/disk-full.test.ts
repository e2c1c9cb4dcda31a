/**
 * The embedded log when the disk takes no more: the process lives, says that nothing was
 * written, and what was acknowledged before stays. The kernel's limit on the size of a file
 * stands in for a full disk.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { bundledProgram } from '../support/bundled-program.ts';
import { batchOf, faultIn } from './log-load.ts';

const WRITER = bundledProgram(new URL('log-writer.ts', import.meta.url).pathname);
const FILE_SIZE_MAX_KIB = 4 * 1024;
const APPENDS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'everwatch-disk-full-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a writer whose files may not grow beyond the limit, and gives what it said. */
async function runWithLimit(path: string): Promise<string[]> {
  const script = `trap '' XFSZ; ulimit -f ${String(FILE_SIZE_MAX_KIB)}; exec "$@"`;
  const command = [process.execPath, WRITER, path, '1', String(APPENDS)];
  const child = spawn('bash', ['-c', script, 'limited', ...command], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const said = await text(child.stdout);
  expect(await exited).toEqual([0, null]);
  return said.trim().split('\n');
}

it('says that nothing was written, lives on, and keeps what it has', async () => {
  const path = join(folder, 'log');
  const said = await runWithLimit(path);

  const acknowledged = said.filter((line) => line.startsWith('appended '));
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.length).toBeLessThan(APPENDS);
  const failures = said.filter((line) => line.startsWith('failed '));
  expect(new Set(failures)).toEqual(new Set(['failed LogUnavailableError']));
  expect(said.at(-1)).toBe('closed');

  const log = new EmbeddedEventLog(path);
  const [, first, , , size] = acknowledged.at(-1)?.split(' ') ?? [];
  const newest = await log.newest();
  expect(newest).toBe(Number(first) + Number(size) - 1);
  const events = Array.from({ length: newest }, (_, index) => log.at(resourceVersion(index + 1)));
  expect(faultIn(events.filter((event) => event !== undefined))).toBe('');
  expect(await log.append(batchOf('afterwards', 0, 500))).toBe(newest + 1);
  await log.close();
});
