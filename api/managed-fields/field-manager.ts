/**
 * Which manager has which fields of an object: what a write of any kind leaves in
 * metadata.managedFields, and what server-side apply makes of an object.
 *
 * Pure functions over objects in the version of the request. Conversion to other versions may have
 * to wait (a webhook); where it does not, neither do they, and the answer is no promise.
 *
 * In Kubernetes: FieldManager, apimachinery/pkg/util/managedfields, with all its layers, and the
 * versionConverter of its folder internal.
 */
import type { JsonObject } from '../json/json.ts';
import {
  goThrough,
  sliced,
  type Conversion,
  type Converted,
  type Rest,
  type Steps,
} from '../merge/converting.ts';
import type { MergeType } from '../merge/merge-type.ts';
import { andThen, type MaybePromise } from '../meta/maybe-promise.ts';
import { applySteps } from './apply-steps.ts';
import { mistakeIn, withoutManagedFields } from './managed-objects.ts';
import type {
  Applied,
  ConvertedObject,
  ManagedApply,
  ManagedResource,
  ManagedUpdate,
} from './managed-resource.ts';
import { updateSteps } from './update-steps.ts';

/**
 * The entries for metadata.managedFields of an object that is created, updated or patched (but not
 * by an apply); undefined: it has none. The objects are not changed.
 */
export function managedUpdate(
  resource: ManagedResource,
  update: ManagedUpdate,
): MaybePromise<JsonObject[] | undefined> {
  return convertThrough(resource, updateSteps(resource, update), update.rest);
}

/** What server-side apply makes of an object. Neither object is changed. */
export function managedApply(
  resource: ManagedResource,
  apply: ManagedApply,
): MaybePromise<Applied> {
  return convertThrough(resource, applySteps(resource, apply), apply.rest);
}

/** Goes through the steps with the conversion of the resource. */
function convertThrough<Result>(
  resource: ManagedResource,
  steps: Steps<Result>,
  rest?: Rest,
): MaybePromise<Result> {
  return goThrough(steps, (conversion) => convertTyped(resource, conversion, rest), rest);
}

function convertTyped(
  resource: ManagedResource,
  { from, apiVersion }: Conversion,
  rest: Rest | undefined,
): MaybePromise<Converted> {
  const type = resource.mergeTypeOf(apiVersion);
  if (type === undefined) return unknownVersion(resource, apiVersion);
  const isLarge = rest !== undefined;
  return andThen(resource.convert(from.object, apiVersion, isLarge), (converted) => {
    const typed = sliced(() => typedResult(resource, converted, { type, apiVersion }));
    return goThrough(typed, convertNothing, rest);
  });
}

function convertNothing(): never {
  throw new Error('what was converted is converted once more');
}

/** Of built-in kinds, versions come and go; a custom resource of an unknown version is a mistake. */
function unknownVersion({ typed }: ManagedResource, apiVersion: string): Converted {
  const message = `request to convert CR to an invalid group/version: ${apiVersion}`;
  return { ok: false, isMissing: typed, message };
}

function typedResult(
  resource: ManagedResource,
  converted: ConvertedObject,
  { type, apiVersion }: { readonly type: MergeType; readonly apiVersion: string },
): Converted {
  if (!converted.ok) return { ok: false, isMissing: false, message: converted.message };
  const object = withoutManagedFields(converted.object);
  const message = mistakeIn(resource, object, type);
  if (message !== undefined) return { ok: false, isMissing: false, message };
  return { ok: true, typed: { object, type, apiVersion } };
}
