import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DataDirectoryInUseError, lockDirectory } from './directory-lock.ts';

let path: string;
const servers: Server[] = [];

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'everwatch-lock-'));
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(path, { recursive: true, force: true });
});

async function listening(name: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(join(path, name), resolve));
  return server;
}

it('gives way to a holder that came while the lock was being taken', async () => {
  const first = await lockDirectory(path);
  await first.release();
  // The highest lock that is seen now is silent, so this attempt is going to make the next one.
  const late = lockDirectory(path);
  // Meanwhile several others came and went; the last of them holds the directory and has
  // cleared the lower numbers away, so that linking the next number succeeds.
  rmSync(join(path, 'lock.1'), { force: true });
  await listening('lock.9');

  await expect(late).rejects.toThrow(DataDirectoryInUseError);
});

it('takes a directory over whose highest lock is silent', async () => {
  const gone = await listening('lock.3');
  await new Promise((resolve) => gone.close(resolve));
  const lock = await lockDirectory(path);
  await expect(lockDirectory(path)).rejects.toThrow(DataDirectoryInUseError);
  await lock.release();
});
