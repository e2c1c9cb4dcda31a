import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../json/json.ts';
import { asKubeObject, type KubeObject } from '../../../meta/object-meta.ts';
import { formatFieldError } from '../../../field/field-errors.ts';
import { typedCodec } from '../../../scheme/typed-json.ts';
import { customResourceDefinitions } from './definition.ts';

const { strategy } = customResourceDefinitions;
const MODEL = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';

const SCHEMA = { type: 'object', properties: { spec: { type: 'object' } } };

function definition(spec: JsonObject = {}, more: JsonObject = {}): KubeObject {
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [version({})],
      conversion: { strategy: 'None' },
      ...spec,
    },
    status: { acceptedNames: {}, storedVersions: ['v1'] },
    ...more,
  };
}

function version(more: JsonObject, schema: JsonObject = SCHEMA): JsonObject {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
}

function withProperty(property: JsonObject): JsonObject {
  return { versions: [version({}, { type: 'object', properties: { a: property } })] };
}

function decoded(object: KubeObject): KubeObject {
  const read = typedCodec(MODEL).decode(object);
  if (!read.ok) throw new Error(read.message);
  return asKubeObject(read.value); // What was given is one.
}

function errorsOf(object: KubeObject, old?: KubeObject): string[] {
  const errors =
    old === undefined
      ? strategy.validate(decoded(object))
      : strategy.validateUpdate(decoded(object), decoded(old));
  return errors.map(formatFieldError);
}

const established = { conditions: [{ type: 'Established', status: 'True' }] };

it('finds nothing wrong with a small one', () => {
  expect(errorsOf(definition())).toEqual([]);
});

describe('a new definition', () => {
  const SCHEMA_AT = 'spec.validation.openAPIV3Schema';
  it.each<[string, JsonObject, string[]]>([
    [
      'without a group',
      { group: '' },
      [
        'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
        'spec.group: Required value',
      ],
    ],
    [
      'of an unheard-of scope',
      { scope: 'World' },
      ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'with a version that is named twice',
      { versions: [version({}), version({ storage: false })] },
      [
        expect.stringMatching(
          /^spec\.versions: Invalid value: \[\{"Name":"v1".*: must contain unique version names$/,
        ) as string,
      ],
    ],
    [
      'with a field that no schema has',
      withProperty({ type: 'string', uniqueItems: true }),
      [
        `${SCHEMA_AT}.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      'with a list of nothing',
      withProperty({ type: 'array' }),
      [`${SCHEMA_AT}.properties[a].items: Required value: must be specified`],
    ],
    [
      'with a default of the wrong type',
      withProperty({ type: 'integer', default: 'x' }),
      [
        `${SCHEMA_AT}.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"`,
      ],
    ],
    [
      'with a default that would be pruned',
      withProperty({ type: 'object', default: { b: 1 } }),
      [`${SCHEMA_AT}.properties[a].default: Invalid value: {"b":1}: must not have unknown fields`],
    ],
    [
      'with a rule that does not compile',
      withProperty({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self > 1' }] }),
      [
        expect.stringContaining(
          "found no matching overload for '_>_' applied to '(string, int)'",
        ) as string,
      ],
    ],
    [
      'with a default that could not stay what it is',
      withProperty({
        type: 'integer',
        default: 1,
        'x-kubernetes-validations': [{ rule: 'self > oldSelf' }],
      }),
      [`${SCHEMA_AT}.properties[a].default: Invalid value: 1: failed rule: self > oldSelf`],
    ],
    [
      'with a default that could not come to be',
      withProperty({
        type: 'integer',
        default: 1,
        'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue()', optionalOldSelf: true }],
      }),
      [`${SCHEMA_AT}.properties[a].default: Invalid value: 1: failed rule: oldSelf.hasValue()`],
    ],
    [
      'with a webhook and nowhere to find it',
      { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v2'] } } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'that keeps unknown fields everywhere',
      { preserveUnknownFields: true },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
  ])('%s', (_case, spec, errors) => {
    expect(errorsOf(definition(spec))).toEqual(errors);
  });

  it('tells what differs between versions at the versions', () => {
    const versions = [version({}), version({ name: 'v2', storage: false }, { type: 'string' })];
    expect(errorsOf(definition({ versions }))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ]);
  });

  it('is warned of formats that are not checked', () => {
    const { warningsOnCreate } = strategy;
    const spec = withProperty({ type: 'string', format: 'unheard-of' });
    expect(warningsOnCreate?.(definition(spec))).toEqual(['unrecognized format "unheard-of"']);
  });
});

describe('a default of embedded objects', () => {
  const properties = { foo: { type: 'string' } };
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties };
  const metadata = { name: 'Bar', unknown: 'unknown' };
  const object = { apiVersion: 'foos/v1', kind: 'Foo', metadata };
  const outside = { type: 'object', properties: { inner: embedded }, default: { inner: object } };

  it.each<[string, JsonObject, string[]]>([
    ['has metadata that loses what it does not know', { ...embedded, default: object }, []],
    ['stands around it', outside, []],
    [
      'has no other field that is not known',
      { ...embedded, default: { ...object, spec: {} } },
      [expect.stringContaining('must not have unknown fields') as string],
    ],
  ])('%s', (_what, property, errors) => {
    expect(errorsOf(definition(withProperty(property)))).toEqual(errors);
  });
});

describe('a definition that changes', () => {
  it('keeps its names once they are used', () => {
    const names = { plural: 'widgets', singular: 'widget', kind: 'Gadget', listKind: 'WidgetList' };
    const next = definition({ names, scope: 'Cluster' });
    expect(errorsOf(next, definition())).toEqual([]);
    const status = { ...established, acceptedNames: {}, storedVersions: ['v1'] };
    expect(errorsOf(next, definition({}, { status }))).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ]);
  });

  it('keeps versions in which objects may lie', () => {
    const versions = [version({ name: 'v2' })];
    const status: JsonObject = { acceptedNames: {}, storedVersions: ['v1', 'v2'] };
    expect(errorsOf(definition({ versions }, { status }), definition())).toEqual([
      expect.stringMatching(
        /^status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was/,
      ),
    ]);
  });

  it.each<[string, JsonObject]>([
    [
      'a set of what is no scalar',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } },
    ],
    ['a default that would be pruned', { type: 'object', default: { b: 1 } }],
    [
      'a key that may be missing',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' } } },
      },
    ],
  ])('may keep what it was allowed before: %s', (_what, property) => {
    const before = definition(withProperty(property));
    expect(errorsOf(before)).not.toEqual([]);
    expect(errorsOf(definition(withProperty(property)), before)).toEqual([]);
  });
});

it('a status may have no names that are none', () => {
  const rules = strategy.subresources.get('status');
  const status = { acceptedNames: { plural: 'Not-This' }, storedVersions: ['v1'] };
  const errors =
    rules?.validateUpdate(decoded(definition({}, { status })), decoded(definition())) ?? [];
  expect(errors.map(({ field }) => field)).toEqual(['status.acceptedNames.plural']);
});

it.each(['__proto__', 'constructor'])('lists have no keys that items have not: %s', (key) => {
  const items = { type: 'object', properties: { a: { type: 'string' } } };
  const list = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
    items,
  };
  expect(errorsOf(definition(withProperty(list)))).toEqual([
    'spec.validation.openAPIV3Schema.properties[a].x-kubernetes-list-map-keys: ' +
      `Invalid value: ["${key}"]: entries must all be names of item properties`,
  ]);
});
