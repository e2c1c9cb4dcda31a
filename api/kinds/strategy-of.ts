/**
 * Builds the strategy of a kind from the few things in which kinds differ.
 *
 * What most of them share: a status that only the `status` subresource may write, a generation
 * that counts changes of the spec, and an update that must pass everything a create must pass.
 * Hooks of a kind run before the generation is compared, because upstream compares what it stores.
 */
import type { JsonObject } from '../json/json.ts';
import { type KubeObject, nextGeneration } from '../meta/object-meta.ts';
import { nameIsDnsSubdomain, type NameValidator } from '../meta/names.ts';
import { validateStandardFinalizers } from '../validation/object-meta-validation.ts';
import type { Requester, Strategy, UpdateRules } from './strategy.ts';
import type { FieldErrors } from '../field/field-errors.ts';
import type { IsFeatureOn } from './kind-features.ts';
import { sameMap, sameValue } from './rules/same-value.ts';

type Change<T> = (object: T, old: T, isOn?: IsFeatureOn) => void;
type Check<T> = (object: T, metadataErrors?: FieldErrors) => FieldErrors;
type UpdateCheck<T> = (object: T, old: T, isOn?: IsFeatureOn) => FieldErrors;
type Warn<T> = (object: T) => readonly string[];
type WarnOfChange<T> = (object: T, old: T) => readonly string[];
type MetadataKey = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences';

/**
 * Everything that has a default may be left out. `T` is what decoding makes of an object of the kind;
 * KubeObject where nothing is known of it.
 */
export interface KindRules<T = KubeObject> {
  /** A DNS subdomain. */
  readonly validateName?: NameValidator;
  /** No. */
  readonly allowsCreateOnUpdate?: boolean;
  /** No: a new object without a name is refused. */
  readonly isNamedByUuid?: boolean;
  /** No: what is wrong with them is told first. */
  readonly placesMetadataErrors?: boolean;
  /** Yes. */
  readonly allowsUnconditionalUpdate?: boolean;
  /** `background`. */
  readonly defaultGarbageCollection?: Strategy['defaultGarbageCollection'];
  /** No generation: the kind does not count changes. */
  readonly isNewGeneration?: (object: T, old: T) => boolean;
  /** No status, or one that clients may write as they like. */
  readonly status?: StatusRules<T>;
  /** Changes a new object before it is validated: what a client may not set is wiped. */
  readonly prepareForCreate?: (object: T, requester?: Requester, isOn?: IsFeatureOn) => void;
  /** Changes the new object before it is validated: what a client may not change is put back. */
  readonly prepareForUpdate?: Change<T>;
  /** What is wrong with a new object, and with a changed one. */
  readonly validate?: Check<T>;
  /** What an update must pass beyond {@link validate} of the new object. */
  readonly validateChange?: UpdateCheck<T>;
  /** Replaces {@link validate} and {@link validateChange} on update. */
  readonly validateUpdate?: UpdateCheck<T>;
  /** Brings the object into its one form, as the last step before it is encoded. */
  readonly canonicalize?: (object: T) => void;
  /** Of the object as it was sent; told even where it is refused afterwards. */
  readonly warningsBeforeCreate?: Warn<T>;
  /** Sentences for `Warning: 299` headers of a create. */
  readonly warningsOnCreate?: Warn<T>;
  /** Sentences for `Warning: 299` headers of an update. */
  readonly warningsOnUpdate?: WarnOfChange<T>;
  /** Why the object of this name cannot be deleted; undefined where it can. */
  readonly deleteRefusal?: NonNullable<Strategy['deleteRefusal']>;
  /** Sentences for `Warning: 299` headers of a delete. */
  readonly warningsOnDelete?: NonNullable<Strategy['warningsOnDelete']>;
  /** How long a delete is graceful; undefined when the object goes at once. */
  readonly gracePeriodSeconds?: (
    object: T,
    requestedSeconds: number | bigint | undefined,
  ) => number | bigint | undefined;
  /** Whether something besides metadata.finalizers keeps a deleted object. */
  readonly isHeldBack?: (object: T) => boolean;
  /** No: a finalizer without a domain must be one of Kubernetes' own. */
  readonly takesAnyFinalizer?: boolean;
  /** Gives a deleted object what holds it. @param now its deletionTimestamp. */
  readonly holdOnDelete?: (object: T, now: string) => void;
  /** Changes an object that has just got its deletionTimestamp. */
  readonly markDeleting?: (object: T) => void;
  /** No: a delete answers with a Status. */
  readonly returnsDeletedObject?: boolean;
  /** Subresources beside `status` that are views of the object itself. */
  readonly subresources?: Readonly<Record<string, UpdateRules<T>>>;
}

/** The rules of the subresource `status` of a kind. */
export interface StatusRules<T = KubeObject> {
  /** What a new object's status is, whatever the client sent. */
  readonly initial: (object: T) => JsonObject;
  /** The metadata that a write of the status leaves as it was; none. */
  readonly keeps?: readonly MetadataKey[];
  /** Changes the new object: everything but the status is put back. */
  readonly prepareForUpdate?: Change<T>;
  /** What is wrong with the new status. */
  readonly validateUpdate?: UpdateCheck<T>;
  /** As that of the kind. */
  readonly takesAnyFinalizer?: boolean;
  /** Sentences for `Warning: 299` headers. */
  readonly warningsOnUpdate?: WarnOfChange<T>;
}

/** The metadata that newer kinds leave alone in a write of the status. */
export const METADATA_KEPT_BY_STATUS: readonly MetadataKey[] = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
];

