/**
 * Whether a kube-controller-manager is at work: then ours stand aside, since its controllers do the
 * same. It says so by the lease that it holds and renews.
 *
 * In Kubernetes: leader election of kube-controller-manager, client-go/tools/leaderelection.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../streams/event.ts';

const LEASES = 'coordination.k8s.io/leases';
const PATH = 'kube-system/kube-controller-manager';
const MS = 1_000;
const DURATION_SECONDS = 15;

export class ControllerManagerLease {
  readonly #objects: ObjectReads;
  readonly #clock: Clock;
  #seen: StoredObject | undefined;
  #heldUntilMs = 0;

  constructor(objects: ObjectReads, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Whether somebody holds it just now. */
  get isHeld(): boolean {
    const stored = this.#objects.get(LEASES, PATH);
    if (stored !== this.#seen) {
      this.#seen = stored;
      this.#heldUntilMs = stored === undefined ? 0 : heldUntil(parsedObject(stored));
    }
    return this.#clock.now() < this.#heldUntilMs;
  }
}

/** Milliseconds since 1970. */
function heldUntil(lease: JsonObject): number {
  const spec = objectAt(lease, 'spec');
  const renewedMs = Date.parse(stringAt(spec, 'renewTime'));
  if (stringAt(spec, 'holderIdentity') === '' || Number.isNaN(renewedMs)) return 0;
  const seconds = spec?.['leaseDurationSeconds'];
  return renewedMs + (typeof seconds === 'number' ? seconds : DURATION_SECONDS) * MS;
}
