/**
 * Objects as clients might send them: those that upstream keeps of every kind, with parts of them
 * gone, of another type, or added. The same for the same dice.
 */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonObject, stringAt } from '../json/json.ts';
import { oneOf, type Dice } from '../patch/go-oracle.fixture.ts';
import { upstreamObjects } from '../../tools/generate/upstream-objects.fixture.ts';
import { typeIdOfKind } from './type-facts.ts';

export interface KindOfObject {
  readonly apiVersion: string;
  readonly type: string;
  readonly typeId: string;
  readonly object: JsonObject;
}

const SCHEMA = {
  type: 'object',
  maximum: 5.5,
  default: { a: [1] },
  enum: [1, 'a'],
  properties: { a: { items: [{ type: 'q' }], additionalProperties: false } },
  additionalItems: { type: 'x' },
  dependencies: { x: ['a'], y: { type: 'z' } },
  'x-kubernetes-validations': [{ rule: 'a' }],
};

const CUSTOM_RESOURCE_DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'a' },
  spec: {
    group: 'g',
    names: { plural: 'p', kind: 'K', shortNames: ['a'] },
    versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema: SCHEMA } }],
  },
};

/** Every kind that is registered upstream too; empty where upstream's objects are missing. */
export function kindsOfObjects(): KindOfObject[] {
  const objects = upstreamObjects('HEAD').map(({ json }) => JSON.parse(json) as JsonObject);
  if (objects.length > 0) objects.push(CUSTOM_RESOURCE_DEFINITION);
  return objects.flatMap((object) => {
    const apiVersion = stringAt(object, 'apiVersion');
    const type = stringAt(object, 'kind');
    const typeId = typeIdOfKind(apiVersion, type);
    // What only the server sends is in no scheme of clients, and some types of alpha and beta
    // are declared by others, so that they have other names in Go's messages.
    const isCompared = !/^(admission|imagepolicy|apidiscovery)\.|alpha|beta/.test(apiVersion);
    return typeId === undefined || !isCompared ? [] : [{ apiVersion, type, typeId, object }];
  });
}

const VALUES: readonly [JsonValue, ...JsonValue[]] = [
  null,
  0,
  5,
  1.5,
  3e9,
  -1,
  'x',
  '',
  true,
  false,
  [],
  {},
  ['a'],
  [null],
  [[1]],
  { a: 1 },
  { a: null },
  { type: 'x', items: {} },
  '5',
  '1Gi',
  '1000m',
  '1e3',
  'YQ==',
  'YQ=',
  'YR==',
  'a\nb==',
  'é"\\',
  '2020-02-29T00:00:00Z',
  '2020-02-30T00:00:00Z',
  '2020-01-01T00:00:00.123456Z',
  '2020-01-01T1:00:00+01:00',
  '2020-01-01T00:00:00-25:00',
  '0001-01-01T00:00:00Z',
];

/** A copy with one to three changes; kind and apiVersion at the top stay. */
export function mutated(object: JsonObject, dice: Dice): JsonObject {
  const copy = structuredClone(object);
  for (let change = 0; change <= dice(3); change++) {
    const holders = holdersIn(copy);
    const holder = holders[dice(holders.length)];
    if (holder !== undefined) changeOnce(holder, holder === copy, dice);
  }
  return copy;
}

function changeOnce(holder: JsonObject | JsonValue[], isTop: boolean, dice: Dice): void {
  const value = structuredClone(oneOf(dice, VALUES));
  if (Array.isArray(holder)) {
    holder[dice(holder.length + 1)] = value;
    return;
  }
  const keys = Object.keys(holder).filter((key) => !isTop || !/^(kind|apiVersion)$/.test(key));
  const key = keys[dice(keys.length)];
  if (key === undefined || dice(8) === 0) holder[`unk"é${String(dice(3))}`] = value;
  else if (dice(4) === 0) Reflect.deleteProperty(holder, key);
  else holder[key] = value;
}

function holdersIn(value: JsonValue | undefined): (JsonObject | JsonValue[])[] {
  if (Array.isArray(value)) return [value, ...value.flatMap(holdersIn)];
  if (!isJsonObject(value)) return [];
  return [value, ...Object.values(value).flatMap(holdersIn)];
}
