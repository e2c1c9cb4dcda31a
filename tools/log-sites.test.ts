import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withLogSites } from './log-sites.ts';

const ROOT = join(import.meta.dirname, '..');
/** Calls of loggers, however they are reached, and calls that the build has found. */
const CALLS = /[lL]ogger\s*(?:\[|\??\.(?:verbose|info|warn|error|fatal|isVerbose)\()/g;
const FOUND =
  /\.at\?\.\("[\w-]+\/[\w-]+\.ts:\d+"\) \?\? [\w.#]*\)\.(?:verbose|info|warn|error|fatal|isVerbose)\(/g;

const files = ['actors', 'gateway', 'projections', 'streams'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name)),
);

describe('the place of a line', () => {
  it('is put before each call by the build', () => {
    const source = [
      'if (failed) this.#parts.logger.error({ err }, "x");',
      'else if (!logger.isVerbose(3)) return;',
      'this.#logger.info({}, "y"); logger.other();',
    ].join('\n');
    const at = (receiver: string, number: number) =>
      `(${receiver}.at?.("b/c.ts:${String(number)}") ?? ${receiver})`;
    expect(withLogSites(source, '/a/b/c.ts').split('\n')).toEqual([
      `if (failed) ${at('this.#parts.logger', 1)}.error({ err }, "x");`,
      `else if (!${at('logger', 2)}.isVerbose(3)) return;`,
      `${at('this.#logger', 3)}.info({}, "y"); logger.other();`,
    ]);
  });

  it('is known of every call in the server', () => {
    const counted = files.map((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      const found = withLogSites(source, file).match(FOUND) ?? [];
      return { file, calls: source.match(CALLS)?.length ?? 0, found: found.length };
    });
    expect(counted.filter(({ calls, found }) => calls !== found)).toEqual([]);
    expect(counted.reduce((sum, { found }) => sum + found, 0)).toBeGreaterThan(40);
  });
});
