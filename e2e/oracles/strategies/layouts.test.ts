/** The layouts of Go's structs that messages of our rules show are those of Go. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readGenerated } from '../../../api/generated/read-generated.ts';
import { buildOracle } from '../oracle-program.ts';
import { asObject } from './comparison.ts';

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');

describe.skipIf(oracle === undefined)('api/generated/internal-structs.json', () => {
  it('is what Go says', () => {
    const [answer] = oracle?.ask([{ do: 'layouts' }]) ?? [];
    expect(JSON.parse(readGenerated('internal-structs.json'))).toEqual(asObject(answer)['layouts']);
  });
});
