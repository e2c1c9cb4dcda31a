/**
 * Annotations of pods that mean something to the server.
 *
 * In Kubernetes: ValidatePodSpecificAnnotations, pkg/apis/core/validation.
 */
import type { PodSpec } from '../../generated/kinds/core-v1.ts';
import { parseJson } from '../../json/json-text.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { StringMap } from '../../meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../field/field-errors.ts';
import { keyPath } from '../../field/field-path.ts';
import { MIRROR, type PodRules } from './pod-rules.ts';
import { validateProfileAnnotations } from './security/security-profiles-validation.ts';
import { validateTolerations } from './placement/tolerations-validation.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const INT32 = /^(?:0|[-+]?[1-9][0-9]{0,9})$/;
const INT32_MAX = 2 ** 31 - 1;

export function validatePodAnnotations(
  field: string,
  annotations: StringMap,
  spec: PodSpec,
  rules: PodRules,
): FieldErrors {
  if (Object.keys(annotations).length === 0) return [];
  return [
    ...validateMirror(field, annotations, spec),
    ...validateWrittenTolerations(field, annotations, rules),
    ...validateDeletionCost(field, annotations),
    ...validateProfileAnnotations(field, annotations, spec),
  ];
}

/** A node's agent mirrors the pods that it runs by itself, so it knows the node. */
function validateMirror(field: string, annotations: StringMap, spec: PodSpec): FieldErrors {
  if (!Object.hasOwn(annotations, MIRROR) || (spec.nodeName ?? '') !== '') return [];
  const detail = 'must set spec.nodeName if mirror pod annotation is set';
  return [invalidValue(keyPath(field, MIRROR), annotations[MIRROR], detail)];
}

/** Tolerations were once written as JSON into an annotation; what is no list is not looked at. */
function validateWrittenTolerations(
  field: string,
  annotations: StringMap,
  rules: PodRules,
): FieldErrors {
  const text = annotations[TOLERATIONS] ?? '';
  if (text === '') return [];
  const parsed = parsedJson(text);
  if (!Array.isArray(parsed)) {
    return [invalidValue(field, TOLERATIONS, 'must be a list of tolerations in JSON')];
  }
  const tolerations = parsed.map((one) => (isJsonObject(one) ? one : {}));
  return validateTolerations(`${field}.${TOLERATIONS}`, tolerations, rules.allowsComparison);
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    // Parsed JSON is a JSON value.
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function validateDeletionCost(field: string, annotations: StringMap): FieldErrors {
  const cost = annotations[DELETION_COST];
  if (cost === undefined) return [];
  const number = Number(cost);
  const isNumber = INT32.test(cost) && !cost.startsWith('+');
  if (isNumber && number <= INT32_MAX && number >= -INT32_MAX - 1) return [];
  return [invalidValue(keyPath(field, DELETION_COST), cost, 'must be a 32bit integer')];
}
