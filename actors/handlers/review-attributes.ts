/**
 * The question in an access review, as authorizers are asked it.
 *
 * Selectors can only narrow what is asked for, so what of them cannot be read is left out, and the
 * answer says so.
 *
 * In Kubernetes: registry/authorization/util.
 */
import { objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { isLabelSelector } from '../../api/selectors/label-selector.ts';
import type { Parts } from '../../api/json/parts.ts';
import {
  formatRequirement,
  requirement,
  type LabelOperator,
} from '../../api/selectors/label-selector-requirement.ts';
import { NO_REQUEST_INFO } from '../request/request-info.ts';
import type { RequestInfo } from '../request/request.ts';
import { objectsAt, stringsAt } from '../../api/kinds/rules/value-validation.ts';

export interface Question {
  readonly request: RequestInfo;
  /** What is to be said about selectors that could not be read. */
  readonly problems: readonly string[];
}

/**
 * In parts, as a selector may have hundreds of thousands of terms.
 *
 * @param spec of a valid review: it has one of the two kinds of attributes.
 */
export function* questionOf(spec: JsonObject): Parts<Question> {
  const resource = objectAt(spec, 'resourceAttributes');
  if (resource === undefined) return pathQuestion(objectAt(spec, 'nonResourceAttributes'));
  const fields = yield* readSelector(objectAt(resource, 'fieldSelector'), FIELDS);
  const labels = yield* readSelector(objectAt(resource, 'labelSelector'), LABELS);
  return {
    request: {
      ...NO_REQUEST_INFO,
      isResourceRequest: true,
      verb: stringAt(resource, 'verb'),
      apiGroup: stringAt(resource, 'group'),
      // Who does not say which version means all of them.
      apiVersion: stringAt(resource, 'version') || '*',
      namespace: stringAt(resource, 'namespace'),
      resource: stringAt(resource, 'resource'),
      subresource: stringAt(resource, 'subresource'),
      name: stringAt(resource, 'name'),
      fieldSelector: fields.text,
      labelSelector: labels.text,
    },
    problems: [...problemsOf(fields, 'fieldSelector'), ...problemsOf(labels, 'labelSelector')],
  };
}

function pathQuestion(attributes: JsonObject | undefined): Question {
  const path = stringAt(attributes, 'path');
  return {
    request: { ...NO_REQUEST_INFO, path, verb: stringAt(attributes, 'verb') },
    problems: [],
  };
}

interface ReadSelector {
  /** As in a URL; '' when nothing of it could be read. */
  readonly text: string;
  readonly isBroken: boolean;
}

interface SelectorLanguage {
  isReadable(raw: string): Parts<boolean>;
  /** One requirement as in a URL, undefined when it cannot be said there. */
  format(requirement: JsonObject): string | undefined;
}

const LABELS: SelectorLanguage = {
  isReadable: isLabelSelector,
  format: labelTerm,
};

const FIELDS: SelectorLanguage = {
  *isReadable(raw) {
    yield;
    return parseFieldSelector(raw).ok;
  },
  format: fieldTerm,
};

function* readSelector(
  selector: JsonObject | undefined,
  language: SelectorLanguage,
): Parts<ReadSelector> {
  const raw = stringAt(selector, 'rawSelector');
  if (raw !== '') {
    const isReadable = yield* language.isReadable(raw);
    return { text: isReadable ? raw : '', isBroken: !isReadable };
  }
  const terms = objectsAt(selector, 'requirements').map((one) => language.format(one));
  const text = terms.filter((term) => term !== undefined).join(',');
  return { text, isBroken: terms.includes(undefined) };
}

function problemsOf({ text, isBroken }: ReadSelector, key: string): readonly string[] {
  if (!isBroken) return [];
  const ignored = text === '' ? 'ignored' : 'partially ignored';
  return [`spec.resourceAttributes.${key} ${ignored} due to parse error`];
}

const LABEL_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function labelTerm(expression: JsonObject): string | undefined {
  const operator = LABEL_OPERATORS.get(stringAt(expression, 'operator'));
  if (operator === undefined) return undefined;
  const key = stringAt(expression, 'key');
  const made = requirement(key, operator, stringsAt(expression, 'values'));
  return made.ok ? formatRequirement(made.requirement) : undefined;
}

/** Field selectors in URLs know one value, and only whether it is this one. */
function fieldTerm(expression: JsonObject): string | undefined {
  const [value, ...more] = stringsAt(expression, 'values');
  if (value === undefined || more.length > 0) return undefined;
  const key = stringAt(expression, 'key');
  const escaped = value.replaceAll(/[\\,=]/g, (character) => `\\${character}`);
  switch (stringAt(expression, 'operator')) {
    case 'In':
      return `${key}=${escaped}`;
    case 'NotIn':
      return `${key}!=${escaped}`;
    default:
      return undefined;
  }
}
