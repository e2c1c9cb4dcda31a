/**
 * What the containers of a pod come to at its worst moment: all containers and sidecars together, or
 * an init container beside the sidecars that were started before it.
 *
 * The surprise: each container costs what it says itself, not what was said before it. The sidecars
 * of a large pod may name a resource each, so no sum is gone through once more for each of them.
 *
 * In Kubernetes: AggregateContainerRequests and AggregateContainerLimits, component-helpers/resource.
 */
import type { Container, PodSpec } from '../generated/kinds/core-v1.ts';
import { items } from '../json/go-values.ts';
import { forEachEntry, forEachItem, remembered } from '../json/work-in-slices.ts';
import { addQuantities } from '../meta/quantity.ts';
import {
  addTo,
  type Amounts,
  amountsIn,
  type AmountsToFill,
  raiseOne,
  raiseTo,
} from './amounts.ts';

/** Which amounts of a container are meant. */
export type AmountKind = 'limits' | 'requests';

/**
 * By the name of the resource; in slices where the pod is large.
 *
 * @param running what of a container counts that runs as long as the pod; what it says, unless given.
 */
export function containerTotals(
  { containers, initContainers }: PodSpec,
  kind: AmountKind,
  running: (container: Container) => Amounts = (container) => said(container, kind),
): AmountsToFill {
  const sum = remembered((): AmountsToFill => new Map());
  forEachItem(items(containers), (container) => {
    addTo(sum, running(container));
  });
  const sidecars = remembered((): AmountsToFill => new Map());
  const starting = remembered((): AmountsToFill => new Map());
  forEachItem(items(initContainers), (container) => {
    // Of other names it needs what the sidecars before it do, to which `starting` was raised with them.
    if (container.restartPolicy === 'Always') {
      const amounts = running(container);
      addTo(sum, amounts);
      addTo(sidecars, amounts);
      forEachEntry(amounts, (name, amount) => {
        raiseOne(starting, name, sidecars.get(name) ?? amount);
      });
      return;
    }
    forEachEntry(said(container, kind), (name, amount) => {
      const beside = sidecars.get(name);
      raiseOne(starting, name, beside === undefined ? amount : addQuantities(amount, beside));
    });
  });
  raiseTo(sum, starting);
  return sum;
}

function said({ resources }: Container, kind: AmountKind): AmountsToFill {
  return amountsIn(resources[kind]);
}
