import { describe, expect, it } from 'vitest';
import { INT, listOf, STRING } from './cel-type.ts';
import { declare, overload } from './declarations.ts';
import { KUBERNETES } from './kubernetes-environment.ts';
import { CelError, type CelValue } from './value.ts';

const environment = KUBERNETES.extend({
  variables: [
    { name: 'x', type: INT },
    { name: 'names', type: listOf(STRING) },
  ],
  functions: [
    declare(
      'twice',
      overload('twice_int', [INT], INT, (value) => (typeof value === 'number' ? value * 2 : value)),
    ),
  ],
});

function evaluate(expression: string, variables: Record<string, CelValue> = {}): CelValue {
  const compiled = environment.compile(expression);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.program.evaluate(new Map(Object.entries(variables))).value;
}

describe('an environment', () => {
  it('knows the variables and functions that it was given', () => {
    expect(evaluate('twice(x) + 1', { x: 20 })).toBe(41);
  });

  it('gives the value of an expression with its cost', () => {
    const compiled = environment.compile('x > 1');
    expect(compiled.ok && compiled.program.evaluate(new Map([['x', 2]]))).toEqual({
      value: true,
      cost: 2,
      isCostExceeded: false,
    });
  });

  it('shows where an expression is wrong', () => {
    const compiled = environment.compile('x +\n  nope');
    expect(compiled.ok ? '' : compiled.message).toBe(
      "ERROR: <input>:2:3: undeclared reference to 'nope' (in container '')\n |   nope\n | ..^",
    );
  });

  it('ends an evaluation that costs too much', () => {
    const compiled = environment.compile(
      'lists.range(1000).all(i, lists.range(1000).all(j, i >= 0))',
    );
    const evaluation = compiled.ok && compiled.program.evaluate(new Map(), { costMax: 10_000 });
    expect(evaluation).toMatchObject({ isCostExceeded: true });
  });

  it('calculates with whole numbers of 64 bits', () => {
    expect(evaluate('9007199254740993 + x', { x: 0 })).toBe(9007199254740993n);
    expect(evaluate('9007199254740993 - x', { x: 2 })).toBe(9007199254740991);
    expect(evaluate('9223372036854775807 + x', { x: 1 })).toEqual(new CelError('integer overflow'));
  });

  it('keeps null apart from what is not there', () => {
    expect(evaluate('{"a": null}.a')).toBeNull();
    expect(evaluate('{"a": null}.b')).toEqual(new CelError('no such key: b'));
    expect(evaluate('{"a": null}.?a.hasValue()')).toBe(true);
  });

  it('matches patterns in time that does not explode', () => {
    expect(evaluate(`"${'a'.repeat(5000)}!".matches("^(a+)+$")`)).toBe(false);
  });

  it('refuses what is nested too deeply, and what would grow without bounds', () => {
    const nested = environment.compile('('.repeat(300) + '1' + ')'.repeat(300));
    expect(nested.ok ? '' : nested.message).toContain('expression recursion limit exceeded: 250');
    const grown = environment.compile(`optional.of(x)${'.optMap(v, v)'.repeat(40)}`);
    expect(grown.ok ? '' : grown.message).toContain('expression node limit exceeded');
    const long = environment.compile(`x == 1${' || x == 1'.repeat(5000)}`);
    expect(long.ok).toBe(true);
  });
});
