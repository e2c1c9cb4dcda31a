import { runInNewContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';

import { houseOf } from '../house-rules/house.ts';
import { CrossingCount } from './crossing-count.ts';
import { houseFigures } from './house-figures.ts';
import { tracedSource } from './traced-sources.ts';

/** Runs sources in which functions call those of other files by their names. */
function ran(files: Readonly<Record<string, string>>, then: string): CrossingCount {
  const count = new CrossingCount();
  const traced = Object.entries(files).map(([path, text]) => tracedSource(text, path));
  const { code } = transformSync([...traced, then].join('\n'), { loader: 'ts' });
  runInNewContext(code, {
    $crossed: (file: string) => {
      count.crossed(file);
    },
    $left: () => {
      count.left();
    },
  });
  return count;
}

describe('crossings', () => {
  it('count calls from file to file, and not those within one', () => {
    const count = ran(
      {
        'a.ts': 'function a(): number { return inner() + b(1); } const inner = () => 1;',
        'b.ts': 'function b(of: number): number { return of; }',
      },
      'a(); a();',
    );

    expect(count.taken()).toEqual({ entered: { 'a.ts': 2, 'b.ts': 2 }, back: {} });
    expect(count.taken()).toEqual({ entered: {}, back: {} });
  });

  it('turn back where a file that waits is called', () => {
    const count = ran(
      {
        'a.ts': 'function a(): void { b((x) => ({ y: x })); }',
        'b.ts':
          'class B { go(done: (x: number) => unknown) { done(1); } } const b = (d) => new B().go(d);',
      },
      'a();',
    );

    expect(count.taken().back).toEqual({ 'b.ts > a.ts': 1 });
  });

  it('leave a function that throws, and one that pauses while it waits', () => {
    const count = ran(
      {
        'a.ts': 'function a(): void { try { b(); } catch {} void slow(); b2(); }',
        'b.ts': 'function b(): void { throw new Error(); } function b2(): void {}',
        'c.ts': 'async function slow(): Promise<void> { await 1; }',
      },
      'a();',
    );

    expect(count.taken()).toEqual({ entered: { 'a.ts': 1, 'b.ts': 2, 'c.ts': 1 }, back: {} });
  });
});

describe('the figures of sources', () => {
  const figures = (files: Readonly<Record<string, string>>): ReadonlyMap<string, string> => {
    const house = houseOf(Object.entries(files).map(([path, text]) => ({ path, text })));
    return new Map(houseFigures(house).map(({ name, value }) => [name, value]));
  };

  it('are of the layers, without tests', () => {
    const found = figures({
      'api/meta/one.ts': "import { two } from './two.ts';\nexport const one = () => two;\n",
      'api/meta/two.ts': 'export const two = 2;\n',
      'api/meta/two.test.ts': "import { two } from './two.ts';\n",
      'tools/three.ts': 'export const three = 3;\n',
    });

    expect(found.get('files')).toBe('2');
    expect(found.get('lines')).toBe('3');
    expect(found.get('files with one importer')).toBe('1 (50 %)');
  });

  it('count what goes around the types, and words', () => {
    const found = figures({
      'actors/a.ts': `
        interface Place { readonly keyOf: string }
        export const keyOf = (done: unknown) => stringAt(done as KubeObject, 'a');
        export class WriteRoom { mushroom = andThen(1, (grooming) => grooming); }
      `,
    });

    const value = (name: string): string | undefined => found.get(name);
    expect(value('reads by string key')).toBe('1');
    expect(value('`as KubeObject`')).toBe('1');
    expect(value('parameters named `done`')).toBe('1');
    expect(value('calls of `andThen`')).toBe('1');
    expect(value('types named `Place`')).toBe('1');
    expect(value('functions named `keyOf`')).toBe('1');
    expect(value('names with a part of a house in them')).toBe('1');
  });

  it('follow a setting to the files that name it', () => {
    const found = figures({
      'gateway/flags/some.ts': "const S = { waitMs: { flag: 'wait', help: 'how long' } };",
      'gateway/server/a.ts': 'const wait = ({ waitMs }: Settings) => waitMs;',
      'gateway/server/b.ts': 'const all = (options: ServeOptions) => options;',
    });

    expect(found.get('settings of flags')).toBe('1');
    expect(found.get('files that name a setting, most')).toBe('2 (waitMs)');
    expect(found.get('files that see the settings of all flags')).toBe('1');
  });
});
