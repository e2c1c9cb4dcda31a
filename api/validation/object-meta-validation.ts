/**
 * What is wrong with an object's metadata when it is created.
 *
 * A first look answers for nearly all objects without making anything; only what does not pass it
 * is gone through again for the sentences.
 * In Kubernetes: ValidateObjectMeta, apimachinery/pkg/api/validation/objectmeta.go.
 */
import { goJson } from '../json/go-format.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  required,
} from '../field/field-errors.ts';
import { childPath, indexPath } from '../field/field-path.ts';
import {
  isDns1123Label,
  nameIsDnsLabel,
  type NameValidator,
  qualifiedNameProblems,
} from '../meta/names.ts';
import {
  hasPlainContent,
  invalidJson,
  invalidText,
  NO_ERRORS,
  validateContent,
  validateManagedFields,
} from './object-meta-validation-content.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly validateName: NameValidator;
  /** Where the metadata stands in the object; `metadata` unless said otherwise. */
  readonly path?: string;
}

const ORPHAN_DEPENDENTS = 'orphan';
const DELETE_DEPENDENTS = 'foregroundDeletion';
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', ORPHAN_DEPENDENTS, DELETE_DEPENDENTS];

/** The name must have been generated before. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldErrors {
  if (passesFirstLook(meta, rules)) return NO_ERRORS;
  const path = rules.path ?? 'metadata';
  return [
    ...validateNames(meta, rules, path),
    ...validateNamespace(meta, rules, path),
    ...validateGeneration(meta, path),
    ...validateContent(meta, path),
    ...validateFinalizers(meta.finalizers ?? [], childPath(path, 'finalizers')),
    ...validateManagedFields(meta, childPath(path, 'managedFields')),
  ];
}

/**
 * Built-in kinds of the core group and its like ask this too: a finalizer without a domain must be
 * one of the three that Kubernetes itself knows. Custom resources may have others.
 */
export function validateStandardFinalizers(meta: ObjectMeta, path = 'metadata'): FieldErrors {
  const { finalizers } = meta;
  if (finalizers === undefined) return NO_ERRORS;
  return finalizers.flatMap((name, index) =>
    name.includes('/') || STANDARD_FINALIZERS.includes(name)
      ? []
      : [
          invalidText(
            indexPath(childPath(path, 'finalizers'), index),
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );
}

function passesFirstLook(meta: ObjectMeta, rules: ObjectMetaRules): boolean {
  const { name = '', generateName = '', namespace = '', generation = 0 } = meta;
  if (name === '' || rules.validateName(name, false).length > 0) return false;
  if (generateName !== '' && rules.validateName(generateName, true).length > 0) return false;
  if (rules.namespaced ? !isDns1123Label(namespace) : namespace !== '') return false;
  return generation >= 0 && hasPlainContent(meta);
}

function validateNames(meta: ObjectMeta, rules: ObjectMetaRules, path: string): FieldErrors {
  const { name = '', generateName = '' } = meta;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    const at = childPath(path, 'generateName');
    for (const problem of rules.validateName(generateName, true)) {
      errors.push(invalidText(at, generateName, problem));
    }
  }
  const at = childPath(path, 'name');
  if (name === '') return [...errors, required(at, 'name or generateName is required')];
  for (const problem of rules.validateName(name, false)) {
    errors.push(invalidText(at, name, problem));
  }
  return errors;
}

function validateNamespace(meta: ObjectMeta, rules: ObjectMetaRules, path: string): FieldErrors {
  const { namespace = '' } = meta;
  const at = childPath(path, 'namespace');
  if (!rules.namespaced) {
    return namespace === '' ? NO_ERRORS : [forbiddenField(at, 'not allowed on this type')];
  }
  if (namespace === '') return [required(at)];
  return nameIsDnsLabel(namespace, false).map((problem) => invalidText(at, namespace, problem));
}

function validateGeneration({ generation = 0 }: ObjectMeta, path: string): FieldErrors {
  if (generation >= 0) return NO_ERRORS;
  const at = childPath(path, 'generation');
  return [invalidJson(at, String(generation), 'must be greater than or equal to 0')];
}

function validateFinalizers(finalizers: readonly string[], path: string): FieldErrors {
  const errors = finalizers.flatMap((name) =>
    qualifiedNameProblems(name).map((problem) => invalidText(path, name, problem)),
  );
  if (finalizers.includes(ORPHAN_DEPENDENTS) && finalizers.includes(DELETE_DEPENDENTS)) {
    const sentence = `finalizer ${ORPHAN_DEPENDENTS} and ${DELETE_DEPENDENTS} cannot be both set`;
    errors.push(invalidJson(path, goJson([...finalizers]), sentence));
  }
  return errors;
}
