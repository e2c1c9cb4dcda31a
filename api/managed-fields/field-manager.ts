/**
 * Which manager has which fields of an object: what a write of any kind leaves in
 * metadata.managedFields, and what server-side apply makes of an object.
 *
 * Pure functions over objects in the version of the request. Conversion to other versions may have
 * to wait (a webhook); where it does not, neither do they, and the answer is no promise.
 *
 * In Kubernetes: FieldManager, apimachinery/pkg/util/managedfields, with all its layers.
 */
import type { JsonObject } from '../json/json.ts';
import type { MaybePromise } from '../meta/maybe-promise.ts';
import { applySteps } from './apply-steps.ts';
import { convertThrough } from './managed-objects.ts';
import type { Applied, ManagedApply, ManagedResource, ManagedUpdate } from './managed-resource.ts';
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
