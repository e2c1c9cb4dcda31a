/**
 * What is said of the types in policies, beside Kubernetes' own code: built-in and custom kinds,
 * parameters, variables that build on one another, and rules that name resources in many ways.
 */
import { afterEach, describe, expect, it } from 'vitest';

import { decodedAs } from '../../../api/kinds/kind.ts';
import { goOracle, seededDice, type Dice } from '../../../api/patch/go-oracle.fixture.ts';
import { stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { SchemaLibrary } from '../../../projections/openapi/schema-library.ts';
import { SCHEMA_REFERENCE } from '../../../projections/openapi/type-schema.ts';
import { KindSchemas } from '../../served-resources/kind-schemas.ts';
import {
  CRDS,
  definition,
  givenDefinitions,
  stopCrdControllers,
} from '../definitions/given-definitions.fixture.ts';
import { type ExpressionWarning, typeWarnings } from './type-check.ts';

const POLICY = 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy';
const oracle = await goOracle('admission-matching');
const seed = Number(process.env['EVERWATCH_SEED'] ?? 20_261_122);
const COUNT = 200;

afterEach(stopCrdControllers);

interface Answer {
  readonly warnings?: readonly ExpressionWarning[];
}

/** Group, version and resources that rules may name. */
const NAMED: readonly (readonly [group: string, version: string, resources: readonly string[]])[] =
  [
    ['', 'v1', ['pods', 'events', 'configmaps', 'nodes', 'PODS', 'pod', 'pods/status', 'nowhere']],
    ['apps', 'v1', ['deployments', 'statefulsets', 'daemonsets', 'deployment', '*', 'replicasets']],
    ['batch', 'v1', ['jobs', 'cronjobs']],
    ['autoscaling', 'v1', ['horizontalpodautoscalers']],
    ['autoscaling', 'v2', ['horizontalpodautoscalers']],
    ['networking.k8s.io', 'v1', ['ingresses', 'networkpolicies']],
    ['apiextensions.k8s.io', 'v1', ['customresourcedefinitions']],
    ['coordination.k8s.io', 'v1', ['leases']],
    ['example.com', 'v1', ['widgets', 'gadgets', 'widget']],
    ['example.com', 'v2', ['widgets']],
    ['*', 'v1', ['pods']],
  ];

const PARAMS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['v1', 'ConfigMap'],
  ['example.com/v1', 'Widget'],
  ['example.com/v1', 'Nothing'],
  ['apps/v1', 'Deployment'],
];

const VARIABLES = [
  'object.spec',
  'object.metadata.labels',
  'object.metadata.name',
  'object.spec.replicas',
  'object.nothing',
  '[object.metadata]',
  '{"a": object.metadata.generation}',
  'authorizer.group("")',
  'request.userInfo.groups',
  'namespaceObject.metadata.creationTimestamp',
  'optional.of(object.metadata.name)',
];

const EXPRESSIONS = [
  ...['true', 'object.spec.replicas > 1', 'object.spec.replicas == "1"', 'object.spec.foo == 1'],
  'object.metadata.name.startsWith("a") && object.metadata.labels["x"] == "y"',
  'object.metadata.creationTimestamp < timestamp("2020-01-01T00:00:00Z")',
  'object.metadata.creationTimestamp == "x"',
  'has(object.spec.template.spec.containers) && object.spec.template.spec.containers.all(c, c.image != 1)',
  'object.spec.template.spec.containers.exists(c, c.imagee == "x")',
  'object.spec.template.spec.containers.map(c, c.resources.limits["cpu"])',
  'object.spec.containers.all(c, c.ports.all(p, p.containerPort < "80"))',
  'object.spec.containers[0].securityContext.capabilities.add.exists(a, a == "ALL")',
  'object.spec.containers[0].livenessProbe.httpGet.port == 1',
  'object.data["a"] == 1 || object.binaryData["b"] == b"x"',
  ...['object.data.a.b', 'object.immutable == "yes"', 'object.status.capacity["cpu"] == "1"'],
  ...['object == oldObject', 'object == params', 'params.data["a"] == object.metadata.name'],
  ...['params.spec.size > 1', 'params.nothing', 'params == 1', 'type(object) == type(params)'],
  ...['variables.a == variables.b', 'variables.a.foo', 'variables.c', 'size(variables.a) > 1'],
  ...['variables.b.replicas', 'variables.a + 1', 'variables.b[0].name == 1'],
  'authorizer.group("").resource("pods").check("get").allowed()',
  'authorizer.requestResource.check("get").allowed()',
  ...['request.operation == "CREATE"', 'request.foo', 'request.options.x', 'request.dryRun == 1'],
  ...['namespaceObject.metadata.labels.x == 1', 'namespaceObject.status.phase', 'nobody', '1 +'],
  'object.spec.versions.all(v, v.schema.openAPIV3Schema.properties["x"].properties.y == 1)',
  'object.spec.versions[0].schema.openAPIV3Schema.not.required.size() > "1"',
  ...[
    'object.spec.size > 1.0',
    'object.spec.any.foo',
    'object.spec.port == 80',
    'object.spec.when',
  ],
  'object.spec.when - object.metadata.creationTimestamp > duration("1s")',
  ...['object.spec.for > duration("1s")', 'object.spec.bytes == b"a"', 'object.spec.__for__ == ""'],
  ...['object.spec.embedded.metadata.name == 1', 'object.spec.embedded.kind == 1'],
  'object.spec.tags.exists(t, t == 1)',
  'object.spec.byName["a"].deep.deeper == "x"',
  'object.spec.rules[0].http.paths.all(p, p.backend.service.port.number == "1")',
  'object.spec.holderIdentity == 1 || object.spec.renewTime < now',
  'object.apiVersion == "v1" && object.kind == 3 && object.metadata.ownerReferences[0].uid == 7',
  'object.metadata.managedFields[0].fieldsV1.x == 1',
  'object.spec.jobTemplate.spec.template.spec.volumes[0].emptyDir.sizeLimit == "1"',
  'object.spec.metrics.all(m, m.resource.target.averageUtilization > "x")',
];

