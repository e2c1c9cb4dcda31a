/** What `--memory-footprint` sets in every process that has a server's objects. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { compilerFlags } from '../../gateway/commands/serve/collector.ts';
import { eventually } from '../support/eventually.ts';
import { startServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-footprint-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Each flag that is set in the engine is written down before it is. */
const PRELOADED = `
const { appendFileSync } = require('node:fs');
const v8 = require('node:v8');
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flag) => {
  appendFileSync(process.env.EVERWATCH_TEST_FLAGS, process.pid + ' ' + flag + '\\n');
  setFlagsFromString(flag);
};
require('node:module').syncBuiltinESMExports();
`;

/** The flags of each process that set any, by its pid; of the growth, which depends on a size, the last. */
function flagsIn(file: string): Map<string, Map<string, string>> {
  const of = new Map<string, Map<string, string>>();
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [, pid = '', name = '', value = ''] = /^(\d+) ([\w-]+)=?(.*)$/.exec(line) ?? [];
    of.set(pid, (of.get(pid) ?? new Map<string, string>()).set(name, value));
  }
  return of;
}

/** What each process has set until its end, once so many are limited. */
async function flagsSet(args: readonly string[], limited: number): Promise<object[]> {
  const preloaded = join(folder, 'preloaded.cjs');
  const told = join(mkdtempSync(join(folder, 'told-')), 'flags');
  writeFileSync(preloaded, PRELOADED);
  const env = { NODE_OPTIONS: `--require ${preloaded}`, EVERWATCH_TEST_FLAGS: told };
  const server = await startServer({ args, env });
  try {
    // The first worker serves before the others do.
    await eventually('limits of all processes', () => {
      const growing = [...flagsIn(told).values()].filter((flags) => flags.has(PERCENT));
      return growing.length === limited || undefined;
    });
  } finally {
    await server.stop();
  }
  return [...flagsIn(told).values()].map((flags) => Object.fromEntries(flags));
}

const PERCENT = '--heap-growing-percent';
const ALL = { '--no-parallel-scavenge': '' };
const OF_THE_COMPILER = Object.fromEntries(compilerFlags('small').map((flag) => [flag, '']));
const TIMES = expect.stringMatching(/^\d+$/) as string;

it('each footprint sets when memory is collected, in each worker as well', async () => {
  const limits = (percent: number) => ({
    ...ALL,
    ...OF_THE_COMPILER,
    [PERCENT]: String(percent),
    '--semi-space-growth-factor': TIMES,
  });
  expect(await flagsSet([], 1)).toEqual([limits(60)]);
  const small = await flagsSet(['--memory-footprint=small', '--workers=2'], 2);
  expect(small).toEqual([limits(25), limits(25)]);
});

it('a large one leaves it to the engine', async () => {
  expect(await flagsSet(['--memory-footprint=large'], 0)).toEqual([ALL]);
});
