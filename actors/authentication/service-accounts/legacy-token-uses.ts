/**
 * Writes down on which day the token of a secret was used last: a label of the secret, once a day.
 * By it operators learn which of these tokens nobody needs any more.
 *
 * The surprise: it is written behind the back of the request, which does not wait for it.
 *
 * In Kubernetes: patchSecretWithLastUsedDate, kubernetes/pkg/serviceaccount.
 */
import { BoundedMap } from '../../../api/meta/bounded-map.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type { Faults } from '../../request/faults.ts';
import type { Loopback } from '../../loopback/loopback.ts';

export const LAST_USED_LABEL = 'kubernetes.io/legacy-token-last-used';

const DAY_MS = 86_400_000;
/** What could not be written is not tried again for so long. */
const RETRY_MS = 60_000;
const TRIED_MAX = 1_000;

export interface UsedSecret {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** What the label says; '': there is none. */
  readonly lastUsed: string;
}

export class LegacyTokenUses {
  readonly #clock: Pick<Clock, 'now'>;
  #writes: { readonly loopback: Loopback; readonly faults: Pick<Faults, 'record'> } | undefined;
  /** By uid: until when the secret is left alone. */
  readonly #tried = new BoundedMap<string, number>(TRIED_MAX);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** From now on uses are written down; where nothing may be written, it is never called. */
  begin(loopback: Loopback, faults: Pick<Faults, 'record'>): void {
    this.#writes = { loopback, faults };
  }

  note(secret: UsedSecret): void {
    const now = this.#clock.now();
    const today = dayOf(now);
    // Another server's clock may be before ours.
    if (secret.lastUsed === today || secret.lastUsed === dayOf(now + DAY_MS)) return;
    if ((this.#tried.get(secret.uid) ?? 0) > now) return;
    this.#tried.set(secret.uid, now + RETRY_MS);
    void this.#write(secret, today);
  }

  async #write({ namespace, name, uid }: UsedSecret, today: string): Promise<void> {
    if (this.#writes === undefined) return;
    const { loopback, faults } = this.#writes;
    const answer = await loopback({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
      body: { metadata: { uid, labels: { [LAST_USED_LABEL]: today } } },
    });
    if (answer.kind !== 'Status' || answer.status.code < 400) return;
    const what = `noting the use of the token in ${namespace}/${name}`;
    faults.record(what, new Error(answer.status.message ?? ''));
  }
}

/** `2026-11-22` */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
