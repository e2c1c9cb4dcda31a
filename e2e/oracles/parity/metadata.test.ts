/**
 * The metadata that admission, a patch or a conversion may have returned, judged by our rules and
 * by Go's: every built-in kind, created and updated, with every name, base of a name and uid that
 * is bad somewhere. Both say the same, cause by cause.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { buildOracle } from '../oracle-program.ts';
import { asObject } from '../strategies/comparison.ts';
import { compareWrites } from './parity.ts';
import { parityKinds } from './parity-kinds.ts';

const NAMES = [
  ...['', 'Bad_Name', 'a/b', '..', 'a%b', '-a', 'a.b', 'a:b', 'A', 'ü'],
  ...['a'.repeat(64), 'a'.repeat(254), '__proto__'],
];

/** A LimitRange without a name gets one of its strategy, before anything is judged. */
const KNOWN: ReadonlyMap<string, number> = new Map([['LimitRange', 1]]);

const folder = join(dirname(fileURLToPath(import.meta.url)), '../strategies');
const oracle = await buildOracle(folder, 'program');

function changed(base: JsonObject, field: string, value: string): JsonObject {
  const { [field]: _was, ...metadata } = asObject(base['metadata']);
  return { ...base, metadata: value === '' ? metadata : { ...metadata, [field]: value } };
}

describe.skipIf(oracle === undefined)('bad metadata is judged as upstream judges it', () => {
  if (oracle === undefined) return;
  it.each(parityKinds)('$name', (kind) => {
    const [base] = kind.bases;
    if (base === undefined) throw new Error(`${kind.name} has no object`);
    const writes = NAMES.flatMap((value) =>
      ['name', 'generateName', 'uid'].flatMap((field) => {
        const object = changed(base, field, value);
        const update = { do: 'update', object, old: base };
        // A create says nothing of a uid that lasts.
        return field === 'uid' ? [update] : [{ do: 'create', object }, update];
      }),
    );
    const differences = compareWrites(oracle, kind, writes).differences.map(
      ({ write, ours, theirs }) => ({
        do: write.do,
        metadata: write.object['metadata'],
        ours,
        theirs,
      }),
    );
    expect(differences.length, JSON.stringify(differences.slice(0, 3), null, 1)).toBe(
      KNOWN.get(kind.name) ?? 0,
    );
  });
});
