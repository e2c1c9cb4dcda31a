/**
 * Custom resource definitions to be judged by us and by upstream: a few that say everything, those
 * of well-known operators, and mutations of both.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { Chance } from '../../../tools/seeded-chance.fixture.ts';

const MODULES: readonly (readonly [module: string, folder: string])[] = [
  ['github.com/cert-manager/cert-manager@v1.19.1', 'deploy/crds'],
  ['sigs.k8s.io/gateway-api@v1.4.1', 'config/crd/experimental'],
  ['sigs.k8s.io/cluster-api@v1.11.3', 'config/crd/bases'],
  ['github.com/prometheus-operator/prometheus-operator@v0.82.2', 'example/prometheus-operator-crd'],
];

/** Those that the Go modules ship, by file name; what cannot be had is left out. */
export function operatorDefinitions(): [string, JsonObject][] {
  return MODULES.flatMap(([module, folder]) => {
    try {
      const told = execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' });
      const { Dir: root } = JSON.parse(told) as { Dir: string };
      const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.yaml'));
      return files.flatMap((file): [string, JsonObject][] => {
        const read: unknown = parse(readFileSync(join(root, folder, file), 'utf8'));
        const value = JSON.parse(JSON.stringify(read)) as JsonValue;
        const isOne = isJsonObject(value) && value['kind'] === 'CustomResourceDefinition';
        return isOne ? [[file, value]] : [];
      });
    } catch {
      console.warn(`SKIPPED ${module}: allow the downloads of Go modules`);
      return [];
    }
  });
}

export function definitionOf(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'], categories: ['all'] },
      ...spec,
    },
  };
}

const RICH_SCHEMA: JsonObject = {
  type: 'object',
  required: ['spec'],
  description: 'A thing of many parts.',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
    spec: {
      type: 'object',
      required: ['replicas'],
      properties: {
        replicas: { type: 'integer', format: 'int32', default: 1, minimum: 0 },
        color: { type: 'string', enum: ['red', 'green'], default: 'red' },
        port: {
          'x-kubernetes-int-or-string': true,
          anyOf: [{ type: 'integer' }, { type: 'string' }],
        },
        labels: {
          type: 'object',
          additionalProperties: { type: 'string', maxLength: 63 },
          maxProperties: 9,
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'protocol'],
          maxItems: 10,
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', pattern: '^[a-z]+$' },
              protocol: { type: 'string', default: 'TCP' },
              number: { type: 'integer', exclusiveMinimum: true, minimum: 0, maximum: 65535 },
            },
          },
        },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        inner: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { data: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
        limits: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          default: { cpu: '1' },
          properties: { cpu: { type: 'string' }, memory: { type: 'string', nullable: true } },
          allOf: [{ properties: { cpu: { minLength: 1 } } }, { not: { required: ['memory'] } }],
        },
        when: { type: 'string', format: 'date-time', nullable: true },
        ratio: { type: 'number', format: 'double', multipleOf: 0.5 },
      },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
    },
  },
};

const RULED_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': [
        {
          rule: 'self.min <= self.max',
          message: 'min is over max',
          fieldPath: '.min',
          reason: 'FieldValueInvalid',
        },
        {
          rule: 'oldSelf == null || self.max >= oldSelf.max',
          messageExpression: '"shrunk to " + string(self.max)',
        },
      ],
      properties: { min: { type: 'integer' }, max: { type: 'integer' } },
    },
  },
};

const SUBRESOURCES: JsonObject = {
  status: {},
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
};

