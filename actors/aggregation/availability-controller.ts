/**
 * Keeps the condition `Available` of APIServices. One that names a service is looked at when it, its
 * service or the endpoints of that change, when a request does not reach its server, and every 30 seconds.
 *
 * The surprise: every server of a log does this. A server writes what it has found about the version that
 * it has seen, so of several that find the same the first one writes; and what another server has
 * written contradicting it stays for a while, so that two which cannot agree do not write by turns.
 *
 * In Kubernetes: AvailableConditionController, kube-aggregator/pkg/controllers/status/{remote,local}.
 */
import type {
  APIService,
  APIServiceCondition,
} from '../../api/generated/kinds/apiregistration-v1.ts';
import { type Clock, formatTime } from '../../api/meta/clock.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { storedAt, storedKind } from '../../projections/objects/stored-kinds.ts';
import {
  type CommittedEvent,
  nameOf,
  namespaceOf,
  pathOf,
  type StoredObject,
} from '../../streams/event.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../controllers/work-queue.ts';
import type { Loopback } from '../loopback/loopback.ts';
import type { Faults } from '../request/faults.ts';
import type { AggregatedServers } from './aggregated-servers.ts';
import { availableCondition, type AggregatedServices } from './aggregated-services.ts';
import { type Availability, availabilityOf, LOCAL, statusSaying } from './availability.ts';
import type { AvailabilityMeters } from './availability-meters.ts';

export interface AvailabilityParts {
  readonly services: AggregatedServices;
  readonly servers: AggregatedServers;
  readonly loopback: Loopback;
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
  /** Tells of every change that takes effect from now on, when all views show it. */
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'record'>;
  readonly meters: AvailabilityMeters;
}

const API_SERVICES = 'apiregistration.k8s.io/apiservices';
const SERVICES = 'core/services';
const SLICES = 'discovery.k8s.io/endpointslices';
const SERVICE_LABEL = 'kubernetes.io/service-name';
const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
const LOOK_EVERY_MS = 30_000;
const RETRY_MAX_MS = 30_000;
/** How long another server's word stands against what this one goes on to find. */
const OTHERS_WORD_MS = 25_000;

/** Starts looking. @returns ends it: nothing is written any more. */
export function startAvailability(parts: AvailabilityParts): { stop(): Promise<void> } {
  const keeper = new AvailabilityKeeper(parts);
  keeper.begin();
  return keeper;
}

/** What this server has found and written of one APIService. */
interface Known {
  readonly status: Availability['status'];
  /** As it stands in the condition. */
  readonly word: string;
  /** Of the APIService as this server has written it, or seen it unwritten. */
  readonly version: string;
}

