/**
 * What an authorizer is asked, as the spec of a SubjectAccessReview says it.
 *
 * In Kubernetes: resourceAttributesFrom, apiserver/plugin/pkg/authorizer/webhook.
 */
import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { parseLabelSelector, type LabelOperator } from '../../api/selectors/label-selector.ts';
import type { RequestInfo } from '../request/request.ts';
import type { Attributes } from './authorizer.ts';

/** In version v1, without what is empty. */
export function accessReviewSpec({ user, request }: Attributes): JsonObject {
  const named = Object.entries(user.extra).map(([key, values]): [string, string[]] => [
    key,
    [...values],
  ]);
  return {
    ...(request.isResourceRequest
      ? { resourceAttributes: resourceAttributes(request) }
      : { nonResourceAttributes: filled({ path: request.path, verb: request.verb }) }),
    ...filled({ user: user.name, uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
    ...(named.length === 0 ? {} : { extra: Object.fromEntries(named) }),
  };
}

function resourceAttributes(request: RequestInfo): JsonObject {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = request;
  const fields = fieldRequirements(request.fieldSelector);
  const labels = labelRequirements(request.labelSelector);
  return {
    ...filled({ namespace, verb, group: apiGroup, version: apiVersion }),
    ...filled({ resource, subresource, name }),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

function filled(texts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** A selector that cannot be read narrows nothing. */
function fieldRequirements(selector: string): JsonObject[] {
  const parsed = parseFieldSelector(selector);
  if (!parsed.ok) return [];
  return parsed.selector.requirements.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));
}

/** Those that reviews do not know are left out: what is asked is broader then. */
const LABEL_OPERATORS: ReadonlyMap<LabelOperator, string> = new Map([
  ['=', 'In'],
  ['==', 'In'],
  ['in', 'In'],
  ['!=', 'NotIn'],
  ['notin', 'NotIn'],
  ['exists', 'Exists'],
  ['!', 'DoesNotExist'],
]);

function labelRequirements(selector: string): JsonObject[] {
  const parsed = parseLabelSelector(selector);
  if (!parsed.ok) return [];
  return parsed.selector.requirements.flatMap(({ key, operator, values }) => {
    const named = LABEL_OPERATORS.get(operator);
    if (named === undefined) return [];
    return [{ key, operator: named, ...(values.length === 0 ? {} : { values: [...values] }) }];
  });
}
