/**
 * Expressions that are none, made by chance: of right ones a word is taken out, doubled, put in,
 * exchanged, or what stands behind it is cut off; words stand one behind the other without sense;
 * and texts are no expressions at all.
 */
import type { Dice } from '../../patch/go-oracle.fixture.ts';

const WORDS: readonly string[] = [
  ...'== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null'.split(' '),
  ...'1 0x1F 2u 1.5 .5 1e9 a self x if package as f( a.b .c .? [? {? a{ a.b{ -1 --1 - -1[ -1.'.split(
    ' ',
  ),
  ...['"s"', "'t'", 'b"x"', 'r"\\d"', '`a-b`', '"""long"""', 'has(', '.all(', '.map(', '// c\n'],
];

/** Characters that words are not made of, or that begin what does not end. */
const ODD: readonly string[] = [
  ...'# $ & | = \\ ^ ~ @ ; " \' ` é 世 😀'.split(' '),
  ...['\t', '\n', '\r', '\u0000', '"\\', '"\\x4', '"\\u00', "'\\400'", 'r"', '"""', '"\n', "'\\q'"],
];

const NO_EXPRESSIONS: readonly string[] = [
  ...['', ' ', '\n', '../a', '10.0.0.0/8', '/var/log', 'a b', 'a b c', '-', '--', '!', '!!', '?'],
  ...['nginx:1.25', 'team-a/app=web', '1.2.3', '2024-01-01T00:00:00Z', '50%', '100m', '1Gi', '0x'],
  ...[
    'foo.example.com/bar',
    'https://example.com/x?y=1#z',
    '*',
    '*.example.com',
    '{{ .Values.x }}',
  ],
  ...['${VAR}', '$(VAR)', 'SELECT * FROM t;', '<p>hi</p>', '[]int{1}', '{"a": 1,}', '{,}', '[,]'],
  ...[
    '()',
    '(',
    ')',
    '(]',
    '[)',
    '{)',
    'a.',
    '.a.',
    'a..b',
    'a.?',
    'a[',
    'a[]',
    'a[?]',
    'f(',
    'f(,)',
  ],
  ...[
    'f(a,)',
    'f(a b)',
    '-1[}',
    '-1.)',
    '!-a',
    '-(',
    'a.true',
    'a.in',
    '.true',
    'in',
    'a in',
    'in a',
  ],
  ...['a ? b', 'a ? : b', 'a ? b :', '? b : c', 'a ? b ? c', 'a{b}', 'a{b:}', 'a{:1}', 'a.b{1:2}'],
  ...[
    '{1}',
    '{1:}',
    '{:1}',
    '{1:2,:}',
    '[1,,2]',
    '[1 2]',
    'a &',
    'a & b',
    'a | b',
    'a = b',
    'a === b',
  ],
  ...[
    'if',
    'if(a b)',
    'a.if.x ',
    'for x in y',
    'x => x',
    'x.all(1, y)',
    'x.all(x.y, )',
    'has(a',
    'has(1 ',
  ],
  ...['"abc', "'abc", '"a\nb"', '`a', 'a.`b', '`a`', 'a.`b` c', 'b"\\u00e9" )', '"\\ud800" )'],
  ...[
    '9223372036854775808 )',
    '1u2',
    '1.e',
    '1..2',
    '1.a',
    '(1',
    '1)',
    '((1)',
    '[[1]',
    '{{1:2}',
    'a]',
  ],
];

/** `count` of them, always the same for the same dice. */
export function malformedExpressions(
  right: readonly string[],
  count: number,
  dice: Dice,
): readonly string[] {
  const made = new Set(NO_EXPRESSIONS);
  while (made.size < count) made.add(malformed(right, dice));
  return [...made];
}

function malformed(right: readonly string[], dice: Dice): string {
  if (dice(4) === 0) return soup(dice);
  let words = wordsOf(oneOf(right, dice));
  for (let faults = 1 + dice(3); faults > 0; faults--) words = withFault(words, dice);
  return words.join('');
}

function soup(dice: Dice): string {
  const length = 1 + dice(10);
  return Array.from({ length }, () => word(dice)).join(dice(3) === 0 ? '' : ' ');
}

function withFault(words: readonly string[], dice: Dice): string[] {
  const at = dice(words.length + 1);
  const [before, here, behind] = [words.slice(0, at), words.slice(at, at + 1), words.slice(at + 1)];
  switch (dice(6)) {
    case 0:
      return [...before, ...behind];
    case 1:
      return [...before, ...here, ...here, ...behind];
    case 2:
      return [...before, word(dice), ...here, ...behind];
    case 3:
      return [...before, word(dice), ...behind];
    case 4:
      return dice(2) === 0 ? before : behind;
    default:
      return [...before, ...behind.slice(0, 1), ...here, ...behind.slice(1)];
  }
}

function word(dice: Dice): string {
  return oneOf(dice(12) === 0 ? ODD : WORDS, dice);
}

/** Words, signs and blanks, roughly. */
function wordsOf(expression: string): string[] {
  return (
    expression.match(/\w+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\s+|[=!<>]=|&&|\|\||[^]/gu) ?? []
  );
}

function oneOf(some: readonly string[], dice: Dice): string {
  return some[dice(some.length)] ?? '';
}
