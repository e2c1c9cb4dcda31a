/**
 * What expressions of webhooks and policies can speak of: the object, the request, its namespace,
 * parameters, what the requester may do, and variables of the policy. Types are declared
 * here; the values come with each request.
 *
 * In Kubernetes: mustBuildEnvs, apiserver/pkg/admission/plugin/cel.
 */
import {
  BOOL,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  listOf,
  mapOf,
  structType,
  type CelType,
} from '../../cel/cel-type.ts';
import { declare, overload, type Library, type StructTypes } from '../../cel/declarations.ts';
import type { Environment } from '../../cel/environment.ts';
import { KUBERNETES } from '../../cel/kubernetes-environment.ts';
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from '../../cel/library/authorization.ts';
import type { DeclaredStructs } from '../../cel/schema/schema-declarations.ts';
import { CelError } from '../../cel/value.ts';
import { escapeKey, JsonPatchValue, ObjectValue } from './patch-values.ts';

export interface Surroundings {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Objects and patches can be made. */
  readonly hasPatchTypes: boolean;
  /** The types of the variables before it; undefined where there are none at all. */
  readonly variables?: ReadonlyMap<string, CelType> | undefined;
}

const VARIABLES = 'kubernetes.variables';
/** Of `Object{…}`, with which mutating policies say what to apply. */
export const OBJECT_TYPE: CelType = structType('Object');
/** Of `JSONPatch{…}`, one operation of a patch. */
export const JSON_PATCH_TYPE: CelType = structType('JSONPatch');
const REQUEST = structType('kubernetes.AdmissionRequest');
const NAMESPACE = structType('kubernetes.Namespace');

type Fields = Readonly<Record<string, CelType>>;

const KIND = structType('kubernetes.GroupVersionKind');
const RESOURCE = structType('kubernetes.GroupVersionResource');
const TEXTS = mapOf(STRING, STRING);

const STRUCTS: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  [KIND.name, { group: STRING, version: STRING, kind: STRING }],
  [RESOURCE.name, { group: STRING, version: STRING, resource: STRING }],
  [
    'kubernetes.UserInfo',
    {
      username: STRING,
      uid: STRING,
      groups: listOf(STRING),
      extra: mapOf(STRING, listOf(STRING)),
    },
  ],
  [
    REQUEST.name,
    {
      kind: KIND,
      resource: RESOURCE,
      subResource: STRING,
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: STRING,
      name: STRING,
      namespace: STRING,
      operation: STRING,
      userInfo: structType('kubernetes.UserInfo'),
      dryRun: BOOL,
      options: DYN,
    },
  ],
  ['kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }],
  [
    'kubernetes.NamespaceCondition',
    {
      status: STRING,
      type: STRING,
      lastTransitionTime: TIMESTAMP,
      message: STRING,
      reason: STRING,
    },
  ],
  [
    'kubernetes.NamespaceStatus',
    { conditions: listOf(structType('kubernetes.NamespaceCondition')), phase: STRING },
  ],
  [
    'kubernetes.NamespaceMetadata',
    {
      name: STRING,
      generateName: STRING,
      namespace: STRING,
      labels: TEXTS,
      annotations: TEXTS,
      UID: STRING,
      creationTimestamp: TIMESTAMP,
      deletionGracePeriodSeconds: INT,
      deletionTimestamp: TIMESTAMP,
      generation: INT,
      resourceVersion: STRING,
      finalizers: listOf(STRING),
    },
  ],
  [
    NAMESPACE.name,
    {
      metadata: structType('kubernetes.NamespaceMetadata'),
      spec: structType('kubernetes.NamespaceSpec'),
      status: structType('kubernetes.NamespaceStatus'),
    },
  ],
]);

const PATCHES: Library = [
  declare(
    'jsonpatch.escapeKey',
    overload('string_jsonpatch_escapeKey_string', [STRING], STRING, escapeKey),
  ),
];
const PATCH_FIELDS: Fields = { op: STRING, path: STRING, from: STRING, value: DYN };

const kept = new Map<string, Environment>();

