/**
 * Before the first test of the project e2e: the server's bundle must be as new as its sources.
 *
 * Clients in other languages are not built here but by `needs`, so that a run of one
 * test file does not wait for programs it never starts.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { run } from './command.ts';
import { SERVER_PROGRAM } from './server.ts';

const ROOT = join(import.meta.dirname, '../..');
const ROOMS = ['api', 'streams', 'projections', 'actors', 'gateway', 'tools'];

/** @throws with what the build said when it fails. */
export async function setup(): Promise<void> {
  // Where it is set, Node reads each authority of the machine in each process that starts, which takes as long as
  // all else of a short command; and there are thousands of them. No test goes to a server beyond this machine.
  delete process.env['NODE_EXTRA_CA_CERTS'];
  if (isFresh()) return;
  const { code, stdout, stderr } = await run('npm', ['run', 'build'], { cwd: ROOT });
  if (code !== 0) throw new Error(`npm run build failed.\n${stdout}\n${stderr}`);
}

function isFresh(): boolean {
  const built = statSync(SERVER_PROGRAM, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const single = ['package-lock.json', 'server-build.ts'].map((file) => join(ROOT, file));
  return [...ROOMS.flatMap(sourcesIn), ...single].every(
    (source) => statSync(source).mtimeMs <= built,
  );
}

function sourcesIn(layer: string): string[] {
  return readdirSync(join(ROOT, layer), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}
