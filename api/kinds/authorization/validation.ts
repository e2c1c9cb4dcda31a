/**
 * What is wrong with an access review before the authorizer is asked.
 *
 * An operator of a selector that the server does not know passes: newer clients may know it, and the
 * requirement is then left out of the question.
 *
 * In Kubernetes: kubernetes/pkg/apis/authorization/validation.
 */
import { flatMapItems } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';
import type {
  FieldSelectorRequirement,
  LabelSelectorRequirement,
  ObjectMeta,
} from '../../generated/kinds/meta-v1.ts';
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  LocalSubjectAccessReview,
  NonResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../generated/kinds/authorization-v1.ts';
import type { JsonObject } from '../../json/json.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { invalidFor } from '../rules/value-validation.ts';

const RESOURCE = 'spec.resourceAttributes';
const NON_RESOURCE = 'spec.nonResourceAttributes';

/** A review of what any user may do anywhere. */
export function validateSubjectAccessReview(review: SubjectAccessReview): FieldErrors {
  return [
    ...validateChoice(review.spec),
    ...validateSubject(review.spec),
    ...validateSelectors(review.spec),
    ...validateMetadata(review.metadata, 'must be empty'),
  ];
}

/** A review of what the client itself may do. */
export function validateSelfSubjectAccessReview(review: SelfSubjectAccessReview): FieldErrors {
  return [
    ...validateChoice(review.spec),
    ...validateSelectors(review.spec),
    ...validateMetadata(review.metadata, 'must be empty'),
  ];
}

/**
 * A review of what any user may do in one namespace. Its metadata has the namespace of the path,
 * whether the client wrote it or not.
 */
export function validateLocalSubjectAccessReview(review: LocalSubjectAccessReview): FieldErrors {
  const { resourceAttributes: resource, nonResourceAttributes: nonResource } = review.spec;
  const namespace = resource?.namespace ?? '';
  return [
    ...validateChoice(review.spec),
    ...validateSubject(review.spec),
    ...validateSelectors(review.spec),
    ...validateMetadata(review.metadata, 'must be empty except for namespace', ['namespace']),
    ...(resource !== undefined && namespace !== review.metadata.namespace
      ? [invalidValue(`${RESOURCE}.namespace`, namespace, 'must match metadata.namespace')]
      : []),
    ...(nonResource === undefined
      ? []
      : [invalidValue(NON_RESOURCE, shownPath(nonResource), 'disallowed on this kind of request')]),
  ];
}

/** One of the two ways to say what is to be done. */
function validateChoice({
  resourceAttributes: resource,
  nonResourceAttributes: nonResource,
}: SelfSubjectAccessReviewSpec): FieldErrors {
  if (resource === undefined && nonResource === undefined) {
    const sentence = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    return [invalidValue(RESOURCE, null, sentence)];
  }
  if (resource === undefined || nonResource === undefined) return [];
  const sentence = 'cannot be specified in combination with resourceAttributes';
  return [invalidValue(NON_RESOURCE, shownPath(nonResource), sentence)];
}

/** As Go prints its internal form. */
function shownPath({ path = '', verb = '' }: NonResourceAttributes): JsonObject {
  return { Path: path, Verb: verb };
}

function validateSubject({ user = '', groups }: SubjectAccessReviewSpec): FieldErrors {
  if (user !== '' || items(groups).length > 0) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/** What the decoder left out was empty. */
function validateMetadata(
  metadata: ObjectMeta,
  sentence: string,
  allowed: readonly string[] = [],
): FieldErrors {
  const said: JsonObject = metadata;
  const isEmpty = Object.entries(said).every(
    // The server itself writes which client set which field.
    ([key, value]) => value === undefined || key === 'managedFields' || allowed.includes(key),
  );
  return isEmpty ? [] : [invalidValue('metadata', metadata, sentence)];
}

type Requirement = FieldSelectorRequirement | LabelSelectorRequirement;
type RequirementCheck = (field: string, requirement: Requirement) => FieldErrors;

function validateSelectors({ resourceAttributes }: SelfSubjectAccessReviewSpec): FieldErrors {
  if (resourceAttributes === undefined) return [];
  const { fieldSelector, labelSelector } = resourceAttributes;
  return [
    ...validateSelector(`${RESOURCE}.fieldSelector`, fieldSelector, validateFieldRequirement),
    ...validateSelector(`${RESOURCE}.labelSelector`, labelSelector, validateLabelRequirement),
  ];
}

function validateSelector(
  field: string,
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
  check: RequirementCheck,
): FieldErrors {
  if (selector === undefined) return [];
  const { rawSelector: raw = '' } = selector;
  const requirements: readonly Requirement[] = items(selector.requirements);
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
    ...flatMapItems(requirements, (requirement, index) =>
      check(indexPath(`${field}.requirements`, index), requirement),
    ),
  ];
}

function validateFieldRequirement(field: string, requirement: Requirement): FieldErrors {
  return [
    ...(requirement.key === '' ? [required(`${field}.key`, 'must be specified')] : []),
    ...validateValueCount(field, requirement),
  ];
}

function validateLabelRequirement(field: string, requirement: Requirement): FieldErrors {
  const { key } = requirement;
  return [
    ...validateValueCount(field, requirement),
    ...invalidFor(`${field}.key`, key, qualifiedNameProblems(key)),
    ...flatMapItems(items(requirement.values), (value, index) =>
      invalidFor(indexPath(`${field}.values`, index), value, labelValueProblems(value)),
    ),
  ];
}

function validateValueCount(field: string, requirement: Requirement): FieldErrors {
  const values = `${field}.values`;
  const isNone = items(requirement.values).length === 0;
  switch (requirement.operator) {
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
