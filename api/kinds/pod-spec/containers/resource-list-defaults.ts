/**
 * Defaults of the maps from a resource's name to an amount. Amounts finer than a milli are rounded
 * up in every list of every kind, also in a status.
 *
 * In Kubernetes: SetDefaults_ResourceList, pkg/apis/core/v1.
 */
import type { ResourceRequirements } from '../../../generated/kinds/core-v1.ts';
import type { Quantity } from '../../../json/go-values.ts';
import { forEachKey } from '../../../json/work-in-slices.ts';
import { setKey } from '../../../json/typed-json-keys.ts';
import { roundedUpToMilli } from './resource-quantity.ts';

/** Amounts by the name of what there is that much of. */
interface ResourceList {
  [name: string]: Quantity;
}

/** Rounds the amounts of the list; does nothing where there is none. */
export function setResourceListDefaults(list: ResourceList | null | undefined): void {
  if (list === undefined || list === null) return;
  forEachKey(list, (name) => {
    const amount = list[name];
    if (amount === undefined) return;
    const rounded = roundedUpToMilli(amount);
    if (rounded !== amount) setKey(list, name, rounded);
  });
}

/** Rounds limits and requests; does nothing where there are none. */
export function setResourceRequirementsDefaults(
  requirements: Pick<ResourceRequirements, 'limits' | 'requests'> | undefined,
): void {
  setResourceListDefaults(requirements?.limits);
  setResourceListDefaults(requirements?.requests);
}

/** Copies into `target` what `source` has and `target` has not. */
export function fillMissingAmounts(target: ResourceList, source: ResourceList | undefined): void {
  if (source === undefined) return;
  forEachKey(source, (name) => {
    const amount = source[name];
    if (amount !== undefined && !Object.hasOwn(target, name)) setKey(target, name, amount);
  });
}
