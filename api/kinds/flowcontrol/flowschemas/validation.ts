/**
 * What a flow schema may say. The specs of the two schemas that every cluster has stay as they are;
 * messages about the whole of a spec show it as Go prints its internal form.
 *
 * In Kubernetes: ValidateFlowSchema, pkg/apis/flowcontrol/validation; MandatoryFlowSchemas,
 * apiserver/pkg/apis/flowcontrol/bootstrap.
 */
import { items, type ListOf } from '../../../json/go-values.ts';
import type {
  FlowSchema,
  FlowSchemaSpec,
  FlowDistinguisherMethod,
  Subject,
} from '../../../generated/kinds/flowcontrol-v1.ts';
import type { JsonObject, JsonValue } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { sameValue } from '../../rules/same-value.ts';
import { invalidFor } from '../../rules/value-validation.ts';
import { validatePolicyRule } from './rule-validation.ts';

const PRECEDENCE_MAX = 10_000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];

const EVERYTHING = {
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
  ],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** By the name of the schema. */
const MANDATORY_SPECS: ReadonlyMap<string, FlowSchemaSpec> = new Map<string, FlowSchemaSpec>([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [{ subjects: [groupOf('system:masters')], ...EVERYTHING }],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [groupOf('system:unauthenticated'), groupOf('system:authenticated')],
          ...EVERYTHING,
        },
      ],
    },
  ],
]);

/** Of the metadata and the spec. */
export function validateFlowSchema(schema: FlowSchema): FieldErrors {
  const { spec } = schema;
  return [
    ...validatePrecedence(schema),
    ...validateDistinguisher(spec.distinguisherMethod),
    ...validatePriorityLevel(spec),
    ...items(spec.rules).flatMap((rule, index) =>
      validatePolicyRule(indexPath('spec.rules', index), rule),
    ),
    ...validateMandatory(schema),
  ];
}

function validatePrecedence(schema: FlowSchema): FieldErrors {
  const field = 'spec.matchingPrecedence';
  const precedence = schema.spec.matchingPrecedence;
  const isReserved = precedence === 1 && schema.metadata.name !== 'exempt';
  const reserved = "only the schema named 'exempt' may have matchingPrecedence 1";
  return [
    ...(precedence <= 0 ? [invalidValue(field, precedence, 'must be a positive value')] : []),
    ...(precedence > PRECEDENCE_MAX
      ? [invalidValue(field, precedence, `must not be greater than ${String(PRECEDENCE_MAX)}`)]
      : []),
    ...(isReserved ? [invalidValue(field, precedence, reserved)] : []),
  ];
}

/** The value is shown as Go prints its internal form. */
function validateDistinguisher(method: FlowDistinguisherMethod | undefined): FieldErrors {
  if (method === undefined || DISTINGUISHERS.includes(method.type)) return [];
  return [notSupported('spec.distinguisherMethod.type', { Type: method.type }, DISTINGUISHERS)];
}

function validatePriorityLevel(spec: FlowSchemaSpec): FieldErrors {
  const field = 'spec.priorityLevelConfiguration.name';
  const { name } = spec.priorityLevelConfiguration;
  return name === ''
    ? [required(field, 'must reference a priority level')]
    : invalidFor(field, name, dns1123SubdomainProblems(name));
}

function validateMandatory({ metadata, spec }: FlowSchema): FieldErrors {
  const { name = '' } = metadata;
  const mandatory = MANDATORY_SPECS.get(name);
  if (mandatory === undefined || sameValue(spec, mandatory)) return [];
  const detail = `spec of '${name}' must equal the fixed value`;
  return [invalidValue('spec', internalFlowSchemaSpec(spec), detail)];
}

function groupOf(name: string): Subject {
  return { kind: 'Group', group: { name } };
}

function internalFlowSchemaSpec(spec: FlowSchemaSpec): JsonObject {
  const { distinguisherMethod: method, priorityLevelConfiguration: level, rules } = spec;
  return {
    PriorityLevelConfiguration: { Name: level.name },
    MatchingPrecedence: spec.matchingPrecedence,
    DistinguisherMethod: method === undefined ? null : { Type: method.type },
    Rules: listOf(rules, ({ subjects, resourceRules, nonResourceRules }) => ({
      Subjects: listOf(subjects, internalSubject),
      ResourceRules: listOf(resourceRules, (one) => ({
        Verbs: listOf(one.verbs, itself),
        APIGroups: listOf(one.apiGroups, itself),
        Resources: listOf(one.resources, itself),
        ClusterScope: one.clusterScope === true,
        Namespaces: listOf(one.namespaces, itself),
      })),
      NonResourceRules: listOf(nonResourceRules, (one) => ({
        Verbs: listOf(one.verbs, itself),
        NonResourceURLs: listOf(one.nonResourceURLs, itself),
      })),
    })),
  };
}

function internalSubject({ kind, user, group, serviceAccount: account }: Subject): JsonObject {
  return {
    Kind: kind,
    User: user === undefined ? null : { Name: user.name },
    Group: group === undefined ? null : { Name: group.name },
    ServiceAccount:
      account === undefined ? null : { Namespace: account.namespace, Name: account.name },
  };
}

/** An empty list is none. */
function listOf<Item>(list: ListOf<Item>, internal: (item: Item) => JsonValue): JsonValue {
  return items(list).length === 0 ? null : items(list).map(internal);
}

function itself(text: string): string {
  return text;
}
