/**
 * Limits of what one object may ask for. By default a maximum of containers is also the default
 * limit, a default limit the default request, and a minimum the default request that is left.
 *
 * In Kubernetes: registry/core/limitrange; SetDefaults_LimitRangeItem, pkg/apis/core/v1.
 */
import { defineKind } from '../../kind.ts';
import { validateLimitRange } from './validation.ts';
import type { LimitRange, LimitRangeItem } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import {
  fillMissingAmounts,
  setResourceListDefaults,
} from '../../pod-spec/containers/resource-list-defaults.ts';

/** The kind LimitRange. */
export const limitRanges = defineKind('v1/limitranges', {
  rules: {
    allowsCreateOnUpdate: true,
    isNamedByUuid: true,
    validate: validateLimitRange,
  },
});

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** SetDefaults_LimitRangeItem; amounts are rounded up to milli. */
export function setLimitRangeDefaults(limitRange: LimitRange): void {
  forEachItem(items(limitRange.spec.limits), (item) => {
    if (item.type === 'Container') setContainerLimits(item);
    for (const list of LISTS) setResourceListDefaults(item[list]);
  });
}

function setContainerLimits(item: LimitRangeItem): void {
  const limit = (item.default ??= {});
  const request = (item.defaultRequest ??= {});
  fillMissingAmounts(limit, item.max);
  fillMissingAmounts(request, limit);
  fillMissingAmounts(request, item.min);
}
