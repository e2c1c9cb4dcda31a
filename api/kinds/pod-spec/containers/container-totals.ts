/**
 * What the containers of a pod ask for together, or are limited to.
 *
 * In Kubernetes: AggregateContainerRequests and AggregateContainerLimits, component-helpers/resource.
 */
import { items } from '../../../json/go-values.ts';
import type { PodSpec, Container } from '../../../generated/kinds/core-v1.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
} from '../../../meta/quantity.ts';

/** Amounts by the name of the resource, `cpu`. */
export type Amounts = Map<string, Quantity>;

/**
 * What the pod needs at its worst moment: all containers and sidecars together, or an init
 * container beside the sidecars that were started before it.
 */
export function containerTotals(spec: PodSpec, list: 'limits' | 'requests'): Amounts {
  const totals: Amounts = new Map();
  for (const container of items(spec.containers)) {
    addAll(totals, amountsOf(container, list));
  }
  const sidecars: Amounts = new Map();
  const whileStarting: Amounts = new Map();
  for (const container of items(spec.initContainers)) {
    const own = amountsOf(container, list);
    if (container.restartPolicy === 'Always') {
      addAll(totals, own);
      addAll(sidecars, own);
      raiseAll(whileStarting, sidecars);
      continue;
    }
    addAll(own, sidecars);
    raiseAll(whileStarting, own);
  }
  raiseAll(totals, whileStarting);
  return totals;
}

function amountsOf(container: Container, list: 'limits' | 'requests'): Amounts {
  const written = container.resources[list] ?? {};
  const amounts: Amounts = new Map();
  for (const name of Object.keys(written)) {
    const text = written[name];
    const parsed = text === undefined ? undefined : parseQuantity(text);
    if (parsed?.ok === true) amounts.set(name, parsed.quantity);
  }
  return amounts;
}

function addAll(totals: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const total = totals.get(name);
    totals.set(name, total === undefined ? amount : addQuantities(total, amount));
  }
}

function raiseAll(totals: Amounts, others: Amounts): void {
  for (const [name, amount] of others) {
    const total = totals.get(name);
    if (total === undefined || compareQuantities(amount, total) > 0) totals.set(name, amount);
  }
}
