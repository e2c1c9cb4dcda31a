/**
 * `npm run integration -- [PACKAGE…] [--run REGEXP] [--minutes 25] [--keep FOLDER]`: Kubernetes' own integration tests, as
 * `apiserver/apply` or `apiextensions`, against the built server, which each of them starts anew. Without a package all of
 * chosen-packages.ts. Prints the tests that failed and a table; code 1 where a test failed, or a package could not end.
 * Needs Go; a package takes a minute to compile, and seconds once Kubernetes is compiled. With `--keep` the module stays
 * there, and what each package printed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runArguments } from '../../run-arguments.ts';
import { run } from '../support/command.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import type { ChosenPackage } from './chosen-package.ts';
import { leftOutOf, PACKAGES } from './chosen-packages.ts';
import { buildTests, folderOf, prepareSuite } from './prepared-suite.ts';

const { values, positionals } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: {
    run: { type: 'string', default: '.' },
    minutes: { type: 'string', default: '25' },
    keep: { type: 'string', default: '' },
  },
});
const MS_PER_MINUTE = 60_000;
const NAME_CHARACTERS = 52;
/** Of the program, behind its own timeout. */
const ENDING_MS = 30_000;

interface Counts {
  readonly passed: number;
  readonly failed: readonly string[];
  /** Skipped by itself, as what it needs is not there. */
  readonly skipped: number;
  readonly isEnded: boolean;
}

const scratch =
  values.keep === '' ? mkdtempSync(join(tmpdir(), 'everwatch-integration-')) : values.keep;
const module = join(scratch, 'module');

/** The program kube-apiserver that suites start. */
async function serverProgram(): Promise<string> {
  const made = await run(process.execPath, [SERVER_PROGRAM, 'envtest']);
  if (made.code !== 0) throw new Error(made.stderr);
  return join(made.stdout.trimEnd(), 'kube-apiserver');
}

async function outcomeOf(chosen: ChosenPackage, server: string): Promise<Counts> {
  const { name, leftOut, staysCurrent = false } = chosen;
  const program = await buildTests(module, name);
  const cwd = folderOf(module, name);
  const skipped = leftOutOf(leftOut);
  const { code, stdout, stderr } = await run(
    program,
    [
      `-test.run=${values.run}`,
      ...(skipped === '' ? [] : [`-test.skip=${skipped}`]),
      `-test.timeout=${values.minutes}m`,
      '-test.v',
    ],
    {
      cwd,
      timeoutMs: Number(values.minutes) * MS_PER_MINUTE + ENDING_MS,
      env: {
        ...process.env,
        EVERWATCH_KUBE_APISERVER: server,
        EVERWATCH_ENVTEST: process.env['EVERWATCH_ENVTEST'] ?? 'shared',
        ...(staysCurrent && { EVERWATCH_STAYS_CURRENT: '1' }),
      },
    },
  );
  rmSync(program);
  writeFileSync(join(scratch, `${name.replaceAll('/', '-')}.txt`), `${stdout}\n${stderr}`);
  const failed = [...stdout.matchAll(/^ *--- FAIL: (\S+)/gm)].map(([, test = '']) => test);
  return {
    passed: [...stdout.matchAll(/^--- PASS: /gm)].length,
    failed,
    skipped: [...stdout.matchAll(/^--- SKIP: /gm)].length,
    isEnded: code === 0 || failed.length > 0,
  };
}

function cellsOf({ passed, failed, skipped, isEnded }: Counts): string {
  const whole = failed.filter((test) => !test.includes('/')).length;
  const bySelf = skipped === 0 ? '' : `, ${String(skipped)} skipped by themselves`;
  return `${String(passed)} of ${String(passed + whole)}${bySelf}${isEnded ? '' : ', not ended'}`;
}

const chosen =
  positionals.length === 0
    ? PACKAGES
    : positionals.map((name) => PACKAGES.find((one) => one.name === name) ?? { name, leftOut: [] });
try {
  await prepareSuite(module);
  const server = await serverProgram();
  const lines: string[] = [];
  for (const one of chosen) {
    const counts = await outcomeOf(one, server);
    for (const test of counts.failed) console.log(`failed: ${one.name} ${test}`);
    lines.push(`${one.name.padEnd(NAME_CHARACTERS)}${cellsOf(counts)}`);
    process.stderr.write(`${lines.at(-1) ?? ''}\n`);
    if (counts.failed.length > 0 || !counts.isEnded) process.exitCode = 1;
  }
  console.log(lines.join('\n'));
} finally {
  if (values.keep === '') rmSync(scratch, { recursive: true, force: true });
}
