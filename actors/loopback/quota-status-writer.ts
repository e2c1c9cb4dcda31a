/**
 * Writes into a ResourceQuota's status how much of it is used, as counted on the folded objects.
 *
 * Both admission, behind each write that uses more, and the controller write through here. Writes of
 * one quota do not overlap, and requests that come while one is under way share the next: a burst of
 * creations costs at most one status each.
 *
 * In Kubernetes: UpdateQuotaStatus of quotaAccessor, apiserver/pkg/admission/plugin/resourcequota, and
 * syncResourceQuota of kube-controller-manager. → docs/decisions/0053
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { ResourceQuota } from '../../api/generated/kinds/core-v1.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import { compareQuantities } from '../../api/meta/quantity.ts';
import { amountsIn, type Amounts } from '../../api/quota/amounts.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { QUOTAS, type QuotaUsage } from '../../projections/ownership/quota-usage.ts';
import { nameOf, namespaceOf } from '../../streams/event.ts';
import type { Answer } from '../request/answer.ts';
import type { Loopback } from './loopback.ts';
import { readQuotas } from './quota-reading.ts';

/** `failed`: the status still says something else. */
export type StatusWrite = 'written' | 'failed';

export interface QuotaStatusParts {
  readonly loopback: Loopback;
  readonly objects: Pick<ObjectView, 'get'>;
  readonly usage: QuotaUsage;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether objects that lie there, as `core/pods`, are served. */
  readonly isServed: (storage: string) => boolean;
}

/** Other servers write the same status, so a write may be overtaken; each time it is counted again. */
const TRIES_MAX = 5;
const CONFLICT = 409;
const NOT_FOUND = 404;

export class QuotaStatusWriter {
  readonly #parts: QuotaStatusParts;
  /** By path: the write under way, and the one that begins when it is over. */
  readonly #underWay = new Map<string, Promise<StatusWrite>>();
  readonly #next = new Map<string, Promise<StatusWrite>>();

  constructor(parts: QuotaStatusParts) {
    this.#parts = parts;
  }

  /** Resolves when the status tells at least of everything that was folded before this call. */
  write(path: string): Promise<StatusWrite> {
    const current = this.#underWay.get(path);
    if (current === undefined) return this.#begin(path);
    let next = this.#next.get(path);
    if (next === undefined) {
      const begin = (): Promise<StatusWrite> => {
        this.#next.delete(path);
        return this.#begin(path);
      };
      next = current.then(begin, begin);
      this.#next.set(path, next);
    }
    return next;
  }

  #begin(path: string): Promise<StatusWrite> {
    const write = this.#writeUntilSaid(path).finally(() => {
      if (this.#underWay.get(path) === write) this.#underWay.delete(path);
    });
    this.#underWay.set(path, write);
    return write;
  }

  async #writeUntilSaid(path: string): Promise<StatusWrite> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      await this.#read(path);
      const quota = this.#outdated(path);
      if (quota === undefined) return 'written';
      const answer = await this.#parts.loopback({
        method: 'PUT',
        path: `/api/v1/namespaces/${namespaceOf(path)}/resourcequotas/${nameOf(path)}/status`,
        body: quota,
      });
      const code = failureOf(answer);
      if (code === undefined || code === NOT_FOUND) return 'written';
      if (code !== CONFLICT) return 'failed';
    }
    return 'failed';
  }

  #read(path: string): Promise<void> | undefined {
    const { usage, clock } = this.#parts;
    return readQuotas(usage, namespaceOf(path), () => clock.now());
  }

  /** The quota as it should be; undefined: it says so already, or is gone. */
  #outdated(path: string): JsonObject | undefined {
    const { objects, usage, clock } = this.#parts;
    const stored = objects.get(QUOTAS, path);
    if (stored === undefined) return undefined;
    const used = usage.usedOf(namespaceOf(path), nameOf(path), clock.now());
    if (used === undefined) return undefined;
    const quota = parsedObject(stored) as ObjectOf<ResourceQuota>; // Stored as one.
    const { spec, status } = quota;
    const known = new Map([...used].filter(([name]) => this.#isServed(name)));
    const isSaid = isSame(status.hard, amountsIn(spec.hard)) && isSame(status.used, known);
    if (isSaid) return undefined;
    return { ...quota, status: { hard: { ...spec.hard }, used: textsOf(known) } };
  }

  /** Of a resource that is not served nothing is used, and upstream does not say that it is none. */
  #isServed(name: string): boolean {
    const { usage, isServed } = this.#parts;
    return usage.evaluators.counting(name).some((one) => isServed(one));
  }
}

function failureOf(answer: Answer): number | undefined {
  return answer.kind === 'Status' && answer.status.code >= 400 ? answer.status.code : undefined;
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
