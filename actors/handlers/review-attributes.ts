/**
 * The question in an access review, as authorizers are asked it.
 *
 * Selectors can only narrow what is asked for, so what of them cannot be read is left out, and the
 * answer says so.
 *
 * In Kubernetes: registry/authorization/util.
 */
import { items } from '../../api/json/go-values.ts';
import type { LabelSelectorRequirement } from '../../api/generated/kinds/meta-v1.ts';
import type {
  LabelSelectorAttributes,
  NonResourceAttributes,
  SubjectAccessReviewSpec,
} from '../../api/generated/kinds/authorization-v1.ts';
import { escapeFieldValue, parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { isLabelSelector } from '../../api/selectors/label-selector.ts';
import type { Parts } from '../../api/json/json-parts.ts';
import {
  type LabelOperator,
  formatRequirement,
  requirement,
} from '../../api/selectors/label-selector-requirement.ts';
import { NO_REQUEST_INFO } from '../request/request-info.ts';
import type { RequestInfo } from '../request/request.ts';

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
export function* questionOf({
  resourceAttributes: resource,
  nonResourceAttributes,
}: SubjectAccessReviewSpec): Parts<Question> {
  if (resource === undefined) return pathQuestion(nonResourceAttributes);
  const { verb = '', group = '', version = '', namespace = '' } = resource;
  const fields = yield* readSelector(resource.fieldSelector, FIELDS);
  const labels = yield* readSelector(resource.labelSelector, LABELS);
  return {
    request: {
      ...NO_REQUEST_INFO,
      isResourceRequest: true,
      verb,
      apiGroup: group,
      // A review that names no version means all of them.
      apiVersion: version || '*',
      namespace,
      resource: resource.resource ?? '',
      subresource: resource.subresource ?? '',
      name: resource.name ?? '',
      fieldSelector: fields.text,
      labelSelector: labels.text,
    },
    problems: [...problemsOf(fields, 'fieldSelector'), ...problemsOf(labels, 'labelSelector')],
  };
}

function pathQuestion({ path = '', verb = '' }: NonResourceAttributes = {}): Question {
  return { request: { ...NO_REQUEST_INFO, path, verb }, problems: [] };
}

interface ReadSelector {
  /** As in a URL; '' when nothing of it could be read. */
  readonly text: string;
  readonly isBroken: boolean;
}

interface SelectorLanguage {
  isReadable(raw: string): Parts<boolean>;
  /** One requirement as in a URL, undefined when it cannot be said there. */
  format(requirement: LabelSelectorRequirement): string | undefined;
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
  selector: LabelSelectorAttributes | undefined,
  language: SelectorLanguage,
): Parts<ReadSelector> {
  const { rawSelector: raw = '', requirements } = selector ?? {};
  if (raw !== '') {
    const isReadable = yield* language.isReadable(raw);
    return { text: isReadable ? raw : '', isBroken: !isReadable };
  }
  const terms = items(requirements).map((one) => language.format(one));
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

function labelTerm({ key, operator: said, values }: LabelSelectorRequirement): string | undefined {
  const operator = LABEL_OPERATORS.get(said);
  if (operator === undefined) return undefined;
  const made = requirement(key, operator, items(values));
  return made.ok ? formatRequirement(made.requirement) : undefined;
}

/** Field selectors in URLs know one value, and only whether it is this one. */
function fieldTerm({ key, operator, values }: LabelSelectorRequirement): string | undefined {
  const [value, ...more] = items(values);
  if (value === undefined || more.length > 0) return undefined;
  const escaped = escapeFieldValue(value);
  switch (operator) {
    case 'In':
      return `${key}=${escaped}`;
    case 'NotIn':
      return `${key}!=${escaped}`;
    default:
      return undefined;
  }
}
