/**
 * The linter catches what its rules are for: each rule that is on has a plant, and says so of it. A rule that
 * a new release of the linter renames, drops or weakens is noticed here.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTS } from './lint-plants.fixture.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAMS = join(ROOT, 'node_modules/.bin');

type Rules = Readonly<Record<string, unknown>>;

interface Configuration {
  readonly plugins: readonly string[];
  readonly categories: object;
  readonly rules: Rules;
  readonly overrides: readonly { readonly rules: Rules }[];
}

interface Told {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

const read = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')) as Configuration;
const { plugins, categories } = read;
const rules = Object.fromEntries(
  [read.rules, ...read.overrides.map((one) => one.rules)]
    .flatMap((one) => Object.entries(one))
    .filter(([, level]) => level !== 'off'),
);

it('each rule of the linter catches the plant that was made for it', () => {
  const silent = silentPlants();

  expect(Object.keys(rules).sort()).toEqual(Object.keys(PLANTS).sort());
  expect(silent).toEqual([]);
});

/** Rules, by their names, that say nothing of their plants. */
function silentPlants(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  mkdirSync(join(folder, 'plants'));
  for (const [rule, text] of Object.entries(PLANTS)) {
    writeFileSync(join(folder, 'plants', fileOf(rule)), `${text}\n`);
  }
  // Some plants are enums and namespaces, which the sources do without.
  const compilerOptions = {
    rootDir: '.',
    erasableSyntaxOnly: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const project = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['plants'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  writeFileSync(
    join(folder, '.oxlintrc.json'),
    JSON.stringify({ plugins, categories, rules, options: { typeAware: true } }),
  );
  const told = new Set(
    linted(folder).diagnostics.map(({ code, filename }) => `${filename} ${code}`),
  );
  return Object.keys(rules).filter((rule) => {
    const name = rule.slice(rule.indexOf('/') + 1);
    const plugin = rule.includes('/') ? 'typescript' : 'eslint';
    return !told.has(`plants/${fileOf(rule)} ${plugin}(${name})`);
  });
}

function fileOf(rule: string): string {
  return `${rule.replace('/', '-')}.ts`;
}

function linted(folder: string): Told {
  const env = { ...process.env, OXLINT_TSGOLINT_PATH: join(PROGRAMS, 'tsgolint') };
  try {
    execFileSync(join(PROGRAMS, 'oxlint'), ['--format', 'json'], { cwd: folder, env });
  } catch (error) {
    // It ends with 1, as it has found something.
    const { stdout } = error as { readonly stdout: Buffer };
    return JSON.parse(stdout.toString()) as Told;
  }
  throw new Error('the linter has found nothing');
}