/** Without variables, environments are made once. */
export function environmentOf(surroundings: Surroundings): Environment {
  const { hasParams, hasAuthorizer, hasPatchTypes, variables } = surroundings;
  const key = [hasParams, hasAuthorizer, hasPatchTypes].join();
  let environment = kept.get(key);
  if (environment === undefined) {
    environment = extended(surroundings);
    kept.set(key, environment);
  }
  if (variables === undefined) return environment;
  return environment.extend({
    variables: [{ name: 'variables', type: structType(VARIABLES) }],
    structs: structsOf(hasPatchTypes, variables),
  });
}

/** What objects and parameters look like, as far as that is known before there are any. */
export interface TypedObjects {
  readonly object: DeclaredStructs | undefined;
  readonly params: DeclaredStructs | undefined;
}

/**
 * For finding out whether expressions fit objects; nothing is evaluated in it.
 *
 * In Kubernetes: buildEnvSet, apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
 */
export function typedEnvironmentOf(
  { object, params }: TypedObjects,
  { hasParams, variables }: Pick<Surroundings, 'hasParams' | 'variables'>,
): Environment {
  const plain = structsOf(false, variables ?? new Map());
  const typed = [object, params].filter((one) => one !== undefined);
  const objectType = object?.root ?? DYN;
  return KUBERNETES.extend({
    variables: [
      { name: 'object', type: objectType },
      { name: 'oldObject', type: objectType },
      { name: 'namespaceObject', type: NAMESPACE },
      { name: 'request', type: REQUEST },
      ...(hasParams ? [{ name: 'params', type: params?.root ?? DYN }] : []),
      { name: 'authorizer', type: AUTHORIZER_TYPE },
      { name: 'variables', type: structType(VARIABLES) },
    ],
    structs: {
      has: (name) => plain.has(name) || typed.some((one) => one.has(name)),
      fieldType: (name, field) =>
        (typed.find((one) => one.has(name)) ?? plain).fieldType(name, field),
    },
  });
}

function extended({ hasParams, hasAuthorizer, hasPatchTypes }: Surroundings): Environment {
  return KUBERNETES.extend({
    variables: [
      { name: 'object', type: DYN },
      { name: 'oldObject', type: DYN },
      { name: 'namespaceObject', type: NAMESPACE },
      { name: 'request', type: REQUEST },
      ...(hasParams ? [{ name: 'params', type: DYN }] : []),
      ...(hasAuthorizer
        ? [
            { name: 'authorizer', type: AUTHORIZER_TYPE },
            { name: 'authorizer.requestResource', type: RESOURCE_CHECK_TYPE },
          ]
        : []),
    ],
    functions: hasPatchTypes ? PATCHES : [],
    structs: structsOf(hasPatchTypes, undefined),
  });
}

function structsOf(
  hasPatchTypes: boolean,
  variables: ReadonlyMap<string, CelType> | undefined,
): StructTypes {
  const isObject = (name: string): boolean =>
    hasPatchTypes && (name === OBJECT_TYPE.name || name.startsWith(`${OBJECT_TYPE.name}.`));
  const isPatch = (name: string): boolean => hasPatchTypes && name === JSON_PATCH_TYPE.name;
  return {
    has: (name) =>
      STRUCTS.has(name) ||
      isObject(name) ||
      isPatch(name) ||
      (variables !== undefined && name === VARIABLES),
    fieldType(name, field) {
      if (name === VARIABLES) return variables?.get(field);
      if (isObject(name)) return DYN;
      const fields = isPatch(name) ? PATCH_FIELDS : STRUCTS.get(name);
      return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
    },
    make(name, fields) {
      if (isObject(name)) return new ObjectValue(name, fields);
      if (isPatch(name)) return new JsonPatchValue(name, fields);
      return new CelError(`unknown type: ${name}`);
    },
  };
}

/** What the type of a variable becomes for the expressions that use it: opaque ones are lost. */
export function variableTypeOf(type: CelType | undefined): CelType {
  if (type === undefined) return DYN;
  const [first, second] = type.parameters;
  if (type.kind === 'list') return listOf(variableTypeOf(first));
  if (type.kind === 'map') return mapOf(variableTypeOf(first), variableTypeOf(second));
  return type.parameters.length === 0 && SIMPLE.has(type.kind) ? type : DYN;
}

const SIMPLE: ReadonlySet<string> = new Set([
  'any',
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'null',
  'string',
  'timestamp',
  'uint',
]);
