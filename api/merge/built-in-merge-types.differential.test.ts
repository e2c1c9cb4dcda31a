/** The merge types of every built-in kind, beside those that kube-apiserver makes of its OpenAPI. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json.ts';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import { findTypeFacts } from '../scheme/type-facts.ts';
import { mergeTypeOf } from './built-in-merge-types.ts';
import { formsOf, RECORDED_TYPES, recordedTypes, shown } from './compared-merge-types.fixture.ts';

interface GoAtom {
  readonly scalar?: string;
  readonly list?: { readonly relation: string; readonly keys: string[] | null; items: GoType };
  readonly map?: {
    readonly relation: string;
    readonly fields: Record<string, { readonly type: GoType; readonly default: JsonValue }>;
    readonly values: GoType;
  };
}

interface GoType {
  readonly named?: string;
  readonly inlined?: GoAtom;
  readonly relation?: string;
}

const oracle = await goOracle('merge');

describe.skipIf(oracle === undefined)('mergeTypeOf, beside Go', () => {
  const [answer] = oracle?.<{ types: Record<string, GoAtom> }>([{ do: 'schema' }]) ?? [];
  const types = answer?.types ?? {};
  const names = Object.keys(types).filter((name) => findTypeFacts(name) !== undefined);

  it('knows the types of all kinds', () => {
    const kinds = ['apps.v1.Deployment', 'core.v1.Pod', 'networking.v1.Ingress'];
    expect(names).toEqual(expect.arrayContaining(kinds.map((kind) => `io.k8s.api.${kind}`)));
    expect(names.length).toBeGreaterThan(700);
  });

  it.each(names)('says the same of %s', (name) => {
    expect(shown(mergeTypeOf(name), 1)).toEqual(shownGo(types, types[name] ?? {}, 1));
  });

  it('says what is recorded', () => {
    const theirs = RECORDED_TYPES.map((name) => [shownGo(types, types[name] ?? {}, 1)]);
    expect(recordedTypes.confirm(theirs)).toEqual([]);
  });
});

function shownGo(types: Record<string, GoAtom>, atom: GoAtom, depth: number): unknown {
  const { scalar, list, map } = atom;
  const keys = list?.keys ?? [];
  const relation = list?.relation === 'associative' ? (keys.length > 0 ? 'map' : 'set') : 'atomic';
  return {
    ...(scalar === undefined ? {} : { scalar }),
    ...(list === undefined
      ? {}
      : { list: { relation, keys, items: shownReference(types, list.items, depth) } }),
    ...(map === undefined ? {} : { map: shownGoMap(types, atom, depth) }),
  };
}

function shownGoMap(types: Record<string, GoAtom>, { map }: GoAtom, depth: number): unknown {
  const fields = Object.entries(map?.fields ?? {}).map(([name, field]) => [
    name,
    depth === 0
      ? formsOf(resolved(types, field.type))
      : { type: shownReference(types, field.type, depth - 1), default: field.default },
  ]);
  return {
    atomic: map?.relation === 'atomic',
    fields: Object.fromEntries(fields) as unknown,
    values: depth === 0 ? undefined : shownReference(types, map?.values ?? {}, depth - 1),
  };
}

function shownReference(types: Record<string, GoAtom>, type: GoType, depth: number): unknown {
  if (type.named === '__untyped_deduced_') return 'deduced';
  if (type.named === '__untyped_atomic_') return 'untyped';
  // RawExtension is untyped, by another name.
  if (type.named?.endsWith('.runtime.RawExtension') === true) return 'untyped';
  const atom = resolved(types, type);
  return Object.keys(atom).length === 0 ? 'none' : shownGo(types, atom, depth);
}

function resolved(types: Record<string, GoAtom>, type: GoType): GoAtom {
  const atom = type.named === undefined ? (type.inlined ?? {}) : (types[type.named] ?? {});
  if (type.relation === undefined || atom.map === undefined) return atom;
  return { ...atom, map: { ...atom.map, relation: type.relation } };
}
