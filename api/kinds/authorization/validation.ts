/**
 * What is wrong with an access review before anybody is asked.
 *
 * An operator of a selector that nobody knows passes: newer clients may know it, and the
 * requirement is then left out of the question.
 *
 * In Kubernetes: kubernetes/pkg/apis/authorization/validation.
 */
import { listAt, objectAt, stringAt, type JsonObject } from '../../json/json.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../meta/names.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { invalidFor, objectsAt, specOf, stringsAt } from '../rules/value-validation.ts';

const RESOURCE = 'spec.resourceAttributes';
const NON_RESOURCE = 'spec.nonResourceAttributes';

export function validateSubjectAccessReview(review: KubeObject): FieldErrors {
  return [
    ...validateChoice(review),
    ...validateSubject(review),
    ...validateSelectors(review),
    ...validateMetadata(review, 'must be empty'),
  ];
}

export function validateSelfSubjectAccessReview(review: KubeObject): FieldErrors {
  return [
    ...validateChoice(review),
    ...validateSelectors(review),
    ...validateMetadata(review, 'must be empty'),
  ];
}

/** Its metadata has the namespace of the path, whether the client wrote it or not. */
export function validateLocalSubjectAccessReview(review: KubeObject): FieldErrors {
  const resource = objectAt(specOf(review), 'resourceAttributes');
  const namespace = stringAt(resource, 'namespace');
  const nonResource = objectAt(specOf(review), 'nonResourceAttributes');
  return [
    ...validateChoice(review),
    ...validateSubject(review),
    ...validateSelectors(review),
    ...validateMetadata(review, 'must be empty except for namespace', ['namespace']),
    ...(resource !== undefined && namespace !== review.metadata.namespace
      ? [invalidValue(`${RESOURCE}.namespace`, namespace, 'must match metadata.namespace')]
      : []),
    ...(nonResource === undefined
      ? []
      : [invalidValue(NON_RESOURCE, shownPath(nonResource), 'disallowed on this kind of request')]),
  ];
}

/** One of the two ways to say what is to be done. */
function validateChoice(review: KubeObject): FieldErrors {
  const spec = specOf(review);
  const resource = objectAt(spec, 'resourceAttributes');
  const nonResource = objectAt(spec, 'nonResourceAttributes');
  if (resource === undefined && nonResource === undefined) {
    const sentence = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    return [invalidValue(RESOURCE, null, sentence)];
  }
  if (resource === undefined || nonResource === undefined) return [];
  const sentence = 'cannot be specified in combination with resourceAttributes';
  return [invalidValue(NON_RESOURCE, shownPath(nonResource), sentence)];
}

/** As Go prints its internal form. */
function shownPath(attributes: JsonObject): JsonObject {
  return { Path: stringAt(attributes, 'path'), Verb: stringAt(attributes, 'verb') };
}

function validateSubject(review: KubeObject): FieldErrors {
  const spec = specOf(review);
  if (stringAt(spec, 'user') !== '' || stringsAt(spec, 'groups').length > 0) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/** What the decoder left out was empty. */
function validateMetadata(
  { metadata }: KubeObject,
  sentence: string,
  allowed: readonly string[] = [],
): FieldErrors {
  const said: JsonObject = metadata;
  const isEmpty = Object.entries(said).every(
    // Who set which field is written down by the server itself.
    ([key, value]) => value === undefined || key === 'managedFields' || allowed.includes(key),
  );
  return isEmpty ? [] : [invalidValue('metadata', metadata, sentence)];
}

type RequirementCheck = (field: string, requirement: JsonObject) => FieldErrors;

function validateSelectors(review: KubeObject): FieldErrors {
  const resource = objectAt(specOf(review), 'resourceAttributes');
  return [
    ...validateSelector(resource, 'fieldSelector', validateFieldRequirement),
    ...validateSelector(resource, 'labelSelector', validateLabelRequirement),
  ];
}

function validateSelector(
  resource: JsonObject | undefined,
  key: string,
  check: RequirementCheck,
): FieldErrors {
  const selector = objectAt(resource, key);
  if (selector === undefined) return [];
  const field = `${RESOURCE}.${key}`;
  const raw = stringAt(selector, 'rawSelector');
  const requirements = objectsAt(selector, 'requirements');
  return [
    ...(raw !== '' && requirements.length > 0
      ? [
          invalidValue(
            `${field}.rawSelector`,
            raw,
            'may not specified at the same time as requirements',
          ),
        ]
      : []),
    ...(raw === '' && requirements.length === 0
      ? [
          required(
            `${field}.requirements`,
            `when ${field} is specified, requirements or rawSelector is required`,
          ),
        ]
      : []),
    ...requirements.flatMap((requirement, index) =>
      check(indexPath(`${field}.requirements`, index), requirement),
    ),
  ];
}

function validateFieldRequirement(field: string, requirement: JsonObject): FieldErrors {
  return [
    ...(stringAt(requirement, 'key') === '' ? [required(`${field}.key`, 'must be specified')] : []),
    ...validateValueCount(field, requirement),
  ];
}

function validateLabelRequirement(field: string, requirement: JsonObject): FieldErrors {
  const key = stringAt(requirement, 'key');
  return [
    ...validateValueCount(field, requirement),
    ...invalidFor(`${field}.key`, key, qualifiedNameProblems(key)),
    ...stringsAt(requirement, 'values').flatMap((value, index) =>
      invalidFor(indexPath(`${field}.values`, index), value, labelValueProblems(value)),
    ),
  ];
}

function validateValueCount(field: string, requirement: JsonObject): FieldErrors {
  const values = `${field}.values`;
  const isNone = listAt(requirement, 'values').length === 0;
  switch (stringAt(requirement, 'operator')) {
    case 'In':
    case 'NotIn':
      return isNone
        ? [required(values, "must be specified when `operator` is 'In' or 'NotIn'")]
        : [];
    case 'Exists':
    case 'DoesNotExist': {
      const sentence = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return isNone ? [] : [forbiddenField(values, sentence)];
    }
    default:
      return [];
  }
}
