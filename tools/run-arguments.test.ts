import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usageOf } from '../run-arguments.ts';

const ROOT = join(import.meta.dirname, '..');

/** The files that `npm run` starts. */
function commandFiles(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const parts = Object.values(scripts).flatMap((script) => script.split(' && '));
  return parts.flatMap((part) => (part.startsWith('tsx ') ? (part.split(' ')[1] ?? []) : []));
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

  it('are read in one way by every command of package.json', () => {
    const files = commandFiles();
    expect(files.length).toBeGreaterThan(20);
    const others = files.filter((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      return (
        !source.includes('runArguments(import.meta.filename') || !/^(#!.*\n)?\/\*\*/.test(source)
      );
    });
    expect(others).toEqual([]);
  });
});
