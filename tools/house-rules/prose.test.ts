/** That the rules of words and sentences can fail, and what they leave alone. */
import { describe, expect, it } from 'vitest';
import { houseOf, type House } from './house.ts';
import { exportedSentences, memberSentences } from './sentences.ts';
import { namelessSubjects } from './spelling.ts';

function given(files: Readonly<Record<string, string>>): House {
  return houseOf(Object.entries(files).map(([path, text]) => ({ path, text })));
}

describe('sentences', () => {
  const importer = (names: string) => `import { ${names} } from '../meta/clock.ts';`;
  const of = (text: string, names: string) =>
    exportedSentences(given({ 'src/meta/clock.ts': text, 'src/kinds/a.ts': importer(names) }));

  it('are missed above every name that another folder imports', () => {
    expect(
      of('/** A. */\n\nexport const a = 1;\n// b\nexport type B = 1;', 'a, type B as C'),
    ).toEqual(
      ['a', 'B'].map(
        (name) => `src/meta/clock.ts: ${name} is imported by other folders and has no sentence`,
      ),
    );
  });

  it.each([
    ['stand above it', '/** A. */\nexport const a = 1;\nexport const c = 1;', 'a'],
    [
      'stand above one of its forms',
      '/** A. */\nexport function a(): 1;\nexport function a() {}',
      'a',
    ],
    [
      'may be the opening comment of the file of its name',
      'export class Clock {}\nexport const b = 1;',
      'Clock',
    ],
    ['may be the opening comment of its own file', 'export const a = 1;', 'a'],
    ['are not asked for by the same folder', 'export const a = 1;\nexport const b = 1;', ''],
  ])('%s', (_, text, names) => {
    expect(of(text, names)).toEqual([]);
  });

  it('are not asked for by tests, nor in them', () => {
    const two = 'export const a = 1;\nexport const b = 1;';
    const house = given({
      'src/meta/clock.ts': two,
      'src/meta/clock.fixture.ts': two,
      'src/kinds/a.test.ts': importer('a'),
      'src/kinds/b.ts': "import { a } from '../meta/clock.fixture.ts';",
    });
    expect(exportedSentences(house)).toEqual([]);
  });
});

describe('sentences of members', () => {
  const of = (members: string, others = '') =>
    memberSentences(
      given({
        'src/meta/clock.ts': `export interface Parts {\n${members}\n}\n${others}`,
        'src/kinds/a.ts': "import { Parts } from '../meta/clock.ts';",
      }),
    );
  const missed = (name: string) =>
    `src/meta/clock.ts: Parts.${name} has no sentence, and other folders see it`;

  it('are missed where another folder imports the interface', () => {
    const found = of('  /** Milliseconds. */\n  at: number;\n  size: number;\n  end(): void;');
    expect(found).toEqual([missed('size'), missed('end')]);
  });

  it.each([
    ['of the one member of an interface', '  size: number;', ''],
    ['of a literal', "  kind: 'a';\n  /** A. */\n  size: number;", ''],
    [
      'of a member that is named after its type',
      '  clock: Clock;\n  /** A. */\n  size: number;',
      '',
    ],
    ['of settings', '  size: number;\n  end: number;', 'const A: SettingsOf<Parts> = {};'],
  ])('are not asked for %s', (_, members, others) => {
    expect(of(members, others)).toEqual([]);
  });
});

describe('subjects without a name', () => {
  // In parts, because this file is judged too.
  const [who, nobody] = ['w' + 'ho', 'no' + 'body'];
  const of = (text: string) => namelessSubjects(given({ 'src/a.ts': text }));

  it.each([
    ['a comment', `/**\n * B.\n * ${nobody} reads it. */\nconst a = 1;`, 3],
    ['the name of a test', `\nit('tells ${who} asks', () => {});`, 2],
    ['a row of a table', `it.each([['what ${nobody} wants', 1]])('%s', () => {});`, 1],
    ['a message', `const a = \`\${b} is of ${nobody}\`;`, 1],
  ])('are found in %s', (_, text, line) => {
    expect(of(text)).toEqual([
      expect.stringMatching(new RegExp(`^src/a.ts:${String(line)}: says `)) as string,
    ]);
  });

  it.each([
    ['an identifier', `const ${who} = 1; // nothing`],
    ['a value', `const a = '${nobody}'; const b = 'get --as=${nobody} --as-group=b';`],
    [
      'a quotation',
      `// \`${nobody}\` and "${who} may" are names, as are ${who}-can and system:${nobody}`,
    ],
    ['an address', `const a = 'https://a/${who}';`],
  ])('are no subjects in %s', (_, text) => {
    expect(of(text)).toEqual([]);
  });
});
