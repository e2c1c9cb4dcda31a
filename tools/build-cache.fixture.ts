/**
 * Where programs in other languages lie once they are built, and what else is made once for many
 * tests: outside the checkout, under a name that changes with its sources.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CACHE = process.env['EVERWATCH_E2E_CACHE'] ?? join(tmpdir(), 'everwatch-e2e-bin');

export interface Cached {
  readonly name: string;
  /** Files and folders whose content decides whether a built thing is still the right one. */
  readonly sources: readonly string[];
  /** Makes a file or a folder at `path`. */
  readonly build: (path: string) => Promise<void>;
}

/**
 * The path of the built thing. Two processes that build at once do not disturb each other:
 * each builds aside, and the first rename wins.
 */
export async function cached({ name, sources, build }: Cached): Promise<string> {
  const path = join(CACHE, `${name}-${fingerprintOf(sources)}`);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const aside = `${path}.${String(process.pid)}`;
  try {
    await build(aside);
    moveUnlessThere(aside, path);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return path;
}

function moveUnlessThere(from: string, to: string): void {
  try {
    if (!existsSync(to)) renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error; // Else another process has just made the first.
  }
}

function fingerprintOf(sources: readonly string[]): string {
  const hash = createHash('sha256').update(process.arch);
  for (const file of sources.flatMap(filesIn).sort()) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

function filesIn(source: string): string[] {
  try {
    return readdirSync(source, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [source]; // It is a file.
  }
}
