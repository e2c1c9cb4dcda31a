/**
 * Writes into the status of every ResourceQuota how much of it is used, a moment after that changed:
 * what changes many times in that moment is written once. Nothing depends on it but people who look.
 *
 * In Kubernetes: kube-controller-manager's resourcequota-controller.
 */
import { objectAt, type JsonObject } from '../../../api/meta/json.ts';
import { compareQuantities } from '../../../api/meta/quantity.ts';
import { amountsIn, type Amounts } from '../../../api/quota/amounts.ts';
import { DEVICE_CLASSES } from '../../../projections/ownership/device-class-names.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import {
  QUOTAS,
  quotaUsageOf,
  type QuotaUsage,
} from '../../../projections/ownership/quota-usage.ts';
import { nameOf, namespaceOf, pathOf, type CommittedEvent } from '../../../streams/event.ts';
import { outcomeOf, urlOf, type Controller, type ControllerParts } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';

const WIDTH = 5;
/** So long is gathered what changes. */
const GATHER_MS = 100;
/** Pods that should be gone stop counting without anything being written. */
const EXPIRY_CHECK_MS = 60_000;

export function startQuotaStatus(parts: ControllerParts): Controller {
  const controller = new QuotaStatus(parts);
  parts.listen((event) => {
    controller.hear(event);
  });
  return controller;
}

class QuotaStatus implements Controller {
  readonly #parts: ControllerParts;
  readonly #usage: QuotaUsage;
  readonly #queue: WorkQueue;
  /** Those that are looked at when the moment is over. */
  readonly #changed = new Set<string>();
  #cancelGathering: (() => void) | undefined;
  #cancelCheck: (() => void) | undefined;
  #isStopped = false;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.#usage = quotaUsageOf(parts.followed, parts.objects);
    this.#queue = startWorkQueue(
      { name: 'resourcequota-controller', width: WIDTH, work: (path) => this.#look(path) },
      parts,
    );
  }

  begin(): Promise<void> {
    this.#addAll();
    this.#checkLater();
    return Promise.resolve();
  }

  hear({ resource, path, type }: CommittedEvent): void {
    if (resource === QUOTAS && type !== 'deleted') this.#gather(path);
    if (resource === DEVICE_CLASSES) {
      for (const concerned of this.#usage.pathsOfExtended()) this.#gather(concerned);
    }
    const namespace = namespaceOf(path);
    for (const name of this.#usage.namesOf(namespace, resource)) {
      this.#gather(pathOf(namespace, name));
    }
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelGathering?.();
    this.#cancelCheck?.();
    return this.#queue.stop();
  }

  #addAll(): void {
    for (const { path } of this.#parts.objects.of(QUOTAS).inOrder('')) this.#queue.add(path);
  }

  #checkLater(): void {
    this.#cancelCheck?.();
    if (this.#isStopped) return;
    this.#cancelCheck = this.#parts.clock.after(EXPIRY_CHECK_MS, () => {
      this.#addAll();
      this.#checkLater();
    });
  }

  #gather(path: string): void {
    this.#changed.add(path);
    if (this.#isStopped || this.#cancelGathering !== undefined) return;
    this.#cancelGathering = this.#parts.clock.after(GATHER_MS, () => {
      this.#cancelGathering = undefined;
      for (const one of this.#changed) this.#queue.add(one);
      this.#changed.clear();
    });
  }

  async #look(path: string): Promise<WorkOutcome> {
    const { objects, served, loopback, clock, isAside } = this.#parts;
    const stored = objects.get(QUOTAS, path);
    const quotas = served.ofStorage(QUOTAS);
    if (isAside() || stored === undefined || quotas === undefined) return 'done';
    const quota = parsedObject(stored);
    const hard = objectAt(objectAt(quota, 'spec'), 'hard');
    const used = this.#usage.usedOf(namespaceOf(path), nameOf(path), clock.now());
    if (used === undefined) return 'done';
    const known = new Map([...used].filter(([name]) => this.#isServed(name)));
    const status = objectAt(quota, 'status');
    if (
      isSame(objectAt(status, 'hard'), amountsIn(hard)) &&
      isSame(objectAt(status, 'used'), known)
    ) {
      return 'done';
    }
    quota['status'] = { hard: { ...hard }, used: textsOf(known) };
    const url = `${urlOf(quotas, path)}/status`;
    return outcomeOf(await loopback({ method: 'PUT', path: url, body: quota }));
  }

  /** Of what nobody can make, nothing is used, and upstream does not say that it is none. */
  #isServed(name: string): boolean {
    const { served } = this.#parts;
    return this.#usage.evaluators.counting(name).some((one) => served.ofStorage(one) !== undefined);
  }
}

function isSame(written: JsonObject | undefined, amounts: Amounts): boolean {
  const before = amountsIn(written);
  if (before.size !== amounts.size) return false;
  return [...amounts].every(([name, amount]) => {
    const other = before.get(name);
    return other !== undefined && compareQuantities(other, amount) === 0;
  });
}

function textsOf(amounts: Amounts): JsonObject {
  return Object.fromEntries([...amounts].map(([name, { text }]) => [name, text]));
}
