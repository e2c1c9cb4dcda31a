import { expect, it } from 'vitest';

import { seededDice } from '../patch/go-oracle.fixture.ts';
import { compileAcceptance } from './accept-values.ts';
import { explainValue } from './explain-values.ts';
import { changed, someSchema, someValue } from './generated-schemas.fixture.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';

it('accepts what nothing is found wrong with, and nothing else', () => {
  const dice = seededDice(7);
  let accepted = 0;
  let refused = 0;
  for (let count = 0; count < 120; count++) {
    const props = someSchema(dice);
    const schema = parseStructuralSchema(props);
    const accepts = compileAcceptance(schema);
    for (let object = 0; object < 10; object++) {
      const value = changed(dice, someValue(dice, props, 95), props, 5);
      const findings = explainValue({ schema, value, path: '', correlated: undefined });
      expect(accepts(value), JSON.stringify({ props, value })).toBe(findings.isEmpty);
      if (findings.isEmpty) accepted++;
      else refused++;
    }
  }
  expect(Math.min(accepted, refused)).toBeGreaterThan(100);
});