export function strategyOf<T = KubeObject>(typed: KindRules<T>): Strategy {
  // A strategy is asked about objects of its own kind only, which its codec gave this type.
  const rules = typed as unknown as KindRules;
  const { status, isNewGeneration } = rules;
  return {
    validateName: rules.validateName ?? nameIsDnsSubdomain,
    allowsCreateOnUpdate: rules.allowsCreateOnUpdate ?? false,
    allowsUnconditionalUpdate: rules.allowsUnconditionalUpdate ?? true,
    defaultGarbageCollection: rules.defaultGarbageCollection ?? 'background',
    prepareForCreate(object, requester, isOn) {
      if (status !== undefined) moveToEnd(object, 'status', status.initial(object));
      if (isNewGeneration !== undefined) object.metadata.generation = 1;
      rules.prepareForCreate?.(object, requester, isOn);
    },
    prepareForUpdate(object, old, isOn) {
      if (status !== undefined) carryOver(object, old, 'status');
      rules.prepareForUpdate?.(object, old, isOn);
      if (isNewGeneration?.(object, old) === true) countGeneration(object, old);
    },
    validate(object, metadataErrors = []) {
      const finalizers = finalizerErrors(object, rules);
      if (rules.placesMetadataErrors === true) {
        return rules.validate?.(object, [...metadataErrors, ...finalizers]) ?? [];
      }
      return [...finalizers, ...(rules.validate?.(object) ?? [])];
    },
    validateUpdate: withFinalizers(rules.validateUpdate ?? updateCheckOf(rules), rules),
    ...(rules.isNamedByUuid === true && { isNamedByUuid: true }),
    ...(rules.placesMetadataErrors === true && { placesMetadataErrors: true }),
    ...(rules.canonicalize && { canonicalize: rules.canonicalize }),
    ...(rules.warningsBeforeCreate && { warningsBeforeCreate: rules.warningsBeforeCreate }),
    ...(rules.warningsOnCreate && { warningsOnCreate: rules.warningsOnCreate }),
    ...(rules.warningsOnUpdate && { warningsOnUpdate: rules.warningsOnUpdate }),
    ...(rules.deleteRefusal && { deleteRefusal: rules.deleteRefusal }),
    ...(rules.warningsOnDelete && { warningsOnDelete: rules.warningsOnDelete }),
    ...(rules.gracePeriodSeconds && { gracePeriodSeconds: rules.gracePeriodSeconds }),
    ...(rules.isHeldBack && { isHeldBack: rules.isHeldBack }),
    ...(rules.holdOnDelete && { holdOnDelete: rules.holdOnDelete }),
    ...(rules.markDeleting && { markDeleting: rules.markDeleting }),
    returnsDeletedObject: rules.returnsDeletedObject ?? false,
    subresources: subresourcesOf(rules),
  };
}

/** Whether the spec changed: what most kinds count as a new generation. */
export function specChanged(object: KubeObject, old: KubeObject): boolean {
  return !sameValue(object['spec'], old['spec']);
}

/** Whether any annotation changed. */
export function annotationsChanged(object: KubeObject, old: KubeObject): boolean {
  return !sameMap(object.metadata.annotations, old.metadata.annotations);
}

/** The status of a new object of which nothing is known yet. */
export function emptyStatus(): JsonObject {
  return {};
}

/** Makes `key` what it is in the old object, absent if it is absent there. */
export function carryOver(object: JsonObject, old: JsonObject, key: string): void {
  const value = old[key];
  if (value === undefined) Reflect.deleteProperty(object, key);
  else object[key] = value;
}

/** Raises the generation by one over the old object's. */
export function countGeneration(object: KubeObject, old: KubeObject): void {
  object.metadata.generation = nextGeneration(old.metadata.generation ?? 0);
}

/** Nothing to object. */
export function passes(): FieldErrors {
  return [];
}

function updateCheckOf({ validate, validateChange }: KindRules): UpdateCheck<KubeObject> {
  return (object, old) => [...(validate?.(object) ?? []), ...(validateChange?.(object, old) ?? [])];
}

/** Upstream asks this of metadata before it asks about the kind. */
function withFinalizers(check: UpdateCheck<KubeObject>, rules: KindRules): UpdateCheck<KubeObject> {
  return (object, old, isOn) => [...finalizerErrors(object, rules), ...check(object, old, isOn)];
}

function finalizerErrors({ metadata }: KubeObject, { takesAnyFinalizer }: KindRules): FieldErrors {
  return takesAnyFinalizer === true ? [] : validateStandardFinalizers(metadata);
}

function subresourcesOf(rules: KindRules): ReadonlyMap<string, UpdateRules> {
  const subresources = new Map<string, UpdateRules>();
  for (const [name, own] of Object.entries(rules.subresources ?? {})) {
    const check: UpdateCheck<KubeObject> = (...change) => own.validateUpdate(...change);
    const validateUpdate = withFinalizers(check, rules);
    subresources.set(name, { ...own, validateUpdate });
  }
  if (rules.status !== undefined) subresources.set('status', statusUpdateOf(rules.status, rules));
  return subresources;
}

function statusUpdateOf(status: StatusRules, rules: KindRules): UpdateRules {
  const kept = status.keeps ?? [];
  return {
    prepareForUpdate(object, old, isOn) {
      carryOver(object, old, 'spec');
      for (const key of kept) carryOver(object.metadata, old.metadata, key);
      status.prepareForUpdate?.(object, old, isOn);
    },
    validateUpdate: withFinalizers(status.validateUpdate ?? passes, { ...rules, ...status }),
    ...(status.warningsOnUpdate && { warningsOnUpdate: status.warningsOnUpdate }),
  };
}

/** Keys are written in Go's order, in which the status is the last one. */
function moveToEnd(object: JsonObject, key: string, value: JsonObject): void {
  Reflect.deleteProperty(object, key);
  object[key] = value;
}
