/**
 * What is said of custom resources against apiextensions-apiserver's own words: the OpenAPI documents
 * of well-known operators' definitions, and the rows of objects. Descriptions are left out, because
 * a source tree has none of upstream's.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { decodedAs } from '../../../api/kinds/decoded.fixture.ts';
import { summaryOf } from '../../../api/kinds/custom/definition-summary.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../api/json/json.ts';
import type { PrinterColumn } from '../../../api/kinds/custom-serving.ts';
import { resourceFacts } from '../../../api/scheme/resource-facts.ts';
import type { CustomKind } from '../../../projections/openapi/custom-kind.ts';
import { CustomOpenApiView } from '../../../projections/openapi/custom-openapi-view.ts';
import { OpenApiView } from '../../../projections/openapi/openapi-view.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { customPrinter } from '../../../projections/table/custom-printer.ts';
import { operatorDefinitions } from '../crd/crd-samples.ts';
import { buildOracle } from '../oracle-program.ts';

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');
const builtIn = new OpenApiView(resourceFacts(), () => new Map());

interface Case {
  readonly definition: JsonObject;
  readonly kind: CustomKind;
}

/** Each version of each definition of the operators. */
function cases(): Case[] {
  return operatorDefinitions().flatMap(([, definition]) => {
    const spec = objectAt(definition, 'spec');
    const names = objectAt(spec, 'names');
    const kind = stringAt(names, 'kind');
    const listKind = stringAt(names, 'listKind') || `${kind}List`;
    const complete = { ...definition, spec: { ...spec, names: { ...names, listKind } } };
    const { versions, group, namespaced } = summaryOf(
      decodedAs('apiextensions.k8s.io/v1/customresourcedefinitions', complete),
      1,
    );
    return versions.map(({ name, hasStatus, scale, selectableFields }) => ({
      definition: complete,
      kind: {
        ...{ group, namespaced, kind, listKind, hasStatus, version: name },
        plural: stringAt(names, 'plural'),
        hasScale: scale !== undefined,
        selectableFields: selectableFields.map((path) => path.slice(1)),
        preserveUnknownFields: spec?.['preserveUnknownFields'] === true,
        key: 'k',
        schema: () => objectAt(objectAt(versionIn(definition, name), 'schema'), 'openAPIV3Schema'),
      },
    }));
  });
}

function versionIn(definition: JsonObject, name: string): JsonObject | undefined {
  return listAt(objectAt(definition, 'spec'), 'versions')
    .filter(isJsonObject)
    .find((one) => stringAt(one, 'name') === name);
}

/** The value without descriptions and without the order of its keys. */
function bare(value: JsonValue | undefined, isMap = false): JsonValue {
  if (Array.isArray(value)) return value.map((one) => bare(one));
  if (!isJsonObject(value)) return value ?? null;
  const keys = Object.keys(value)
    .filter((key) => isMap || key !== 'description')
    .sort();
  const entries = keys.map((key) => [key, bare(value[key], !isMap && key === 'properties')]);
  const result = Object.fromEntries(entries) as JsonObject;
  const { allOf } = result;
  // A reference stands by itself where nothing is said beside it.
  const [only] = Array.isArray(allOf) ? allOf : [];
  const isReference = Object.keys(result).length === 1 && isJsonObject(only) && '$ref' in only;
  return isReference ? only : result;
}

function withoutDefaults(value: JsonValue | undefined, isMap = false): JsonValue {
  if (Array.isArray(value)) return value.map((one) => withoutDefaults(one));
  if (!isJsonObject(value)) return value ?? null;
  const entries = Object.entries(value)
    .filter(([key]) => isMap || key !== 'default')
    .map(([key, one]) => [key, withoutDefaults(one, !isMap && key === 'properties')]);
  return Object.fromEntries(entries) as JsonObject;
}

/** What clients are generated from. */
function operations(document: JsonObject): string[] {
  const found: string[] = [];
  for (const [path, item] of Object.entries(objectAt(document, 'paths') ?? {})) {
    if (!isJsonObject(item)) continue;
    const shared = parameterNames(item);
    for (const [method, operation] of Object.entries(item)) {
      if (!isJsonObject(operation)) continue;
      const names = [...shared, ...parameterNames(operation)].sort().join();
      const codes = Object.keys(objectAt(operation, 'responses') ?? {})
        .sort()
        .join();
      const id = stringAt(operation, 'operationId');
      const action = stringAt(operation, 'x-kubernetes-action');
      const body = Object.keys(objectAt(objectAt(operation, 'requestBody'), 'content') ?? {});
      found.push([method, path, id, action, names, codes, body.sort().join()].join(' '));
    }
  }
  return found.sort();
}

function parameterNames(object: JsonObject): string[] {
  return listAt(object, 'parameters').map((one) => stringAt(isJsonObject(one) ? one : {}, 'name'));
}

