/**
 * Puts the place in the source before each call of a logger, for the build: a line of the log says which
 * file and line wrote it, and `--vmodule` chooses by the file. A stack would say it too, of the bundle.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** `logger.warn(`, `this.#logger.error(`, `this.#parts.logger.info(`. */
const CALL = /\b((?:this\.)?(?:#?\w+\.)*#?logger)\.(verbose|info|warn|error|fatal|isVerbose)\(/g;

/**
 * @param path of the file, whose last folder and name are shown: `cli/serve.ts:137`.
 * @returns the source, in which each call tells its place to loggers that ask for it.
 */
export function withLogSites(source: string, path: string): string {
  const file = `${basename(dirname(path))}/${basename(path)}`;
  return source.replaceAll(CALL, (_call, receiver: string, method: string, at: number) => {
    const line = source.slice(0, at).split('\n').length;
    return `(${receiver}.at?.(${JSON.stringify(`${file}:${String(line)}`)}) ?? ${receiver}).${method}(`;
  });
}

export const logSites: Plugin = {
  name: 'log-sites',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return source.includes('ogger.')
        ? { contents: withLogSites(source, path), loader: 'ts' }
        : undefined;
    });
  },
};
