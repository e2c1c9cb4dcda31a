/** What a policy or a webhook may spend on its expressions is met to the unit. */
import { expect, it } from 'vitest';
import { DYN } from '../../../api/cel/cel-type.ts';
import { KUBERNETES } from '../../../api/cel/kubernetes-environment.ts';
import { givenAttributes } from '../given-attributes.fixture.ts';
import { placeIn } from '../matching/resource-rules.ts';
import { AdmissionVariables, compileExpression, evaluate } from './evaluation.ts';

const attributes = await givenAttributes();
const target = placeIn(attributes.served, '');
const environment = KUBERNETES.extend({ variables: [{ name: 'variables', type: DYN }] });
const compiled = (text: string) => compileExpression(text, environment, undefined);
const NAMED = new Map([['numbers', compiled('[1, 2, 3].map(n, n * 2)')]]);

/** What it comes to, and what is left of a budget. */
function evaluated(text: string, remaining: number) {
  const versioned = { target, object: undefined, oldObject: undefined };
  const parts = { attributes, versioned, decisions: undefined, named: NAMED };
  const budget = { remaining };
  const result = evaluate(compiled(text), new AdmissionVariables(parts), budget);
  return { isThere: result.ok, isFinal: !result.ok && result.isFinal, left: budget.remaining };
}

it.each(['[1, 2, 3].exists(n, n == 3)', 'variables.numbers.exists(n, n == 6)'])(
  'may cost all that is left, and not a unit more: %s',
  (text) => {
    const ample = 1_000_000;
    const cost = ample - evaluated(text, ample).left;
    expect(cost).toBeGreaterThan(5);
    expect(evaluated(text, cost + 1)).toEqual({ isThere: true, isFinal: false, left: 1 });
    expect(evaluated(text, cost)).toEqual({ isThere: true, isFinal: false, left: 0 });
    expect(evaluated(text, cost - 1)).toEqual({ isThere: false, isFinal: true, left: -1 });
  },
);

it('costs what its variables cost when they are first read, and nothing the second time', () => {
  const once = 1_000_000 - evaluated('variables.numbers.size() == 3', 1_000_000).left;
  const alone = 1_000_000 - evaluated('[2, 4, 6].size() == 3', 1_000_000).left;
  expect(once).toBeGreaterThan(alone);
});

it('that costs nothing is evaluated when nothing is left', () => {
  expect(evaluated('true', 0)).toEqual({ isThere: true, isFinal: false, left: 0 });
  expect(evaluated('true', -1)).toEqual({ isThere: false, isFinal: true, left: -1 });
});
