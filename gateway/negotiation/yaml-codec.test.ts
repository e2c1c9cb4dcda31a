import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../api/json/json.ts';
import { upstreamObjects } from '../../tools/generate/upstream-objects.fixture.ts';
import { parseAsSpelled } from '../../api/json/json-text.ts';
import { formatYaml, parseYaml } from './yaml-codec.ts';

function parse(text: string): JsonValue {
  return parseYaml(Buffer.from(text));
}

describe('plain scalars mean what they mean to Go', () => {
  it.each<[string, JsonValue]>([
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['yEs', 'yEs'],
    ['~', null],
    ['', null],
    ['0777', 511],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0b11', -3],
    ['08', 8],
    ['1_000', 1000],
    ['.5', 0.5],
    ['1e3', 1000],
    ['1e', '1e'],
    ['12:30:45', '12:30:45'],
    ['2020-01-01', '2020-01-01'],
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
    ['1.2.3', '1.2.3'],
    ['"yes"', 'yes'],
    ["'1'", '1'],
    ['!!str yes', 'yes'],
    ['!!float 1', 1],
    ['!!binary aGk=', 'hi'],
    ['!foo 1', '1'],
  ])('%s', (text, value) => {
    expect(parse(`a: ${text}`)).toEqual({ a: value });
  });
});

describe('documents', () => {
  it.each<[string, string, JsonValue]>([
    ['only the first counts', 'a: 1\n---\nb: 2', { a: 1 }],
    ['what is wrong behind the first does not matter', 'a: 1\n---\n}', { a: 1 }],
    ['nor behind its end', 'a: 1\n...\n}', { a: 1 }],
    ['nor behind a map in braces', '{a: 1}{b: 2}', { a: 1 }],
    ['nor behind JSON', '{"a":1}\n}', { a: 1 }],
    ['nor behind a list in brackets', '# a\n&a !!seq [1]\n} x', [1]],
    ['nor behind a text in quotes', '"x" y', 'x'],
    ['nor a colon of the next line', '{a: 1}\n: b', { a: 1 }],
    ['but a map in braces may be the beginning', '{a: 1}\n# b\n', { a: 1 }],
    ['of a key that stands twice the last counts', 'a: 1\na: 2', { a: 2 }],
    [
      'keys become strings',
      '1: a\ntrue: b\n1.5: c\n0x10: d',
      { 1: 'a', true: 'b', 1.5: 'c', 16: 'd' },
    ],
    [
      'merge keys are opened in their place',
      'x: &x {b: 1, c: 2}\nd:\n  b: 5\n  <<: *x\n  c: 9',
      {
        x: { b: 1, c: 2 },
        d: { b: 1, c: 9 },
      },
    ],
    ['of merged maps the first is above the others', '<<: [{a: 1, b: 3}, {b: 4}]', { a: 1, b: 3 }],
    ['an empty document is null', '# nothing', null],
    ['JSON is YAML', '{"a":[1,true,null,"x"]}', { a: [1, true, null, 'x'] }],
    ['a block that the end cuts off ends there', 'a: |\n  x', { a: 'x' }],
    ['a block keeps its last line break', 'a: |\n  x\n', { a: 'x\n' }],
  ])('%s', (_, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it('keep a key named __proto__ a key', () => {
    expect(JSON.stringify(parse('__proto__: {a: 1}'))).toBe('{"__proto__":{"a":1}}');
  });

  it.each([
    ['a: [1,2', /^yaml: line 1: /],
    ['a: b: c', /^yaml: line 1: /],
    ['a: *u', /^yaml: unknown anchor 'u' referenced$/],
    ['&a [*a]', /^yaml: anchor 'a' value contains itself$/],
    ['a: !!int x', /^yaml: cannot decode !!str `x` as a !!int$/],
    ['a: .inf', /^json: unsupported value: \+Inf$/],
    ['? [a]\n: b', /^unsupported map key/],
    ['a: \u0007', /^yaml: control characters are not allowed$/],
    ['<<: 1', /^yaml: map merge requires map/],
    ['a: b\n}\nc: d', /^yaml: line 2: unexpected flow-map-end token/],
    ['a: [1]]', /^yaml: line 1: unexpected flow-seq-end token/],
    ['}', /^yaml: line 1: unexpected flow-map-end token/],
  ])('are refused: %j', (text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        name: 'YamlError',
        message: expect.stringMatching(message) as string,
      }),
    );
  });

  it('are refused when aliases multiply', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 9; level++) {
      const one = `*a${String(level - 1)}`;
      lines.push(`a${String(level)}: &a${String(level)} [${Array(9).fill(one).join(',')}]`);
    }
    expect(() => parse(lines.join('\n'))).toThrow('document contains excessive aliasing');
  });

  it('are refused when aliases nest without end', () => {
    const lines = ['- &a0 [x]'];
    for (let level = 1; level < 5000; level++) {
      lines.push(`- &a${String(level)} [*a${String(level - 1)}]`);
    }
    expect(() => parse(lines.join('\n'))).toThrow(/exceeded max depth|excessive aliasing/);
  });

  it('are refused at the first word that is out of place, however many there are', () => {
    // The package would make an error of each, with a trace of where it was made.
    expect(() => parse(`a: 1\n]${' x'.repeat(500_000)}`)).toThrow('unexpected flow-seq-end token');
  });

  it('are refused when nested without end', () => {
    expect(parse('['.repeat(400) + ']'.repeat(400))).toHaveLength(1);
    expect(() => parse('['.repeat(20_000))).toThrow(expect.objectContaining({ name: 'YamlError' }));
  });
});