const COLUMNS: JsonValue[] = [
  { name: 'Color', type: 'string', jsonPath: '.spec.color', description: 'The color', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

export function writtenDefinitions(): JsonObject[] {
  const rich = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: RICH_SCHEMA },
  };
  const ruled = { ...rich, schema: { openAPIV3Schema: RULED_SCHEMA } };
  const selectableFields = [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.replicas' }];
  const whole = {
    ...rich,
    subresources: SUBRESOURCES,
    additionalPrinterColumns: COLUMNS,
    selectableFields,
  };
  const clientConfig = {
    service: { namespace: 'default', name: 'hook', path: '/convert', port: 443 },
  };
  const webhook = { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'] };
  const old = {
    name: 'v1alpha1',
    served: true,
    storage: false,
    deprecated: true,
    deprecationWarning: 'use v1',
  };
  const samples = [
    definitionOf({ versions: [whole] }),
    definitionOf({ versions: [ruled] }),
    definitionOf({
      versions: [whole, { ...whole, ...old }],
      conversion: { strategy: 'Webhook', webhook },
    }),
    definitionOf({
      versions: [whole, { ...old, schema: { openAPIV3Schema: { type: 'object' } } }],
    }),
    definitionOf({
      scope: 'Cluster',
      versions: [ruled, { ...rich, ...old, subresources: { status: {} } }],
    }),
    definitionOf(
      { group: 'x.k8s.io', versions: [{ ...rich, additionalPrinterColumns: COLUMNS }] },
      {
        name: 'widgets.x.k8s.io',
        annotations: { 'api-approved.kubernetes.io': 'https://example.com/pull/1' },
      },
    ),
  ];
  return samples.map((sample) => structuredClone(sample));
}

/** Changes one to three places at random; mostly such as the schema language has something to say of. */
export function mutated(definition: JsonObject, chance: Chance): JsonObject {
  const copy = structuredClone(definition);
  const changes = 1 + below(3, chance);
  for (let n = 0; n < changes; n += 1) change(copy, chance);
  return copy;
}

type Slot = readonly [parent: JsonObject | JsonValue[], key: string];

function change(definition: JsonObject, chance: Chance): void {
  const slots = [...slotsIn(definition)].filter(
    ([, key]) => key !== 'apiVersion' && key !== 'kind',
  );
  if (slots.length === 0) return;
  const schemas = slots.flatMap(([parent, key]) => {
    const value = valueAt([parent, key]);
    return isJsonObject(value) && isSchema(value) ? [value] : [];
  });
  const kind = below(10, chance);
  if (kind < 5 && schemas.length > 0) {
    const [key, value] = pick(SCHEMA_CHANGES, chance);
    const schema = pick(schemas, chance);
    schema[key] = structuredClone(value);
    return;
  }
  const [parent, key] = pick(slots, chance);
  if (kind < 7) remove(parent, key);
  else put(parent, key, replacementOf(valueAt([parent, key]), chance));
}

function isSchema(value: JsonObject): boolean {
  return ['type', 'properties', 'items', 'x-kubernetes-int-or-string', 'anyOf'].some((key) =>
    Object.hasOwn(value, key),
  );
}

const SCHEMA_CHANGES: readonly (readonly [string, JsonValue])[] = [
  ['type', 'null'],
  ['type', 'strin'],
  ['type', 'object'],
  ['type', 'array'],
  ['type', 'string'],
  ['type', ''],
  ['nullable', true],
  ['uniqueItems', true],
  ['default', 'x'],
  ['default', 5],
  ['default', { a: 1 }],
  ['default', ['a', 'a']],
  ['default', null],
  ['format', 'int32'],
  ['format', 'k8s-short-name'],
  ['format', 'unheard-of'],
  ['pattern', '^(a'],
  ['pattern', '^[a-z]*$'],
  ['id', 'x'],
  ['$ref', '#/definitions/x'],
  ['$schema', 'http://json-schema.org/draft-04/schema'],
  ['additionalItems', false],
  ['additionalProperties', true],
  ['additionalProperties', false],
  ['additionalProperties', { type: 'string', default: 'x' }],
  ['patternProperties', { '^x': { type: 'string' } }],
  ['definitions', { x: { type: 'string' } }],
  ['dependencies', { x: ['y'] }],
  ['dependencies', { x: { type: 'strin' } }],
  ['items', { type: 'string', nullable: true }],
  ['items', [{ type: 'string' }]],
  ['items', { type: 'object', properties: { name: { type: 'object' } } }],
  ['properties', { metadata: { type: 'object', properties: { labels: { type: 'object' } } } }],
  ['properties', { kind: { type: 'integer' }, apiVersion: { type: 'string', default: 'v1' } }],
  ['properties', { metadata: { type: 'object', default: { name: 'X Y' } } }],
  ['required', ['a', 'a']],
  ['enum', ['a', 1]],
  ['minLength', 5],
  ['maxItems', 0],
  ['allOf', [{ type: 'string', description: 'x' }]],
  ['anyOf', [{ required: ['a'] }, { properties: { nothere: { minLength: 1 } } }]],
  ['oneOf', [{ 'x-kubernetes-int-or-string': true, default: 1 }]],
  ['not', { type: 'object', nullable: true, 'x-kubernetes-validations': [{ rule: 'true' }] }],
  ['x-kubernetes-preserve-unknown-fields', false],
  ['x-kubernetes-preserve-unknown-fields', true],
  ['x-kubernetes-embedded-resource', true],
  ['x-kubernetes-int-or-string', true],
  ['x-kubernetes-list-type', 'set'],
  ['x-kubernetes-list-type', 'map'],
  ['x-kubernetes-list-type', 'bag'],
  ['x-kubernetes-list-map-keys', ['name']],
  ['x-kubernetes-list-map-keys', ['name', 'name', 'gone']],
  ['x-kubernetes-map-type', 'atomic'],
  ['x-kubernetes-map-type', 'loose'],
  ['x-kubernetes-validations', [{ rule: ' ' }]],
  ['x-kubernetes-validations', [{ rule: 'true', message: ' ' }]],
  ['x-kubernetes-validations', [{ rule: 'true &&\ntrue' }]],
  ['x-kubernetes-validations', [{ rule: 'true', message: 'a\nb', messageExpression: ' ' }]],
  ['x-kubernetes-validations', [{ rule: 'true', reason: 'Whatever', fieldPath: '.gone' }]],
  ['x-kubernetes-validations', [{ rule: 'true', fieldPath: ".spec['x'" }]],
];

const TEXTS = ['', 'X', 'x', 'v2', 'a-b', '-', '.spec', '.status.x', 'spec', 'None'];

function replacementOf(value: JsonValue | undefined, chance: Chance): JsonValue {
  switch (typeof value) {
    case 'string':
      return pick([...TEXTS, value.toUpperCase(), `${value}s`], chance);
    case 'number':
      return pick([0, -1, 70_000, 1, 2], chance);
    case 'boolean':
      return !value;
    default:
      if (!Array.isArray(value)) return {};
      return pick<JsonValue[]>([[], [...value, ...value]], chance);
  }
}

function* slotsIn(value: JsonValue): Iterable<Slot> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield [value, String(index)];
      yield* slotsIn(item);
    }
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      yield [value, key];
      yield* slotsIn(item);
    }
  }
}

function valueAt([parent, key]: Slot): JsonValue | undefined {
  return Array.isArray(parent) ? parent[Number(key)] : parent[key];
}

function put(parent: JsonObject | JsonValue[], key: string, value: JsonValue): void {
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else parent[key] = value;
}

function remove(parent: JsonObject | JsonValue[], key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}

function below(count: number, chance: Chance): number {
  return Math.floor(chance() * count);
}

function pick<T>(list: readonly T[], chance: Chance): T {
  const one = list[below(list.length, chance)];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
}
