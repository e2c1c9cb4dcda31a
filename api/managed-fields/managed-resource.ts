/**
 * What field management is told: of a resource, and of a write.
 */
import type { Rest } from '../merge/converting.ts';
import type { MergeType } from '../merge/merge-type.ts';
import type { JsonObject } from '../json/json.ts';
import type { MaybePromise } from '../meta/maybe-promise.ts';
import type { FieldConflict } from './apply-conflicts.ts';
import type { FieldFilter } from './field-filter.ts';

/** What field management knows of a resource, made once for each served version and subresource. */
export interface ManagedResource {
  /** Of the requests, and so of the entries they leave: `apps/v1`; `autoscaling/v1` for scale. */
  readonly apiVersion: string;
  /** As objects of the resource say it. */
  readonly kind: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** Objects were read by a type of their own; those read by a schema are held to `mergeTypeOf`. */
  readonly typed: boolean;
  /**
   * An object of the kind with nothing in it, as its codec writes it (`{apiVersion, kind}` for a
   * custom resource): what the fields of a new object are compared with.
   */
  emptyObject(): JsonObject;
  /** The type of the kind in some version; undefined: that version is not (or no longer) known. */
  mergeTypeOf(apiVersion: string): MergeType | undefined;
  /**
   * The object in another version, whose merge type is known; the object given stays as it is. What
   * cannot be converted ends an apply, and costs an update all its managedFields.
   *
   * @param isLarge then it is converted in slices.
   */
  convert(object: JsonObject, apiVersion: string, isLarge: boolean): MaybePromise<ConvertedObject>;
  /** By apiVersion: which of the fields a request writes may be managed; no filter: all. */
  readonly resetFields: ReadonlyMap<string, FieldFilter>;
}

/** The object in the version that was asked for, or why it cannot be converted to it. */
export type ConvertedObject =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly message: string };

export interface ManagedUpdate {
  /** As it is stored, in the version of the request; undefined: the object is being created. */
  readonly live: JsonObject | undefined;
  /**
   * As it is about to be stored, with metadata.managedFields as the client sent them: `[]`, which
   * forgets everything, must still be there.
   */
  readonly object: JsonObject;
  /** The name; '' is `unknown`. */
  readonly manager: string;
  /** RFC 3339, whole seconds, UTC. */
  readonly now: string;
  /** Waited for between the steps of large objects; undefined: all in one go. */
  readonly rest?: Rest | undefined;
}

export interface ManagedApply {
  /** As it is stored, in the version of the request; undefined: the object is being created. */
  readonly live: JsonObject | undefined;
  /** What the client sent, not typed, not defaulted. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  /** RFC 3339, whole seconds, UTC. */
  readonly now: string;
  /** Waited for between the steps of large objects; undefined: all in one go. */
  readonly rest?: Rest | undefined;
}

/** What an apply makes: the merged object, or the Status that answers it. */
export type Applied =
  | {
      readonly ok: true;
      /** In the version of the request, with its managedFields; not yet typed nor defaulted. */
      readonly object: JsonObject;
    }
  | {
      readonly ok: false;
      readonly reason: 'Conflict';
      /** `Apply failed with 1 conflict: …` */
      readonly message: string;
      readonly conflicts: readonly FieldConflict[];
    }
  | {
      readonly ok: false;
      /** `Unknown`: upstream answers 500 without a reason, though it is the client's mistake. */
      readonly reason: 'BadRequest' | 'Unknown';
      readonly message: string;
    };