const WIDGET_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        replicas: { type: 'integer' },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
        when: { type: 'string', format: 'date-time' },
        for: { type: 'string', format: 'duration' },
        bytes: { type: 'string', format: 'byte' },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        tags: { type: 'array', items: { type: 'string' } },
        byName: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: {
              deep: { type: 'object', properties: { deeper: { type: 'number' } } },
            },
          },
        },
      },
    },
  },
};

async function givenKinds() {
  const plane = await givenDefinitions();
  await plane.start();
  const widgets = definition('widgets');
  const schema = { openAPIV3Schema: WIDGET_SCHEMA };
  widgets.spec.versions = ['v1', 'v2'].map((name) => {
    return { name, served: true, storage: name === 'v1', schema };
  });
  const gadgets = definition('gadgets');
  for (const one of [widgets, gadgets]) {
    expect(await plane.post(CRDS, one)).toMatchObject({ code: 201 });
    await plane.says(stringAt(one.metadata, 'name'), 'Established', 'True');
  }
  return plane;
}

/** What is served, as the oracle is told of it. */
function told(
  { served }: Awaited<ReturnType<typeof givenKinds>>,
  schemas: KindSchemas,
): JsonObject {
  const builtIn = served.facts();
  const custom = served.custom?.established().flatMap((one) => one.facts) ?? [];
  const library = new SchemaLibrary(builtIn, () => new Map());
  const documents: JsonObject = {};
  for (const id of library.reachable(builtIn.map(({ typeId }) => typeId))) {
    documents[id] = library.schema(id, []);
  }
  for (const facts of custom) {
    documents[`custom.${facts.version}.${facts.kind}`] = schemas.schemaOf(facts) ?? {};
  }
  expect(JSON.stringify(documents)).toContain(SCHEMA_REFERENCE);
  const lists = new Map<string, JsonValue[]>();
  for (const { group, version, resource, singular, kind } of [...builtIn, ...custom]) {
    const name = group === '' ? version : `${group}/${version}`;
    const list = lists.get(name) ?? [];
    lists.set(name, [...list, { name: resource, singularName: singular, kind, namespaced: true }]);
  }
  const resources = [...lists].map(([groupVersion, list]) => ({ groupVersion, resources: list }));
  return { types: { schemas: documents, resources } };
}

function somePolicy(dice: Dice): JsonObject {
  const some = <Value>(values: readonly Value[]): Value => values[dice(values.length)] as Value;
  const many = <Value>(most: number, make: () => Value): Value[] =>
    Array.from({ length: dice(most) + 1 }, make);
  const resourceRules = many(1, () => {
    const [group, version, resources] = some(NAMED);
    return {
      apiGroups: dice(8) === 0 ? [group, 'apps'] : [group],
      apiVersions: dice(8) === 0 ? [version, 'v2'] : [version],
      resources: many(2, () => some(resources)),
    };
  });
  const [apiVersion, kind] = some(PARAMS);
  return {
    spec: {
      matchConstraints: { resourceRules },
      ...(dice(2) === 0 ? { paramKind: { apiVersion, kind } } : {}),
      variables: ['a', 'b'].map((name) => {
        return { name, expression: dice(4) === 0 ? 'variables.a' : some(VARIABLES) };
      }),
      validations: many(2, () => ({
        expression: some(EXPRESSIONS),
        ...(dice(3) === 0 ? { messageExpression: some(EXPRESSIONS) } : {}),
      })),
    },
  };
}

/** The names of types end with a number that says nothing. */
function plain(warnings: readonly ExpressionWarning[]): readonly ExpressionWarning[] {
  return warnings.map(({ fieldRef, warning }) => {
    return { fieldRef, warning: warning.replaceAll(/([A-Z][A-Za-z]*)[0-9]+/g, '$1#') };
  });
}

describe.skipIf(oracle === undefined)('the types in policies, beside Go', () => {
  it(`are told alike (EVERWATCH_SEED=${String(seed)})`, { timeout: 900_000 }, async () => {
    const plane = await givenKinds();
    const schemas = new KindSchemas(plane.served);
    const dice = seededDice(seed);
    const policies = Array.from({ length: COUNT }, () => somePolicy(dice));
    const questions = policies.map((policy) => ({ types: { policy } }));
    const [, ...answers] = oracle?.<Answer>([told(plane, schemas), ...questions]) ?? [];
    const differences = policies.flatMap((policy, at) => {
      const read = decodedAs(POLICY, policy);
      const mine = read === undefined ? [] : plain(typeWarnings(read, schemas));
      const theirs = answers[at]?.warnings ?? [];
      return JSON.stringify(mine) === JSON.stringify(theirs) ? [] : [{ policy, mine, theirs }];
    });
    expect(differences.slice(0, 2)).toEqual([]);
    const warned = answers.filter(({ warnings = [] }) => warnings.length > 0).length;
    expect(warned).toBeGreaterThan(COUNT / 4);
    expect(warned).toBeLessThan(COUNT);
    expect(new Set(answers.map(({ warnings }) => JSON.stringify(warnings))).size).toBeGreaterThan(
      COUNT / 4,
    );
  });
});
