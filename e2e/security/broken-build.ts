/**
 * Builds the server with checks taken out of it: the counter-proof of each test beside this file. An
 * attack that is refused says little unless it succeeds where no check looks.
 *
 * A check is named by the exact text of its source, which has to stand there once. So a change that moves
 * the check fails here, before a test could go on proving nothing.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

import { LAUNCHER_BUILD, PROGRAM_BUILD } from '../../server-build.ts';

/** One check, and what stands there when it is gone. */
export interface Break {
  /** From the top of the repository: `actors/pipeline/dispatch.ts`. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

export interface BrokenBuild {
  /** What `startServer` takes as its program. */
  readonly program: string;
  remove(): void;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** @throws Error that names the file in which a text does not stand exactly once. */
export async function brokenBuild(breaks: readonly Break[]): Promise<BrokenBuild> {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-broken-'));
  const remove = (): void => {
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const applied = new Set<Break>();
    const plugins = [breaking(breaks, applied)];
    await build({ ...PROGRAM_BUILD, outdir: directory, logLevel: 'silent', plugins });
    const outExtension = { '.js': '.mjs' };
    await build({ ...LAUNCHER_BUILD, outdir: directory, outExtension, logLevel: 'silent' });
    const missed = breaks.find((one) => !applied.has(one));
    if (missed !== undefined) throw new Error(`${missed.file} is no part of the server`);
    // Packages and facts are looked up from where the program lies.
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    symlinkSync(join(ROOT, 'dist/generated'), join(directory, 'generated'));
  } catch (error) {
    remove();
    throw error;
  }
  return { program: join(directory, 'everwatch.mjs'), remove };
}

function breaking(breaks: readonly Break[], applied: Set<Break>): Plugin {
  return {
    name: 'breaking',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const own = breaks.filter(({ file }) => join(ROOT, file) === path);
        if (own.length === 0) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const one of own) {
          contents = broken(contents, one);
          applied.add(one);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}

function broken(source: string, { file, text, instead }: Break): string {
  const parts = source.split(text);
  if (parts.length !== 2) {
    throw new Error(`stands ${String(parts.length - 1)} times in ${file}, not once: ${text}`);
  }
  return parts.join(instead);
}
