/**
 * What a role or a binding has to become, so that it has all that it is expected to have. What
 * somebody added stays, and whoever says `autoupdate: "false"` is left alone.
 *
 * In Kubernetes: component-helpers/auth/rbac/reconciliation.
 */
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../api/json/json.ts';
import type { KubeObject, StringMap } from '../../../api/meta/object-meta.ts';
import { readRules, ruleJson } from '../../authorization/rbac/policy-rule.ts';
import { uncovered } from '../../authorization/rbac/rule-coverage.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';

export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** `recreate`: what a binding binds cannot be changed. */
export type Reconciled =
  | { readonly operation: 'none' }
  | { readonly operation: 'update' | 'recreate'; readonly object: KubeObject };

const NONE: Reconciled = { operation: 'none' };

export function reconciledRole(existing: KubeObject, expected: KubeObject): Reconciled {
  if (isProtected(existing)) return NONE;
  const missing = uncovered(readRules(existing), readRules(expected)).map(ruleJson);
  const changes: JsonObject = {};
  if (missing.length > 0) changes['rules'] = [...listAt(existing, 'rules'), ...missing];
  const wanted = objectAt(expected, 'aggregationRule');
  const found = objectAt(existing, 'aggregationRule');
  const selectors = listAt(found, 'clusterRoleSelectors');
  const lacking = listAt(wanted, 'clusterRoleSelectors').filter(
    (one) => !selectors.some((other) => sameValue(one, other)),
  );
  if (lacking.length > 0) {
    changes['aggregationRule'] = { ...found, clusterRoleSelectors: [...selectors, ...lacking] };
  }
  const { aggregationRule: _aggregationRule, ...unaggregated } = existing;
  const isAggregatedWrongly = wanted === undefined && found !== undefined;
  const base = isAggregatedWrongly ? unaggregated : existing;
  return changed({ ...base, ...changes }, existing, expected);
}

export function reconciledBinding(existing: KubeObject, expected: KubeObject): Reconciled {
  if (isProtected(existing)) return NONE;
  if (!isSameReference(existing['roleRef'], expected['roleRef'])) {
    return { operation: 'recreate', object: expected };
  }
  const subjects = listAt(existing, 'subjects');
  const wanted = listAt(expected, 'subjects');
  const missing = wanted.filter(
    (one, at) =>
      ![...subjects, ...wanted.slice(0, at)].some((other) => isSameReference(one, other)),
  );
  if (missing.length === 0) return changed(existing, existing, expected);
  return changed({ ...existing, subjects: [...subjects, ...missing] }, existing, expected);
}

function isProtected({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[AUTOUPDATE] === 'false';
}

/** The object with the labels and annotations it should have; its own come first. */
function changed(object: KubeObject, existing: KubeObject, expected: KubeObject): Reconciled {
  const { labels, annotations } = existing.metadata;
  const metadata = { ...object.metadata };
  const isLabelled = lacks(labels, expected.metadata.labels);
  if (isLabelled) metadata.labels = { ...expected.metadata.labels, ...labels };
  const isAnnotated = lacks(annotations, expected.metadata.annotations);
  if (isAnnotated) metadata.annotations = { ...expected.metadata.annotations, ...annotations };
  if (object === existing && !isLabelled && !isAnnotated) return NONE;
  if (sameValue({ ...object, metadata }, existing)) return NONE;
  return { operation: 'update', object: { ...object, metadata } };
}

function lacks(found: StringMap = {}, wanted: StringMap = {}): boolean {
  return Object.keys(wanted).some((key) => !Object.hasOwn(found, key));
}

/** References are the same where each of their names is, one that is not there being empty. */
function isSameReference(left: unknown, right: unknown): boolean {
  const [one, other] = [left, right] as JsonObject[]; // Of validated objects.
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const keys = ['kind', 'apiGroup', 'name', 'namespace'];
  return keys.every((key) => stringAt(one, key) === stringAt(other, key));
}
