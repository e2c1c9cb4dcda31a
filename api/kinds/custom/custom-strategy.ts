/**
 * The rules that all custom resources share: what may be written through which door, when the
 * generation counts, and what their schema has to say.
 *
 * In Kubernetes: customResourceStrategy and statusStrategy,
 * apiextensions-apiserver/pkg/registry/customresource.
 */
import { excludeFields } from '../../managed-fields/field-filter.ts';
import type { JsonObject } from '../../json/json.ts';
import { isEqualJson } from '../../json/json-tree.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../meta/names.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import { goQuote } from '../../json/go-format.ts';
import { ownValue } from '../../json/own-property.ts';
import type { ScaleRules } from '../custom-serving.ts';
import type { Strategy, UpdateRules } from '../strategy.ts';
import { type FieldErrors, invalidValue } from '../../field/field-errors.ts';
import { countGeneration } from '../strategy-of.ts';
import type { VersionSchema } from './version-schema.ts';

export interface CustomRules {
  readonly kind: string;
  readonly apiVersion: string;
  /** The status is written through its own door alone. */
  readonly hasStatus: boolean;
  readonly scale: ScaleRules | undefined;
  /** Compiled when it is first asked for. */
  readonly schema: () => VersionSchema;
}

const WITHOUT_STATUS = excludeFields(['status']);
const STATUS_ALONE = excludeFields(['metadata'], ['spec']);

export function customStrategy(rules: CustomRules): Strategy {
  const subresources = new Map<string, UpdateRules>();
  if (rules.hasStatus) subresources.set('status', statusRules(rules));
  return {
    validateName: nameIsDnsSubdomain,
    allowsCreateOnUpdate: false,
    allowsUnconditionalUpdate: false,
    ...(rules.hasStatus && { resetFields: WITHOUT_STATUS }),
    defaultGarbageCollection: 'background',
    returnsDeletedObject: false,
    subresources,
    prepareForCreate(object) {
      if (rules.hasStatus) delete object['status'];
      object.metadata.generation = 1;
    },
    prepareForUpdate(object, old) {
      if (rules.hasStatus) {
        if (Object.hasOwn(old, 'status')) object['status'] = old['status'];
        else delete object['status'];
      }
      if (isNewGeneration(object, old)) countGeneration(object, old);
    },
    readAgain(object) {
      // What is stored is shown as it lies, so the status that a client may not write has its default there.
      if (rules.hasStatus && !Object.hasOwn(object, 'status')) rules.schema().setDefaults(object);
    },
    validate: (object, toldBefore) => validated(rules, object, undefined, toldBefore),
    validateUpdate: (object, old) => validated(rules, object, old),
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    warningsOnUpdate: (object, old) => finalizerWarnings(object, old),
  };
}

function statusRules(rules: CustomRules): UpdateRules {
  return {
    resetFields: STATUS_ALONE,
    prepareForUpdate(object, old) {
      const status = object['status'];
      const { managedFields } = object.metadata;
      for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
      // The old object is read for this attempt alone, so its parts may be shared.
      Object.defineProperties(object, Object.getOwnPropertyDescriptors(old));
      object.metadata = { ...old.metadata };
      delete object.metadata.managedFields;
      if (managedFields !== undefined) object.metadata.managedFields = managedFields;
      if (status === undefined) delete object['status'];
      else object['status'] = status;
    },
    validateUpdate(object, old) {
      const wrongType = typeMetaErrors(rules, object);
      if (wrongType.length > 0) return wrongType;
      const replicas = rules.scale?.validate(object, 'status') ?? [];
      return rules.schema().validateStatus(object, old, replicas);
    },
  };
}

function validated(
  rules: CustomRules,
  object: KubeObject,
  old: KubeObject | undefined,
  toldBefore?: FieldErrors,
): FieldErrors {
  const wrongType = typeMetaErrors(rules, object);
  if (wrongType.length > 0) return wrongType;
  const more = rules.scale?.validate(object, 'all') ?? [];
  return rules.schema().validate(object, old, { more, toldBefore });
}

function typeMetaErrors({ kind, apiVersion }: CustomRules, object: KubeObject): FieldErrors {
  return [
    ...(object.kind === kind ? [] : [invalidValue('kind', object.kind, `must be ${kind}`)]),
    ...(object.apiVersion === apiVersion
      ? []
      : [invalidValue('apiVersion', object.apiVersion, `must be ${apiVersion}`)]),
  ];
}

/**
 * Whatever a client changes besides the metadata counts. An empty list is another value than none, and so is null:
 * custom resources have no types by which these would mean the same.
 */
function isNewGeneration(object: JsonObject, old: JsonObject): boolean {
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  keys.delete('metadata');
  return [...keys].some((key) => !isEqualJson(ownValue(object, key), ownValue(old, key)));
}

const STANDARD_FINALIZERS: readonly string[] = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** In Kubernetes: generateWarningsFromObj and validateKubeFinalizerName. */
function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const { finalizers } = object.metadata;
  if (finalizers === undefined) return NO_WARNINGS;
  const known = new Set(old?.metadata.finalizers ?? []);
  const added = [...new Set(finalizers)].filter((one) => !known.has(one)).sort();
  return added.flatMap((name) => {
    const subject = `metadata.finalizers: ${goQuote(name)}`;
    const problems = qualifiedNameProblems(name).map((problem) => `${subject}: ${problem}`);
    if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return problems;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts`;
    return [...problems, `${subject}: ${advice} with other finalizer writers`];
  });
}

const NO_WARNINGS: readonly string[] = [];