describe('values are written as Go writes them', () => {
  it.each<[JsonValue, string]>([
    [{ b: 1, a: [1, { c: [] }], d: {} }, 'a:\n- 1\n- c: []\nb: 1\nd: {}\n'],
    [{ a10: 1, a9: 2, A: 3, '-': 4 }, "'-': 4\nA: 3\na9: 2\na10: 1\n"],
    [[[1, 2], [{ a: { b: 'c' } }]], '- - 1\n  - 2\n- - a:\n      b: c\n'],
    [{ a: 'yes' }, 'a: "yes"\n'],
    [{ a: '1' }, 'a: "1"\n'],
    [{ a: '' }, 'a: ""\n'],
    [{ a: '2020-01-01T00:00:00Z' }, 'a: "2020-01-01T00:00:00Z"\n'],
    [{ a: '12:30:45' }, 'a: "12:30:45"\n'],
    [{ a: '10.0.0.1', b: '0.5Gi', c: 'x:y' }, 'a: 10.0.0.1\nb: 0.5Gi\nc: x:y\n'],
    [{ a: 'b: c' }, "a: 'b: c'\n"],
    [{ a: "it's #1" }, "a: 'it''s #1'\n"],
    [{ a: '*x' }, "a: '*x'\n"],
    [{ a: 'tab\there' }, 'a: "tab\\there"\n'],
    [{ a: '😀' }, 'a: "\\U0001F600"\n'],
    [{ a: 'é' }, 'a: é\n'],
    [{ a: 'x\ny\n' }, 'a: |\n  x\n  y\n'],
    [{ a: 'x\ny' }, 'a: |-\n  x\n  y\n'],
    [{ a: ' x\n\n' }, 'a: |2+\n   x\n\n'],
    [{ a: 'x \ny' }, 'a: "x \\ny"\n'],
    [
      { a: 1.5, b: 1e6, c: 1e21, d: 1234567.5, e: null, f: true },
      'a: 1.5\nb: 1000000\nc: 1e+21\nd: 1.2345675e+06\ne: null\nf: true\n',
    ],
    [
      { a: 'word '.repeat(20).trim() },
      `a: ${'word '.repeat(16).trim()}\n  ${'word '.repeat(4).trim()}\n`,
    ],
    [{ ['k'.repeat(130)]: [1] }, `? ${'k'.repeat(130)}\n: - 1\n`],
    ['x', 'x\n'],
    // The digits of its JSON, not those of the double nearest to them.
    [{ a: 18446744073709550, b: -0 }, 'a: 18446744073709550\nb: 0\n'],
  ])('%j', (value, text) => {
    expect(formatYaml(value)).toBe(text);
  });
});

describe('the objects that upstream keeps of every kind', () => {
  const objects = upstreamObjects('HEAD');

  it.skipIf(objects.length === 0)('are the same in YAML', () => {
    const wrong = objects.filter(({ json, yaml }) => {
      const value = JSON.parse(json) as JsonValue;
      return formatYaml(value) !== yaml || formatYaml(parse(yaml)) !== yaml;
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

it('writes numbers whose spelling counts, and those beyond int64, as Go does', () => {
  const text =
    '{"a":1.0,"b":1e-7,"c":-0,"d":-0.0,"e":1e20,"f":[2.50],"g":18446744073709551615,"h":18446744073709551616}';
  expect(formatYaml(parseAsSpelled(text))).toBe(
    'a: 1\nb: 1e-07\nc: 0\nd: -0\ne: 1e+20\nf:\n- 2.5\ng: 18446744073709551615\nh: 1.8446744073709552e+19\n',
  );
});
