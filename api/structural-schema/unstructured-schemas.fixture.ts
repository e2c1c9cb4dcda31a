/** Schemas with faults by chance, of the kinds that make them not structural. */
import { isJsonObject, listAt, objectAt, type JsonObject, type JsonValue } from '../json/json.ts';
import { oneOf, type Dice } from '../patch/go-oracle.fixture.ts';

type Fault = readonly [string, JsonValue];

const EITHER = [{ type: 'integer' }, { type: 'string' }];

const FAULTS: readonly [Fault, ...Fault[]] = [
  ['type', 'string'],
  ['type', ''],
  ['type', 'array'],
  ['default', { a: 1 }],
  ['default', false],
  ['title', 'x'],
  ['description', 'x'],
  ['nullable', true],
  ['x-kubernetes-preserve-unknown-fields', true],
  ['x-kubernetes-preserve-unknown-fields', false],
  ['x-kubernetes-embedded-resource', true],
  ['x-kubernetes-int-or-string', true],
  ['x-kubernetes-list-map-keys', ['a']],
  ['x-kubernetes-list-type', 'set'],
  ['x-kubernetes-map-type', 'atomic'],
  ['x-kubernetes-validations', [{ rule: 'true' }]],
  ['properties', { metadata: { type: 'object' } }],
  ['properties', { metadata: { type: 'string' } }],
  ['properties', { metadata: { type: 'object', properties: { name: { type: 'string' } } } }],
  ['properties', { metadata: { type: 'object', properties: { x: { type: 'string' } } } }],
  ['properties', { kind: { type: 'string' }, apiVersion: { type: 'integer' } }],
  ['properties', { q: { maxLength: 1 } }],
  ['pattern', '[a'],
  ['pattern', 'a**'],
  ['additionalProperties', true],
  ['additionalProperties', { type: 'string' }],
  ['items', [{ type: 'string' }]],
  ['items', { maxLength: 1 }],
  ['$ref', 'x'],
  ['patternProperties', { a: { type: 'string' } }],
  ['definitions', {}],
  ['anyOf', EITHER],
  ['allOf', [{ anyOf: EITHER, minimum: 1 }]],
];

/** Changes the schema in some places. */
export function unstructured(dice: Dice, schema: JsonObject): JsonObject {
  for (let count = 1 + dice(4); count > 0; count--) {
    const parts = partsOf(schema);
    const part = parts[dice(parts.length)] ?? schema;
    const [key, value] = oneOf(dice, FAULTS);
    (dice(4) === 0 ? schema : part)[key] = JSON.parse(JSON.stringify(value)) as JsonValue; // A copy.
  }
  return schema;
}

function partsOf(schema: JsonObject): JsonObject[] {
  const lists = ['anyOf', 'allOf', 'oneOf'].flatMap((key) => listAt(schema, key));
  const singles = [schema['not'], schema['items'], schema['additionalProperties']];
  const properties = Object.values(objectAt(schema, 'properties') ?? {});
  return [schema, ...[...lists, ...singles, ...properties].filter(isJsonObject).flatMap(partsOf)];
}
