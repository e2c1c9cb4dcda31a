import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { asKubeObject } from '../../api/meta/object-meta.ts';
import { allResourceFacts } from '../../api/scheme/resource-facts.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { bitsFrom } from '../seeded-chance.fixture.ts';
import { ANNOTATED_TYPES } from './kind-declarations.ts';
import { misfitOf } from './declared-shape.fixture.ts';
import { sentObject, type Pick } from './sent-values.fixture.ts';

const RUNS = 12;
const REQUESTER = { name: 'someone', uid: '', groups: [], extra: {} };
const MODELS = [
  ...allResourceFacts().flatMap(({ typeId, subresources }) => [
    typeId,
    ...subresources.map((one) => one.typeId),
  ]),
  ...ANNOTATED_TYPES,
];

describe('what decoding gives of a kind has its declared type', () => {
  it.each([...new Set(MODELS)])('%s, whatever was sent', (model) => {
    expectOfAll((pick) => misfitOf(model, decoded(model, sentObject(model, pick))));
  });
});

describe('what the rules of a kind are given, and what they prepare, has its declared type', () => {
  const served = builtInResources({ now: () => 0, after: () => () => undefined });
  const named = served.map((one) => [`${one.apiVersion}/${one.facts.resource}`, one] as const);

  it.each(named)('%s', (_name, resource) => {
    const { facts, definition } = resource;
    const stored = definition.storageFacts.typeId;
    expectOfAll((pick) => {
      const object = received(resource, decoded(facts.typeId, sentObject(facts.typeId, pick)));
      const found = misfitOf(facts.typeId, object);
      if (found !== undefined) return found;
      const toStore = resource.conversion?.toStorage(object) ?? object;
      definition.strategy.prepareForCreate(toStore, REQUESTER);
      return misfitOf(stored, toStore);
    });
  });
});

describe('what is read of a stored object has its declared type, whatever is missing in it', () => {
  const stored = allResourceFacts().filter((facts) => facts.storageVersionHash !== undefined);

  it.each(stored.map((facts) => [facts.typeId, facts] as const))('%s', (model, facts) => {
    const { group, version, kind, resource } = facts;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const storage = `${group === '' ? 'core' : group}/${resource}`;
    expectOfAll((pick) => {
      const object = { ...decoded(model, sentObject(model, pick)), apiVersion, kind };
      const left = { ...withoutSome(object, pick), apiVersion, kind, metadata: { name: 'a' } };
      const json = Buffer.from(formatJson(left));
      return misfitOf(model, parsedObject({ resource: storage, path: '/a', json }));
    });
  });
});

/** The value without some of the fields in it, however deep they are. */
function withoutSome(value: JsonObject, pick: Pick): JsonObject {
  const entries = Object.entries(value).filter(() => pick(4) !== 0);
  return Object.fromEntries(entries.map(([key, inner]) => [key, lackingSome(inner ?? null, pick)]));
}

function lackingSome(value: JsonValue, pick: Pick): JsonValue {
  if (Array.isArray(value)) return value.map((item) => lackingSome(item, pick));
  return isJsonObject(value) ? withoutSome(value, pick) : value;
}

/** As the registry makes it of what a client sent. */
function received({ facts, apiVersion, setDefaults }: ServedResource, read: JsonObject) {
  const { metadata, ...rest } = read;
  const object = asKubeObject({ ...rest, kind: facts.kind, apiVersion, metadata: metadata ?? {} });
  setDefaults?.(object);
  return object;
}

/** Of the fullest object, of one of empty values, of one of nulls, and of random ones. */
function expectOfAll(find: (pick: Pick) => string | undefined): void {
  const found = [0, 1, 3].map((choice) => find((many) => Math.min(choice, many - 1)));
  expect(found).toEqual([undefined, undefined, undefined]);
  const random = fc.property(fc.nat(), (seed) => {
    const bits = bitsFrom(seed);
    expect(find((many) => bits() % many)).toBeUndefined();
  });
  fc.assert(random, { numRuns: RUNS });
}

function decoded(model: string, sent: JsonObject): JsonObject {
  const read = typedCodec(model).decode(sent, { collectUnknown: true });
  if (!read.ok) throw new Error(read.message);
  return read.value;
}
