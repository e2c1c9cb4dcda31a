import { expect, it } from 'vitest';

import { compileRegularExpression } from './regular-expression.ts';

function matches(pattern: string, text: string): boolean | string {
  const compiled = compileRegularExpression(pattern);
  return compiled.ok ? compiled.expression.test(text) : compiled.message;
}

it('has Go’s syntax and finds a match anywhere', () => {
  expect(matches('b+', 'abc')).toBe(true);
  expect(matches('^b', 'abc')).toBe(false);
  expect(matches('(?i)^\\pL{3}\\z', 'äBC')).toBe(true);
});

it('refuses in Go’s words what Go refuses', () => {
  expect(matches('(?=a)', 'a')).toBe(
    'error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
  );
  expect(matches('a\\', 'a')).toBe(
    'error parsing regexp: trailing backslash at end of expression: ``',
  );
});

it('takes no longer for patterns that are made to take forever', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
});

it('keeps what it has compiled, but not everything', () => {
  const first = compileRegularExpression('kept');
  expect(compileRegularExpression('kept')).toBe(first);
  for (let count = 0; count < 2_000; count++) compileRegularExpression(`a${String(count)}`);
  expect(compileRegularExpression('kept')).not.toBe(first);
});
