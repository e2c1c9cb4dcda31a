/**
 * Writes into the status of every ResourceQuota how much of it is used, a moment after that changed:
 * many changes in that moment are one write. Admission has written already what creations and updates
 * use more; this controller follows deletions, objects that use less, and quotas that are new.
 *
 * Beside a kube-controller-manager it looks later, so that the usual write is the manager's. It does
 * not stand aside, because the manager counts on caches that may be older than the quota that it
 * writes, and would leave a status that is wrong for its resync period of five minutes.
 *
 * In Kubernetes: kube-controller-manager's resourcequota-controller.
 */
import { DEVICE_CLASSES } from '../../../projections/ownership/device-class-names.ts';
import {
  QUOTAS,
  quotaUsageOf,
  type QuotaUsage,
} from '../../../projections/ownership/quota-usage.ts';
import { namespaceOf, pathOf, type CommittedEvent } from '../../../streams/event.ts';
import { QuotaStatusWriter } from '../../loopback/quota-status-writer.ts';
import { type Controller, type ControllerParts, listening } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';

const WIDTH = 5;

/** How long changes are gathered. */
const GATHER_MS = 100;

/** As long as another controller writes the status, in time for it to be right within a second. */
const GATHER_ASIDE_MS = 500;

/** Pods that should be gone stop counting without anything being written. */
const EXPIRY_CHECK_MS = 60_000;

/** It listens from now on; `begin` looks at all quotas that are there. */
export function startQuotaStatus(parts: ControllerParts): Controller {
  return listening(parts, new QuotaStatus(parts));
}

class QuotaStatus implements Controller {
  readonly #parts: ControllerParts;
  readonly #usage: QuotaUsage;
  readonly #writer: QuotaStatusWriter;
  readonly #queue: WorkQueue;
  /** Those that are looked at when the moment is over. */
  readonly #changed = new Set<string>();
  #cancelGathering: (() => void) | undefined;
  #cancelCheck: (() => void) | undefined;
  #isStopped = false;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.#usage = quotaUsageOf(parts.followed, parts.objects);
    const isServed = (storage: string) => parts.served.ofStorage(storage) !== undefined;
    this.#writer = new QuotaStatusWriter({ ...parts, usage: this.#usage, isServed });
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
    const gatherMs = this.#parts.isAside() ? GATHER_ASIDE_MS : GATHER_MS;
    this.#cancelGathering = this.#parts.clock.after(gatherMs, () => {
      this.#cancelGathering = undefined;
      for (const one of this.#changed) this.#queue.add(one);
      this.#changed.clear();
    });
  }

  async #look(path: string): Promise<WorkOutcome> {
    return (await this.#writer.write(path)) === 'written' ? 'done' : 'later';
  }
}
