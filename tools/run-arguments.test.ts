import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { numbersAmong, usageOf } from '../run-arguments.ts';

const ROOT = join(import.meta.dirname, '..');

/** The files that `npm run` starts. */
function commandFiles(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const parts = Object.values(scripts).flatMap((script) => script.split(' && '));
  return parts.flatMap((part) => (part.startsWith('tsx ') ? (part.split(' ')[1] ?? []) : []));
}

/** The files of bench that say how they are started. */
function benchFiles(): string[] {
  const files = readdirSync(join(ROOT, 'bench')).map((name) => `bench/${name}`);
  return files.filter(
    (file) =>
      file.endsWith('.ts') && readFileSync(join(ROOT, file), 'utf8').includes(`npx tsx ${file}`),
  );
}

describe('the arguments of a command', () => {
  it('are told with what its file begins with', () => {
    const source = [
      '/**',
      ' * Runs for a while: `npm run it -- --minutes 3`.',
      ' *',
      ' * Needs Go.',
      ' */',
      "import { it } from './it.ts';",
      '/** Other. */',
    ].join('\n');
    const options = {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] as string[] },
      all: { type: 'boolean', default: false },
    } as const;
    expect(usageOf(source, { options }).split('\n')).toEqual([
      'Runs for a while: `npm run it -- --minutes 3`.',
      '',
      'Needs Go.',
      '',
      'Arguments:',
      '  --minutes VALUE (60)',
      '  --seed VALUE',
      '  --only VALUE, may be given several times',
      '  --all',
      '  --help',
    ]);
    expect(usageOf('/** One line. */', {})).toBe('One line.\n\nArguments:\n  --help');
  });

  it('are numbers and others in any order', () => {
    const { numbers, others } = numbersAmong(['3', 'a.js', '2000', '-1', '4x']);
    expect([numbers, others]).toEqual([
      [3, 2000],
      ['a.js', '-1', '4x'],
    ]);
    expect(numbersAmong([])).toEqual({ numbers: [], others: [] });
  });

  it('are read in one way by every command of package.json and every bench', () => {
    const [commands, benches] = [commandFiles(), benchFiles()];
    expect(commands.length).toBeGreaterThan(20);
    expect(benches.length).toBeGreaterThan(10);
    const files = [...commands, ...benches];
    const others = files.filter((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      return (
        !source.includes('runArguments(import.meta.filename') || !/^(#!.*\n)?\/\*\*/.test(source)
      );
    });
    expect(others).toEqual([]);
  });
});
