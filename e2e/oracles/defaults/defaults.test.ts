/**
 * Our defaults against kube-apiserver's own, for every built-in kind in every version that serves
 * it: complete objects, what chance makes of them, and objects as people write them. Both results
 * are brought to canonical form by the same Go decoder before they are compared, field by field.
 * A larger run: EVERWATCH_OBJECTS=1000.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { typeIdOfKind } from '../../../api/scheme/type-facts.ts';
import { defaultersByType } from '../../../api/kinds/built-in-defaults.ts';
import { buildOracle, type OracleProgram } from '../oracle-program.ts';
import { servedKinds, subresourceKinds, variedObjects } from '../served-kinds.ts';
import { chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import {
  asObject,
  differingPlaces,
  withoutTaintTimes,
  type ObjectDifference,
} from './object-differences.ts';
import { writtenObjects } from './written-objects.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261121');
const OBJECTS_PER_KIND = Number(process.env['EVERWATCH_OBJECTS'] ?? '90');

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');

describe.skipIf(oracle === undefined)('defaults of built-in types', () => {
  if (oracle === undefined) return;
  const served = servedKinds(oracle);
  const kinds = [...served, ...subresourceKinds(oracle)];
  // Versions of one form have the defaults of the one that is stored, where they have none of their own.
  const forms = new Map(
    served.map((one) => [one.typeId, one.served.definition.storageFacts.typeId]),
  );
  let objects = 0;

  it.each(kinds)(`are kube-apiserver's for $name, seed ${String(SEED)}`, (kind) => {
    const count = OBJECTS_PER_KIND + kind.bases.length;
    const varied = variedObjects(kind, { count, chance: chanceFrom(SEED), nulls: true });
    const { compared, differences } = defaultsCompared(oracle, varied, forms);
    objects += compared;
    expect(differences.slice(0, 5)).toEqual([]);
    expect(compared).toBeGreaterThan(varied.length / 2);
  });

  it('are kube-apiserver’s for objects as people write them', () => {
    const { compared, differences } = defaultsCompared(oracle, writtenObjects, forms);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(writtenObjects.length / 2);
  });

  it('are compared wherever there are any', () => {
    const typeIds = new Set(kinds.map(({ typeId }) => typeId));
    expect([...defaultersByType.keys()].filter((typeId) => !typeIds.has(typeId))).toEqual([]);
  });

  afterAll(() => {
    console.log(`${String(objects)} objects of ${String(kinds.length)} kinds compared`);
  });
});

/** Objects that upstream cannot decode are not compared. */
function defaultsCompared(
  program: OracleProgram,
  objects: readonly JsonObject[],
  forms: ReadonlyMap<string, string>,
) {
  const wanted = program.ask(objects.map((object) => ({ steps: ['default'], object })));
  const defaulted = objects.map((object) => {
    const owned = structuredClone(object);
    const typeId = typeIdOfKind(stringAt(owned, 'apiVersion'), stringAt(owned, 'kind'));
    const setDefaults =
      defaultersByType.get(typeId ?? '') ?? defaultersByType.get(forms.get(typeId ?? '') ?? '');
    if (typeId === undefined || setDefaults === undefined) return owned;
    const decoded = typedCodec(typeId).decode(owned);
    if (!decoded.ok) return owned;
    const read = asObject(withEmptyLists(decoded.value, object));
    setDefaults(read);
    return read;
  });
  const given = program.ask(defaulted.map((object) => ({ steps: [], object })));
  const differences: ObjectDifference[] = [];
  let compared = 0;
  for (const [index, object] of objects.entries()) {
    const upstream = withoutTaintTimes(asObject(wanted[index]));
    if ('error' in upstream) continue;
    compared += 1;
    const ours = withoutTaintTimes(asObject(given[index]));
    const places = differingPlaces(ours, upstream);
    differences.push(...places.map((place) => ({ ...place, way: 'default', object })));
  }
  return { compared, differences };
}

/** Decoding drops a list without items, which Go defaults as one that is there. */
function withEmptyLists(decoded: JsonValue, sent: JsonValue): JsonValue {
  if (Array.isArray(decoded) && Array.isArray(sent)) {
    return decoded.map((item, index) => withEmptyLists(item, sent[index] ?? null));
  }
  if (!isJsonObject(decoded) || !isJsonObject(sent)) return decoded;
  const result = { ...decoded };
  for (const [key, value] of Object.entries(sent)) {
    const own = decoded[key];
    if (own !== undefined) result[key] = withEmptyLists(own, value ?? null);
    else if (Array.isArray(value) && value.length === 0) result[key] = [];
  }
  return result;
}
