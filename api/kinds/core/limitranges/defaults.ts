/**
 * Defaults of a LimitRange: for containers a maximum is also the default limit, a default limit the
 * default request, and a minimum the default request that is left.
 *
 * In Kubernetes: SetDefaults_LimitRangeItem, pkg/apis/core/v1.
 */
import type { LimitRange } from '../../../generated/kinds/core-v1.ts';
import { type JsonObject, objectAt } from '../../../json/json.ts';
import { forEachIn, structAt, withObject } from '../../default-field.ts';
import {
  fillMissingAmounts,
  setResourceListDefaults,
} from '../../pod-spec/containers/resource-list-defaults.ts';

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

export function setLimitRangeDefaults(limitRange: LimitRange): void {
  withObject(limitRange, 'spec', (spec) => {
    forEachIn(spec, 'limits', (item) => {
      if (item['type'] === 'Container') setContainerLimits(item);
      for (const list of lists) setResourceListDefaults(item, list);
    });
  });
}

function setContainerLimits(item: JsonObject): void {
  const limit = structAt(item, 'default');
  const request = structAt(item, 'defaultRequest');
  fillMissingAmounts(limit, objectAt(item, 'max') ?? {});
  fillMissingAmounts(request, limit);
  fillMissingAmounts(request, objectAt(item, 'min') ?? {});
}