describe.skipIf(oracle === undefined)('custom resources', () => {
  if (oracle === undefined) return;
  const all = cases();

  it('are described by the same OpenAPI v3 documents', () => {
    const answers = oracle.ask(
      all.map(({ definition, kind: { version } }) => ({ ask: 'v3', definition, version })),
    );
    for (const [index, { kind }] of all.entries()) {
      const name = `apis/${kind.group}/${kind.version}`;
      const body = new CustomOpenApiView(builtIn, [kind]).v3(name);
      const ours = JSON.parse(Buffer.from(body?.bytes ?? []).toString()) as JsonObject;
      const { document: theirs = {} } = answers[index] as { readonly document?: JsonObject };
      expect(operations(ours), name).toEqual(operations(theirs));
      const schemasOf = (document: JsonObject): JsonObject =>
        objectAt(objectAt(document, 'components'), 'schemas') ?? {};
      expect(Object.keys(schemasOf(ours)), name).toEqual(Object.keys(schemasOf(theirs)));
      const own = Object.keys(schemasOf(theirs)).filter((key) => !key.startsWith('io.k8s.ap'));
      for (const key of own) {
        expect(bare(schemasOf(ours)[key]), key).toEqual(bare(schemasOf(theirs)[key]));
      }
    }
    console.info(`OpenAPI v3 of custom resources: ${String(all.length)} versions alike`);
  });

  it('are described by the same definitions of OpenAPI v2', async () => {
    const answers = oracle.ask(
      all.map(({ definition, kind: { version } }) => ({ ask: 'v2', definition, version })),
    );
    const view = new CustomOpenApiView(
      builtIn,
      all.map(({ kind }) => kind),
    );
    const { bytes } = await view.v2Json();
    const ours = objectAt(JSON.parse(Buffer.from(bytes).toString()) as JsonObject, 'definitions');
    for (const [index, { kind }] of all.entries()) {
      const { document = {} } = answers[index] as { readonly document?: JsonObject };
      const theirs = objectAt(document, 'definitions') ?? {};
      const own = Object.keys(theirs).filter((key) => key.endsWith(`.${kind.kind}`));
      expect(own).toHaveLength(1);
      for (const key of own) {
        // Where it is served, defaults are taken out of all of v2.
        expect(bare(ours?.[key]), key).toEqual(bare(withoutDefaults(theirs[key])));
      }
    }
  });

  it('have the same rows', () => {
    const definition = {
      spec: { versions: [{ name: 'v1', additionalPrinterColumns: COLUMNS }] },
    };
    const type = { kind: 'Tab', apiVersion: 'example.com/v1' };
    const objects: KubeObject[] = [
      { ...type, ...OBJECT },
      { ...type, metadata: { name: 'b' } },
    ];
    const [answer] = oracle.ask([{ ask: 'rows', definition, version: 'v1', objects }]);
    const { cells: theirs } = answer as { readonly cells: JsonValue[][] };
    const ours = objects.map((object) => customPrinter(COLUMNS).cells(object, 0));
    const isAge = (index: number): boolean => COLUMNS[index - 1]?.type === 'date';
    const still = (cells: readonly JsonValue[]): JsonValue[] =>
      cells.filter((_, index) => !isAge(index));
    expect(ours.map(still)).toEqual(theirs.map(still));
  });
});

const TYPES = ['string', 'integer', 'number', 'boolean'] as const;
const PATHS = [
  '.metadata.name',
  '.spec.text',
  '.spec.count',
  '.spec.part',
  '.spec.flag',
  '.spec.list',
  '.spec.list[0]',
  '.spec.list[-1]',
  '.spec.list[7]',
  '.spec.list[*]',
  '.spec.list[0:2]',
  '.spec.map',
  '.spec.no',
  '.spec.missing.inside',
  ".spec['text']",
  '.status.conditions[?(@.type=="Ready")].status',
  ".status.conditions[?(@.type!='Ready')].status",
  '.status.conditions[?(@.weight>1)].type',
  '.status.conditions[?(@.weight)].type',
  '.status.conditions[?(@.weight=="x")].type',
  '.status.conditions[*].type',
  '.status.conditions[0].type',
  '.spec.text[0]',
  '..status',
];

const COLUMNS: readonly PrinterColumn[] = TYPES.flatMap((type) =>
  PATHS.map((jsonPath) => {
    return { name: jsonPath, type, format: '', description: '', priority: 0, jsonPath };
  }),
);

const OBJECT = {
  metadata: { name: 'a' },
  spec: {
    ...{ text: 'x', count: 3, part: 1.5, flag: true, list: [1, 2, 3] },
    ...{ map: { b: '<1>', a: [true, null] }, no: null },
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', weight: 2 },
      { type: 'Synced', status: 'False', weight: 1 },
    ],
  },
};
