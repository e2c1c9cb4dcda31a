import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

it('asks the lock with the highest number, not the one whose name sorts last', async () => {
  const gone = await listening('lock.9');
  await new Promise((resolve) => gone.close(resolve));
  await listening('lock.10');

  await expect(lockDirectory(path)).rejects.toThrow(DataDirectoryInUseError);
});

it('leaves a directory alone whose lock cannot be asked', async () => {
  // A link to itself: connecting to it fails, and not because nothing listens there.
  symlinkSync('lock.3', join(path, 'lock.3'));

  await expect(lockDirectory(path)).rejects.toThrow(DataDirectoryInUseError);
  expect(readdirSync(path)).toEqual(['lock.3']);
});

it('takes a directory over whose highest lock leads nowhere', async () => {
  symlinkSync('gone', join(path, 'lock.3'));

  await (await lockDirectory(path)).release();
  expect(readdirSync(path).sort()).toEqual(['lock.3', 'lock.4']);
});

it('clears away what an attempt left behind, and nothing that is not its own', async () => {
  for (const name of ['lock.new-12345678', 'lock.7.old', 'unlock.1', 'version']) {
    writeFileSync(join(path, name), '');
  }

  await (await lockDirectory(path)).release();
  expect(readdirSync(path).sort()).toEqual(['lock.1', 'lock.7.old', 'unlock.1', 'version']);
});

it('reports a directory in which it may make no lock as what it is', async () => {
  const file = join(path, 'file');
  writeFileSync(file, '');

  await expect(lockDirectory(file)).rejects.toThrow(/ENOTDIR/);
});
