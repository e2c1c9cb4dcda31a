/**
 * What a pod asks for all in all: its containers side by side, its init containers one behind the
 * other, sidecars through both; while it is being resized the greater of what it has and what it is
 * going to have.
 *
 * In Kubernetes: PodRequests and PodLimits, component-helpers/resource, as quotas use them.
 */
import { itemsAt, type JsonObject, objectAt, stringAt } from '../json/json.ts';
import { addTo, amountsIn, isZero, raiseTo, type Amounts, type AmountsToFill } from './amounts.ts';
import { addQuantities } from '../meta/quantity.ts';

type Kind = 'requests' | 'limits';

/** Whether the pod itself says what it needs, and not only its containers. */
export function hasOwnResources(pod: JsonObject): boolean {
  return ownAmounts(pod, 'requests').size + ownAmounts(pod, 'limits').size > 0;
}

export function podRequests(pod: JsonObject): Amounts {
  const requests = ofContainers(pod, 'requests');
  for (const [name, amount] of ownAmounts(pod, 'requests')) requests.set(name, amount);
  addTo(requests, amountsIn(objectAt(objectAt(pod, 'spec'), 'overhead')));
  return requests;
}

export function podLimits(pod: JsonObject): Amounts {
  const limits = ofContainers(pod, 'limits');
  for (const [name, amount] of ownAmounts(pod, 'limits')) limits.set(name, amount);
  for (const [name, amount] of amountsIn(objectAt(objectAt(pod, 'spec'), 'overhead'))) {
    const limit = limits.get(name);
    // What has no limit gets none by it.
    if (limit !== undefined && !isZero(limit)) limits.set(name, addQuantities(limit, amount));
  }
  return limits;
}

/** What stands on the pod itself, as far as that is a thing that can be said there. */
function ownAmounts(pod: JsonObject, kind: Kind): Amounts {
  const own = amountsIn(objectAt(objectAt(objectAt(pod, 'spec'), 'resources'), kind));
  for (const name of own.keys()) {
    const isKnown = name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
    if (!isKnown) own.delete(name);
  }
  return own;
}

function ofContainers(pod: JsonObject, kind: Kind): AmountsToFill {
  const spec = objectAt(pod, 'spec');
  const effective = effectiveAmounts(pod, kind);
  const sum: AmountsToFill = new Map();
  for (const container of itemsAt(spec, 'containers')) addTo(sum, effective(container));
  const sidecars: AmountsToFill = new Map();
  const starting: AmountsToFill = new Map();
  for (const container of itemsAt(spec, 'initContainers')) {
    if (stringAt(container, 'restartPolicy') === 'Always') {
      const amounts = effective(container);
      addTo(sum, amounts);
      addTo(sidecars, amounts);
      raiseTo(starting, sidecars);
      continue;
    }
    const beside = amountsIn(objectAt(objectAt(container, 'resources'), kind));
    addTo(beside, sidecars);
    raiseTo(starting, beside);
  }
  raiseTo(sum, starting);
  return sum;
}

/** What of a container counts: what was asked for, what it has, what it was promised. */
function effectiveAmounts(pod: JsonObject, kind: Kind): (container: JsonObject) => Amounts {
  const status = objectAt(pod, 'status');
  const statuses = new Map(
    [...itemsAt(status, 'containerStatuses'), ...itemsAt(status, 'initContainerStatuses')].map(
      (one) => [stringAt(one, 'name'), one],
    ),
  );
  const isInfeasible = isResizeInfeasible(status);
  return (container) => {
    const asked = amountsIn(objectAt(objectAt(container, 'resources'), kind));
    const has = statuses.get(stringAt(container, 'name'));
    const actuated = objectAt(has, 'resources');
    if (actuated === undefined) return asked;
    const greatest: AmountsToFill = isInfeasible ? amountsIn(undefined) : asked;
    raiseTo(greatest, amountsIn(objectAt(actuated, kind)));
    if (kind === 'requests') raiseTo(greatest, amountsIn(objectAt(has, 'allocatedResources')));
    return greatest;
  };
}

function isResizeInfeasible(status: JsonObject | undefined): boolean {
  const pending = itemsAt(status, 'conditions').find(
    (one) => stringAt(one, 'type') === 'PodResizePending',
  );
  return pending !== undefined && stringAt(pending, 'reason') === 'Infeasible';
}
