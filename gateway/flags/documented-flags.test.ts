/** That documents tell the truth about flags, their defaults, controllers, and admission plug-ins. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PLUGIN_NAMES, PLUGIN_NAMES } from '../../actors/admission/plugin-names.ts';
import { CONTROLLER_NAMES } from '../../actors/controllers/optional-controllers.ts';
import { commandsOf } from '../commands/command-line.ts';
import { SERVE_SETTINGS } from './serve-settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const settings = new Map(SERVE_SETTINGS.map((setting) => [setting.flag, setting]));

/** Documents that speak of the server's flags, or of those of its other commands. */
const documents = [
  'README.md',
  'THREAT_MODEL.md',
  'CHANGELOG.md',
  'deploy/helm/everwatch/README.md',
  'deploy/compose/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Those of all commands. */
const ofCommands = new Set(
  commandsOf(
    {
      ...{ print: () => undefined, printError: () => undefined },
      ...{ serve: () => Promise.resolve(), verify: () => Promise.resolve(true) },
    },
    { code: 0 },
  )
    .commands.flatMap((command) => [command, ...command.commands])
    .flatMap(({ options }) => options.map(({ long }) => (long ?? '').replace(/^--/, ''))),
);

/** A row of operations.md: flags, the default, and what it is for. */
interface Row {
  readonly flags: readonly string[];
  readonly byDefault: string;
}

const flagsSection = read('docs/operations.md').split('### Flags')[1]?.split('\n### ')[0] ?? '';
const rows: readonly Row[] = flagsSection
  .split('\n')
  .filter((line) => line.startsWith('| `--'))
  .map((line) => {
    const [, names = '', byDefault = ''] = line.split(/ *\| */);
    const flags = [...names.matchAll(/--([a-z0-9-]+[a-z0-9])(?!-?…)/g)];
    return { flags: flags.map(([, flag = '']) => flag), byDefault };
  });

describe('operations.md', () => {
  it('says of each flag the default that it has', () => {
    const wrong = rows.flatMap(({ flags, byDefault }) => {
      const said = byDefault.match(/`[^`]*`/g)?.map((one) => one.replaceAll('`', '')) ?? [];
      const known = flags.filter((flag) => settings.has(flag));
      if (said.length !== known.length || known.length === 0) return [];
      return known.flatMap((flag, at) => {
        const is = defaultOf(flag);
        const isSame = is === said[at] || byDefault.startsWith('Leases');
        return isSame ? [] : [`--${flag}: ${String(said[at])}, but it is ${is}`];
      });
    });
    expect(wrong).toEqual([]);
    expect(rows.length).toBeGreaterThan(35);
  });

  it('names every controller, and no other', () => {
    const section = read('docs/operations.md').split('### Controllers')[1]?.split('###')[0] ?? '';
    const named = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([...CONTROLLER_NAMES].sort());
  });
});

describe('admission.md', () => {
  const plugins = read('docs/admission.md')
    .split('## What each does')[1]
    ?.split('\n## ')[0]
    ?.split('\n')
    .map((line) => line.split(/ *\| */))
    .flatMap(([, names = '', on]) =>
      [...names.matchAll(/[A-Z]\w+/g)].map(([name]): [string, boolean] => [name, on === 'yes']),
    );

  it('says of every plug-in whether it is on by default, and of no other', () => {
    const are = PLUGIN_NAMES.map((name) => [name, DEFAULT_PLUGIN_NAMES.has(name)]);
    expect(plugins?.sort()).toEqual(are.sort());
  });

  it('counts them', () => {
    expect(read('docs/admission.md')).toContain(`All ${String(PLUGIN_NAMES.length)} are there.`);
  });
});

function defaultOf(flag: string): string {
  const setting = settings.get(flag);
  const value = setting?.default ?? '';
  return typeof value === 'string' ? value : value.join(',');
}

describe.each(documents)('%s', (path) => {
  it('names no flag that there is not', () => {
    const text = read(path);
    // What is not there is said to be refused; kubectl's and helm's own stand in their commands.
    const unknown = [...text.matchAll(/everwatch serve(?:[^\n`]|\\\n)*/g)]
      .flatMap(([command]) => [...command.matchAll(/--([a-z][a-z0-9-]+)/g)])
      .map(([, flag = '']) => flag)
      .filter((flag) => !settings.has(flag) && !['config', 'help'].includes(flag));
    expect(unknown).toEqual([]);
  });

  it('names in code only flags that a command of ours has, or that are known to be absent', () => {
    const known = new Set([...settings.keys(), ...ofCommands, 'config', 'help']);
    const named = [...read(path).matchAll(/`--([a-z][a-z0-9-]*[a-z0-9])[= `]/g)].map(
      ([, flag = '']) => flag,
    );
    expect(named.filter((flag) => !known.has(flag) && !OTHERS.has(flag))).toEqual([]);
  });
});

/** Of kubectl, of node, of `npm run fuzz` and `npm run mutants`. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['as', 'as-group', 'as-uid', 'permission', 'experimental-permission', 'allow-addons'],
  ...['target', 'inputs', 'seed', 'corpus', 'findings', 'family', 'containing', 'in-process'],
  ...['all-shapes', 'again', 'only'],
]);

it('the decision about controllers names all of them', () => {
  const [file = ''] = readdirSync(join(ROOT, 'docs/decisions')).filter((name) =>
    name.startsWith('0022'),
  );
  const text = read(`docs/decisions/${file}`);
  expect(CONTROLLER_NAMES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it('NOTICE speaks of the descriptions that the build ships', () => {
  expect(read('tools/build.ts')).toContain('generated/descriptions.json');
  expect(read('NOTICE')).toContain('dist/generated/descriptions.json');
});
