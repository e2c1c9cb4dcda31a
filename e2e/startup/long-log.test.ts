/** A start on a log of so many records that a thread reads ahead of its fold. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openDataDirectory } from '../../streams/embedded/data-directory.ts';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { APPEND_EVENTS_MAX } from '../../streams/event-log.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { configMap } from '../api/objects.ts';
import { adminClient } from '../support/admin-client.ts';
import { startServer } from '../support/server.ts';

/** More than are folded without a thread. */
const UPDATES = 150_000;
const MAPS = '/api/v1/namespaces/default/configmaps';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-long-'));
const told = join(folder, 'told');
/** Writes down which threads the server has had, how many headers each has passed on, and how it ended. */
const NOTE_THREADS = `
  const threads = require('node:worker_threads');
  const { appendFileSync } = require('node:fs');
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, options);
      let headers = 0;
      this.on('message', (count) => { headers += count; });
      this.on('exit', (code) => appendFileSync(${JSON.stringify(told)}, JSON.stringify({ file, headers, code }) + '\\n'));
    }
  };
`;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The last record of the object, and the version that the log ends at. */
async function lastOf(log: EmbeddedEventLog, path: string): Promise<[LoggedEvent, number]> {
  const newest = await log.newest();
  for (let version: number = newest; version > 0; version -= 1) {
    const event = log.at(resourceVersion(version));
    if (event?.path === path) return [event, newest];
  }
  throw new Error(`there is no record of ${path}`);
}

/** Appends updates of the object, as another writer. @returns the version of the last one. */
async function update(log: EmbeddedEventLog, path: string): Promise<number> {
  const [event, newest] = await lastOf(log, path);
  let previous: ResourceVersion = event.resourceVersion;
  for (let sequence = 1; sequence <= UPDATES;) {
    const length = Math.min(APPEND_EVENTS_MAX, UPDATES - sequence + 1);
    const events = Array.from({ length }, () => {
      const updated = { ...event, type: 'modified', writer: 'another', sequence } as const;
      const made = { ...updated, previousResourceVersion: previous };
      previous = resourceVersion(newest + sequence);
      sequence += 1;
      return made;
    });
    await log.append(events);
  }
  return previous;
}

it('a long log is folded with a thread that reads ahead, and comes to the same', async () => {
  const dataDir = join(folder, 'data');
  const first = await startServer({ dataDir });
  const client = adminClient(first);
  await client.post(MAPS, configMap('long', { data: { a: 'b' } }));
  client.close();
  await first.stop();
  const directory = await openDataDirectory(dataDir);
  rmSync(directory.storePath, { recursive: true });
  const log = new EmbeddedEventLog(directory.logPath);
  const last = await update(log, 'default/long');
  await log.close();
  await directory.release();

  const preloaded = join(folder, 'note-threads.cjs');
  writeFileSync(preloaded, NOTE_THREADS);
  expect(existsSync(told)).toBe(false);
  const server = await startServer({ dataDir, env: { NODE_OPTIONS: `--require ${preloaded}` } });
  const again = adminClient(server);
  const { body } = await again.get(`${MAPS}/long`);
  expect(body).toMatchObject({ data: { a: 'b' }, metadata: { resourceVersion: String(last) } });
  again.close();
  await server.stop();

  const threads = readFileSync(told, 'utf8').trim().split('\n');
  expect(threads.length).toBe(1);
  const thread = JSON.parse(threads[0] ?? '') as { file: string; headers: number; code: number };
  expect(basename(thread.file)).toBe('heads-thread.cjs');
  expect(thread.code).toBe(0);
  expect(thread.headers).toBeGreaterThan(UPDATES / 2);
});
