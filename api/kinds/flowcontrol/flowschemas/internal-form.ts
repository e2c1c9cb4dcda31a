/** The spec of a flow schema as Go prints its internal form, in messages about the whole of it. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  stringAt,
} from '../../../json/json.ts';
import { isMissing, objectsAt } from '../../rules/value-validation.ts';

export function internalFlowSchemaSpec(spec: JsonObject): JsonObject {
  const { distinguisherMethod: method, priorityLevelConfiguration: level } = spec;
  return {
    PriorityLevelConfiguration: { Name: isJsonObject(level) ? stringAt(level, 'name') : '' },
    MatchingPrecedence: numberAt(spec, 'matchingPrecedence') ?? 0,
    DistinguisherMethod: isJsonObject(method) ? { Type: stringAt(method, 'type') } : null,
    Rules: listOf(spec, 'rules', (rule) => ({
      Subjects: listOf(rule, 'subjects', internalSubject),
      ResourceRules: listOf(rule, 'resourceRules', (one) => ({
        Verbs: listOrNull(one, 'verbs'),
        APIGroups: listOrNull(one, 'apiGroups'),
        Resources: listOrNull(one, 'resources'),
        ClusterScope: one['clusterScope'] === true,
        Namespaces: listOrNull(one, 'namespaces'),
      })),
      NonResourceRules: listOf(rule, 'nonResourceRules', (one) => ({
        Verbs: listOrNull(one, 'verbs'),
        NonResourceURLs: listOrNull(one, 'nonResourceURLs'),
      })),
    })),
  };
}

function internalSubject(subject: JsonObject): JsonObject {
  const { user, group, serviceAccount } = subject;
  return {
    Kind: stringAt(subject, 'kind'),
    User: isJsonObject(user) ? { Name: stringAt(user, 'name') } : null,
    Group: isJsonObject(group) ? { Name: stringAt(group, 'name') } : null,
    ServiceAccount: isJsonObject(serviceAccount)
      ? {
          Namespace: stringAt(serviceAccount, 'namespace'),
          Name: stringAt(serviceAccount, 'name'),
        }
      : null,
  };
}

function listOf(
  parent: JsonObject,
  key: string,
  internal: (item: JsonObject) => JsonObject,
): JsonValue {
  return isMissing(parent[key]) ? null : objectsAt(parent, key).map(internal);
}

function listOrNull(parent: JsonObject, key: string): JsonValue {
  return isMissing(parent[key]) ? null : (parent[key] ?? null);
}
