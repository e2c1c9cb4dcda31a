/**
 * Holds the rules of every built-in kind at what docs/parity.md records. The first cases of those
 * that were measured are judged again, so nothing may differ in them that was not counted then.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildOracle } from '../oracle-program.ts';
import { measureAll } from './parity.ts';
import { parityKinds } from './parity-kinds.ts';
import { SEED, recordedDifferences } from './parity-table.ts';

const CASES = Number(process.env['EVERWATCH_PARITY_CASES'] ?? '40');

const folder = join(dirname(fileURLToPath(import.meta.url)), '../strategies');
const oracle = await buildOracle(folder, 'program');

describe.skipIf(oracle === undefined)('the rules of built-in kinds agree with upstream', () => {
  if (oracle === undefined) return;
  const recorded = recordedDifferences();
  const agreements = measureAll(oracle, parityKinds, { seed: SEED, casesPerKind: CASES });

  it.each(agreements)('in all but what is known, for $kind', ({ kind, ...agreement }) => {
    const { causes, agreed, differences } = agreement;
    const differing = causes - agreed;
    const known = recorded.get(kind) ?? 0;
    expect(differing, JSON.stringify(differences.slice(0, 3), null, 1)).toBeLessThanOrEqual(known);
  });

  it('and every kind of the document is measured', () => {
    expect(agreements.map(({ kind }) => kind)).toEqual([...recorded.keys()]);
  });
});
