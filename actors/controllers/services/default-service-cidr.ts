/**
 * Keeps the ServiceCIDR `kubernetes`, which says the ranges of --service-cluster-ip-range: made when it
 * is not there, widened where a second range has been added to the flag, and said to be ready. Where
 * the object says other ranges than the flag it stays as it is, and an Event tells so: addresses come
 * from the object.
 *
 * In Kubernetes: kubernetes/pkg/controlplane/controller/defaultservicecidr, which looks every ten
 * seconds where this one hears of changes.
 */
import type { ServiceCIDR } from '../../../api/generated/kinds/networking-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';
import { storedAt } from '../../../projections/objects/stored-kinds.ts';
import { pathOf } from '../../../streams/event.ts';
import type { Answer } from '../../request/answer.ts';
import { DEFAULT_CIDR, SERVICE_CIDRS } from '../../registry/services/service-cidrs.ts';
import { outcomeOf, type ControllerParts } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome } from '../work-queue.ts';
import {
  applyReadiness,
  readyConditionOf,
  SERVICE_CIDR_HEAD,
  SERVICE_CIDRS_URL,
} from './service-cidr-status.ts';
import { tellEvent } from './told-events.ts';

/** What {@link keepDefaultServiceCidr} works with. */
export interface DefaultServiceCidrParts extends Pick<
  ControllerParts,
  'loopback' | 'objects' | 'listen' | 'clock' | 'faults'
> {
  /** As the flag says them; the first one is that of services that ask for no family. */
  readonly ranges: readonly string[];
  /** Ends it: nothing is written any more. */
  readonly until: AbortSignal;
}

const NAME = 'kubernetes-service-cidr-controller';
const PATH = pathOf('', DEFAULT_CIDR);
const READY = {
  status: 'True',
  reason: '',
  message: 'Kubernetes default Service CIDR is ready',
} as const;
const ERROR = 'KubernetesDefaultServiceCIDRError';

/**
 * Resolves when it has been looked at once: a server is ready whatever comes of it, since the flag's
 * ranges stand in for an object that a webhook does not let be made. It is tried again until it is there.
 */
export async function keepDefaultServiceCidr(parts: DefaultServiceCidrParts): Promise<void> {
  const keeper = new Keeper(parts);
  const queue = startWorkQueue({ name: NAME, width: 1, work: () => keeper.look() }, parts);
  parts.until.addEventListener('abort', () => void queue.stop());
  parts.listen(({ resource, path }) => {
    if (resource === SERVICE_CIDRS && path === PATH) queue.add(DEFAULT_CIDR);
  });
  if ((await keeper.look()) === 'later') queue.add(DEFAULT_CIDR);
}

class Keeper {
  readonly #parts: DefaultServiceCidrParts;
  /** An Event tells each of these once. */
  readonly #told = new Set<string>();

  constructor(parts: DefaultServiceCidrParts) {
    this.#parts = parts;
  }

  async look(): Promise<WorkOutcome> {
    const { objects, loopback, ranges, until } = this.#parts;
    if (until.aborted) return 'done';
    if (objects.get(SERVICE_CIDRS, PATH) === undefined) {
      const metadata = { name: DEFAULT_CIDR };
      const body = { ...SERVICE_CIDR_HEAD, metadata, spec: { cidrs: [...ranges] } };
      const problem = problemOf(await loopback({ method: 'POST', path: SERVICE_CIDRS_URL, body }));
      if (problem !== undefined) return this.#failed(problem);
    }
    const cidr = storedAt(objects, 'networking.k8s.io/v1/servicecidrs', PATH);
    // Deleted in this moment, of which is heard.
    if (cidr === undefined) return 'done';
    const said = items(cidr.spec.cidrs);
    const isWidened = ranges.length === 2 && said.length === 1 && said[0] === ranges[0];
    return isWidened ? this.#widen(cidr) : this.#sayReady(cidr, said);
  }

  async #widen(cidr: ObjectOf<ServiceCIDR>): Promise<WorkOutcome> {
    const { loopback, ranges } = this.#parts;
    const [first = ''] = ranges;
    const body = { ...cidr, spec: { ...cidr.spec, cidrs: [...ranges] } };
    const answer = await loopback({
      method: 'PUT',
      path: `${SERVICE_CIDRS_URL}/${DEFAULT_CIDR}`,
      body,
    });
    const problem = problemOf(answer);
    if (problem === undefined) return 'done';
    const what = `from ${first} to dual stack [${ranges.join(' ')}] : ${problem}`;
    await this.#tell(cidr, ERROR, `The default ServiceCIDR can not be upgraded ${what}`);
    return 'later';
  }

  /** Where another says that it is not ready, or the flag says something else, that stays so. */
  async #sayReady(cidr: ObjectOf<ServiceCIDR>, said: readonly string[]): Promise<WorkOutcome> {
    const { ranges } = this.#parts;
    if (cidr.metadata.deletionTimestamp !== undefined) return 'done';
    if (said.join() !== ranges.join()) {
      const message = `The default ServiceCIDR [${said.join(' ')}] does not match the controller flag configurations [${ranges.join(' ')}]`;
      return this.#tellOnce(cidr, 'KubernetesDefaultServiceCIDRInconsistent', message);
    }
    const ready = readyConditionOf(cidr);
    if (ready?.status === 'True') return 'done';
    if (ready?.status === 'False') {
      const message = `Configuration matches, but ${ready.message}`;
      return this.#tellOnce(cidr, ready.reason, message);
    }
    const answer = await applyReadiness(this.#parts, DEFAULT_CIDR, NAME, READY);
    if (problemOf(answer) === undefined) return 'done';
    await this.#tell(cidr, ERROR, 'The default ServiceCIDR Status can not be set to Ready=True');
    return outcomeOf(answer);
  }

  #failed(problem: string): WorkOutcome {
    const error = new Error(`The default ServiceCIDR can not be created: ${problem}`);
    this.#parts.faults.record('making the default ServiceCIDR', error);
    return 'later';
  }

  async #tellOnce(
    cidr: ObjectOf<ServiceCIDR>,
    reason: string,
    message: string,
  ): Promise<WorkOutcome> {
    if (this.#told.has(reason)) return 'done';
    this.#told.add(reason);
    await this.#tell(cidr, reason, message);
    return 'done';
  }

  async #tell(cidr: ObjectOf<ServiceCIDR>, reason: string, message: string): Promise<void> {
    const about = { ...SERVICE_CIDR_HEAD, metadata: cidr.metadata };
    await tellEvent(this.#parts, { component: NAME, about, reason, message });
  }
}

/** Why it was refused; undefined where it was not, and where another server was first. */
function problemOf(answer: Answer): string | undefined {
  if (answer.kind !== 'Status' || answer.status.code < 400) return undefined;
  return answer.status.reason === 'AlreadyExists' ? undefined : (answer.status.message ?? '');
}
