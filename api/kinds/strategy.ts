/**
 * The rules of one kind: what the server does to an object before it is stored.
 *
 * Order on create: defaults → prepareForCreate → metadata checks → validate → canonicalize → readAgain.
 * Order on update: defaults → prepareForUpdate → metadata checks → validateUpdate → canonicalize → readAgain.
 * Hooks named `prepare…` and `canonicalize` change the object they are given, which no other caller
 * holds yet; `validate…` never change anything. Objects are in their storage version.
 *
 * In Kubernetes: RESTCreateStrategy, RESTUpdateStrategy and RESTDeleteStrategy,
 * apiserver/pkg/registry/rest.
 */
import type { FieldFilter } from '../managed-fields/field-filter.ts';
import type { DeleteOptions } from '../options/options-delete.ts';
import type { NameValidator } from '../meta/names.ts';
import type { KubeObject } from '../meta/object-meta.ts';
import type { FieldErrors } from '../field/field-errors.ts';
import type { IsFeatureOn } from './kind-features.ts';

/**
 * The rules of one way of writing an object that is there: the object itself, or a subresource of
 * it.
 */
export interface UpdateRules<T = KubeObject> {
  /** Carries over what this way of writing must not change, and bumps the generation. */
  prepareForUpdate(object: T, old: T, isOn?: IsFeatureOn): void;
  /** What is wrong with the new object, which `prepareForUpdate` has seen. */
  validateUpdate(object: T, old: T, isOn?: IsFeatureOn): FieldErrors;
  /**
   * Leaves out what this way of writing resets anyway, so that the writer does not come to
   * manage it; none: nothing is reset. In Kubernetes: GetResetFields.
   */
  readonly resetFields?: FieldFilter;
  /** Sentences for `Warning: 299` headers. */
  warningsOnUpdate?(object: T, old: T): readonly string[];
}

/** The user that asks for a new object. */
export interface Requester {
  /** The name of the user. */
  readonly name: string;
  /** '' where the authenticator knows none. */
  readonly uid: string;
  /** In the order in which the authenticator gave them. */
  readonly groups: readonly string[];
  /** What the authenticator knows besides, by key. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface Strategy extends UpdateRules {
  /** What is wrong with a name, or with the base of one. */
  readonly validateName: NameValidator;
  /** PUT on a name that is not there creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** PUT without resourceVersion overwrites whatever is there. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether a new object without a name, and without one to begin with, is named by a UUID. */
  readonly isNamedByUuid?: boolean;

  /** What a delete without propagationPolicy does with dependents. */
  readonly defaultGarbageCollection: 'background' | 'orphan' | 'unsupported';

  /** `requester` is the user, for the kinds that write it down; undefined for what the server itself makes. */
  prepareForCreate(object: KubeObject, requester?: Requester, isOn?: IsFeatureOn): void;
  /**
   * What is wrong with a new object, beyond its metadata.
   *
   * @param metadataErrors what is wrong with that, which is told before unless `validate` places it.
   */
  validate(object: KubeObject, metadataErrors?: FieldErrors): FieldErrors;
  /** Whether `validate` itself gives what is wrong with the metadata its place. */
  readonly placesMetadataErrors?: boolean;
  /** Of the object before it is prepared; told even where it is refused afterwards. */
  warningsBeforeCreate?(object: KubeObject): readonly string[];
  /** Of a prepared object: sentences for `Warning: 299` headers. */
  warningsOnCreate?(object: KubeObject): readonly string[];
  /** Brings the object into its one form, as the last step before it is encoded. */
  canonicalize?(object: KubeObject): void;
  /** What upstream's store gives the object when it is read from there; not to one that is not stored any more. */
  readAgain?(object: KubeObject): void;

  /**
   * Why a DELETE of the object of this name is forbidden, whether it exists or not; undefined when
   * it is not. A deletecollection does not ask, as upstream's does not: it goes to the store itself.
   */
  deleteRefusal?(name: string): string | undefined;
  /** Sentences for `Warning: 299` headers of a delete and a deletecollection. */
  warningsOnDelete?(options: DeleteOptions): readonly string[];

  /**
   * How long a delete of this object is graceful, in seconds; undefined when it goes at once.
   * `requestedSeconds` is what the client asked for.
   */
  gracePeriodSeconds?(
    object: KubeObject,
    requestedSeconds: number | bigint | undefined,
  ): number | bigint | undefined;

  /** Something besides metadata.finalizers keeps a deleted object: the spec.finalizers of a namespace. */
  isHeldBack?(object: KubeObject): boolean;
  /**
   * The first delete of an object only marks it, and this gives it what holds it from then on.
   * `now` is its deletionTimestamp.
   */
  holdOnDelete?(object: KubeObject, now: string): void;
  /** The object has just got its deletionTimestamp. */
  markDeleting?(object: KubeObject): void;
  /** A delete answers with the object as it was, not with a Status. */
  readonly returnsDeletedObject: boolean;

  /** The rules of PUT and PATCH on subresources that are views of the object itself, as `status`. */
  readonly subresources: ReadonlyMap<string, UpdateRules>;
}