class AvailabilityKeeper {
  readonly #parts: AvailabilityParts;
  readonly #queue: WorkQueue;
  readonly #known = new Map<string, Known>();
  /** When the condition of each has changed last, by the clock of this server. */
  readonly #saidAt = new Map<string, number>();
  readonly #ends: (() => void)[] = [];
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
    // A server that hangs holds up no look at another one.
    const width = Number.POSITIVE_INFINITY;
    const work = (name: string): Promise<WorkOutcome> => this.#look(name);
    const queued = { name: 'api-service-availability', width, work, delayMaxMs: RETRY_MAX_MS };
    this.#queue = startWorkQueue(queued, parts);
  }

  begin(): void {
    const { listen, servers } = this.#parts;
    listen((event) => {
      this.#hear(event);
    });
    this.#ends.push(servers.whenFailed((name) => this.#queue.add(name)));
    this.#lookAtAll();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    for (const end of this.#ends) end();
    return this.#queue.stop();
  }

  #lookAtAll(): void {
    const { services, clock } = this.#parts;
    for (const { name } of services.registered()) this.#queue.add(name);
    this.#cancel = clock.after(LOOK_EVERY_MS, () => {
      this.#lookAtAll();
    });
  }

  #hear({ resource, path, object, previous }: CommittedEvent): void {
    if (this.#isStopped) return;
    if (resource === API_SERVICES) {
      const isSaid = previous !== undefined && storedWord(previous) !== storedWord(object);
      if (isSaid) this.#saidAt.set(nameOf(path), this.#parts.clock.now());
      this.#queue.add(nameOf(path));
    } else if (resource === SERVICES) this.#serviceChanged(namespaceOf(path), nameOf(path));
    else if (resource === SLICES) {
      this.#serviceChanged(namespaceOf(path), object.labels?.[SERVICE_LABEL] ?? '');
    }
  }

  #serviceChanged(namespace: string, name: string): void {
    for (const { service, name: apiService } of this.#parts.services.all()) {
      if (service.namespace === namespace && service.name === name) this.#queue.add(apiService);
    }
  }

  async #look(name: string): Promise<WorkOutcome> {
    const { services, meters } = this.#parts;
    const registered = services.registered().find((one) => one.name === name);
    if (registered === undefined) {
      this.#known.delete(name);
      this.#saidAt.delete(name);
      meters.forget(name);
      return 'done';
    }
    const { uid, aggregated } = registered;
    if (aggregated === undefined) return await this.#say(name, uid, LOCAL);
    const availability = await availabilityOf(aggregated, this.#parts);
    if (this.#isStopped) return 'done';
    const outcome = await this.#say(name, uid, availability);
    return availability.reason === 'FailedDiscoveryCheck' ? 'later' : outcome;
  }

  async #say(name: string, uid: string, availability: Availability): Promise<WorkOutcome> {
    const { objects, clock, meters, loopback } = this.#parts;
    const current = storedAt(objects, 'apiregistration.k8s.io/v1/apiservices', pathOf('', name));
    // Another one of that name is heard of, and looked at.
    if (current?.metadata.uid !== uid) return 'done';
    const status = statusSaying(current.status, availability, formatTime(clock.now()));
    meters.found(name, availability.status === 'True');
    const { resourceVersion = '' } = current.metadata;
    const found = { status: availability.status, word: wordOf(availability) };
    const isOthers = this.#isAnothersWord(current, availability);
    if (status === undefined || isOthers) {
      if (!isOthers) this.#known.set(name, { ...found, version: resourceVersion });
      return 'done';
    }
    const body = { ...current, status };
    const answer = await loopback({ method: 'PUT', path: `${PATH}/${name}/status`, body });
    if (answer.kind === 'Object') {
      if (availability.status === 'False' && availableCondition(current)?.status === 'True') {
        meters.becameUnavailable(name, availability.reason);
      }
      const version = String(answer.object.resourceVersion);
      this.#known.set(name, { ...found, version });
      return 'done';
    }
    // What overtook it is heard of, and looked at.
    const code = answer.kind === 'Status' ? answer.status.code : 500;
    return code === 404 || code === 409 ? 'done' : 'later';
  }

  /**
   * Whether another server has said something else a moment ago, of which this one had found already what
   * it finds now; or has the same to say in other words.
   */
  #isAnothersWord(current: ObjectOf<APIService>, availability: Availability): boolean {
    const { name = '', resourceVersion = '' } = current.metadata;
    const saidAt = this.#saidAt.get(name);
    if (saidAt === undefined || this.#parts.clock.now() - saidAt >= OTHERS_WORD_MS) return false;
    const condition = availableCondition(current);
    if (condition === undefined) return false;
    const known = this.#known.get(name);
    // Its own word is not another's: a client that changes what an APIService names is told at once.
    if (known?.word === wordOf(condition)) return false;
    const { status, reason } = availability;
    if (condition.status === status && condition.reason === reason) return true;
    return known !== undefined && known.version !== resourceVersion && known.status === status;
  }
}

const readApiService = storedKind('apiregistration.k8s.io/v1/apiservices');

function storedWord(stored: StoredObject): string {
  const condition = availableCondition(readApiService(stored));
  return condition === undefined ? '' : wordOf(condition);
}

/** Of a condition as it is stored, or as it was found. */
function wordOf({ status, reason, message }: APIServiceCondition | Availability): string {
  return [status, reason, message].join(' ');
}
