/**
 * Defaults of the maps from a resource's name to an amount. Amounts finer than a milli are rounded
 * up in every list of every kind, also in a status.
 *
 * In Kubernetes: SetDefaults_ResourceList, pkg/apis/core/v1.
 */
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { forEachKey } from '../../../json/work-in-slices.ts';
import { setKey } from '../../../json/typed-json-keys.ts';
import { roundedUpToMilli } from './resource-quantity.ts';

/** The list at `key` of `parent`; nothing happens where there is none. */
export function setResourceListDefaults(parent: JsonObject, key: string): void {
  const list = parent[key];
  if (!isJsonObject(list)) return;
  forEachKey(list, (name) => {
    const amount = list[name];
    if (typeof amount !== 'string') return;
    const rounded = roundedUpToMilli(amount);
    if (rounded !== amount) setKey(list, name, rounded);
  });
}

/** Limits and requests of the ResourceRequirements at `key`. */
export function setResourceRequirementsDefaults(parent: JsonObject, key: string): void {
  const requirements = parent[key];
  if (!isJsonObject(requirements)) return;
  setResourceListDefaults(requirements, 'limits');
  setResourceListDefaults(requirements, 'requests');
}

/** Copies into `target` what `source` has and `target` has not. */
export function fillMissingAmounts(target: JsonObject, source: JsonObject): void {
  forEachKey(source, (name) => {
    const amount = source[name];
    if (amount !== undefined && !Object.hasOwn(target, name)) setKey(target, name, amount);
  });
}
