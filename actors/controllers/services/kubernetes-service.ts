/**
 * Keeps the service `kubernetes` in the namespace `default`, by which members of the cluster reach the
 * API: the Service itself, which is made when it is not there and left alone otherwise, and Endpoints and
 * an EndpointSlice of the servers that are there.
 *
 * In Kubernetes: kubernetes/pkg/controlplane/controller/kubernetesservice, which looks every ten seconds.
 */
import type { Endpoints } from '../../../api/generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { items } from '../../../api/json/go-values.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';
import { storedAt, storageOf } from '../../../projections/objects/stored-kinds.ts';
import { pathOf } from '../../../streams/event.ts';
import type { LoopbackRequest } from '../../loopback/loopback.ts';
import type { ControllerParts } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';
import {
  addressesWithout,
  countedAddresses,
  sliceFor,
  subsetsFor,
} from './kubernetes-endpoints.ts';
import { ROUND_MS, type ServerPresence } from './server-presence.ts';

/** How the addresses of several servers come together; see --endpoint-reconciler-type. */
export type EndpointReconciler =
  | { readonly type: 'lease'; readonly presence: ServerPresence }
  | { readonly type: 'master-count'; readonly count: number }
  | { readonly type: 'none' };

/** What {@link KubernetesService} works with. */
export interface KubernetesServiceParts extends Pick<
  ControllerParts,
  'loopback' | 'objects' | 'listen' | 'clock' | 'faults'
> {
  /** The first address of the services' range. */
  readonly clusterIp: string;
  /** 0: the service has none. */
  readonly nodePort: number;
  /** By which members of the cluster reach this server. */
  readonly address: string;
  /** At that address. */
  readonly port: number;
  readonly reconciler: EndpointReconciler;
  /** Whether clients may be sent to this server. */
  readonly isReady: () => boolean;
}

const NAME = 'kubernetes';
const NAMESPACE = 'default';
const PATH = pathOf(NAMESPACE, NAME);
const HTTPS_PORT = 443;
const READY_POLL_MS = 100;
const STOP_MS = 20_000;
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const SLICES = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const KEPT = new Set(
  (['v1/services', 'v1/endpoints', 'discovery.k8s.io/v1/endpointslices'] as const).map(storageOf),
);

/** Of the main control plane. */
export class KubernetesService {
  readonly #parts: KubernetesServiceParts;
  readonly #queue: WorkQueue;
  #cancel: () => void = () => undefined;
  #isServing = false;
  #isStopped = false;
  /** Another start may have been told another port. */
  #correctsPort = true;
  /** What went wrong last is told once, not every ten seconds. */
  #problem: string | undefined;

  constructor(parts: KubernetesServiceParts) {
    this.#parts = parts;
    const work = (): Promise<WorkOutcome> => this.#look();
    this.#queue = startWorkQueue({ name: 'kubernetes-service', width: 1, work }, parts);
  }

  /** Resolves when the Service has been looked at once; its endpoints follow when the server is ready. */
  async start(): Promise<void> {
    const { listen } = this.#parts;
    listen(({ type, resource, path }) => {
      if (type === 'deleted' && path === PATH && KEPT.has(resource)) this.#queue.add(NAME);
    });
    await this.#makeService();
    this.#awaitReady();
  }

  /** Takes this server out of the endpoints, and writes nothing from then on. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancel();
    await this.#queue.stop();
    if (!this.#isServing) return;
    // A log that cannot be reached holds up no shutdown.
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.after(STOP_MS, resolve);
    });
    await Promise.race([this.#leave(), late]);
    cancel();
  }

  #awaitReady(): void {
    const { clock, isReady } = this.#parts;
    const look = (): void => {
      if (!isReady()) {
        this.#cancel = clock.after(READY_POLL_MS, look);
        return;
      }
      this.#isServing = true;
      this.#round();
    };
    look();
  }

  #round(): void {
    this.#queue.add(NAME);
    this.#cancel = this.#parts.clock.after(ROUND_MS, () => {
      this.#round();
    });
  }

  async #look(): Promise<WorkOutcome> {
    if (this.#isStopped) return 'done';
    const { reconciler } = this.#parts;
    await this.#makeService();
    if (!this.#isServing) return 'done';
    if (reconciler.type === 'lease') await reconciler.presence.renew();
    await this.#writeEndpoints(this.#addresses());
    return 'done';
  }

  #addresses(): readonly string[] {
    const { reconciler, address } = this.#parts;
    if (reconciler.type === 'lease') return reconciler.presence.addresses();
    if (reconciler.type === 'none') return [];
    return countedAddresses(this.#subsets(), address, reconciler.count);
  }

  #subsets() {
    return items(storedAt(this.#parts.objects, 'v1/endpoints', PATH)?.subsets);
  }

  async #leave(): Promise<void> {
    const { reconciler, address, objects } = this.#parts;
    if (reconciler.type === 'lease') await reconciler.presence.leave();
    if (objects.get(storageOf('v1/endpoints'), PATH) === undefined) return;
    const left =
      reconciler.type === 'lease'
        ? reconciler.presence.addresses()
        : addressesWithout(this.#subsets(), address);
    if (reconciler.type !== 'none') await this.#writeEndpoints(left, true);
  }

  async #makeService(): Promise<void> {
    const { objects, clusterIp, nodePort, port } = this.#parts;
    if (objects.get(storageOf('v1/services'), PATH) !== undefined) return;
    const ports = [
      {
        ...{ name: 'https', protocol: 'TCP', port: HTTPS_PORT, targetPort: port },
        ...(nodePort === 0 ? {} : { nodePort }),
      },
    ];
    const labels = { component: 'apiserver', provider: 'kubernetes' };
    const body: JsonObject = {
      ...{ kind: 'Service', apiVersion: 'v1' },
      metadata: { name: NAME, namespace: NAMESPACE, labels },
      spec: {
        ...{ ports, clusterIP: clusterIp, ipFamilyPolicy: 'SingleStack', sessionAffinity: 'None' },
        type: nodePort === 0 ? 'ClusterIP' : 'NodePort',
      },
    };
    await this.#write('the service kubernetes', {
      ...{ method: 'POST', path: `${CORE}/services`, body },
    });
  }

  async #writeEndpoints(addresses: readonly string[], isLast = false): Promise<void> {
    const { objects, port, reconciler } = this.#parts;
    if (reconciler.type === 'none' || (addresses.length === 0 && !isLast)) return;
    const current = storedAt(objects, 'v1/endpoints', PATH);
    const correctsPort = this.#correctsPort || isLast;
    const subsets = subsetsFor(items(current?.subsets), { addresses, port, correctsPort });
    const isUnmirrored = current?.metadata.labels?.[SKIP_MIRROR] === 'true';
    const next = endpointsOf(current, subsets ?? items(current?.subsets));
    if (subsets !== undefined || !isUnmirrored) {
      const request: LoopbackRequest =
        current === undefined
          ? { method: 'POST', path: `${CORE}/endpoints`, body: { ...next } }
          : { method: 'PUT', path: `${CORE}/endpoints/${NAME}`, body: { ...next } };
      if (!(await this.#write('the endpoints of kubernetes', request))) return;
    }
    this.#correctsPort = false;
    await this.#writeSlice(next);
  }

  async #writeSlice(endpoints: ObjectOf<Endpoints>): Promise<void> {
    const { labels, ...content } = sliceFor(endpoints);
    const current = storedAt(this.#parts.objects, 'discovery.k8s.io/v1/endpointslices', PATH);
    const what = 'the endpoint slice of kubernetes';
    const head = { kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1' };
    const metadata = { name: NAME, namespace: NAMESPACE, labels };
    const body: JsonObject = { ...head, metadata, ...content };
    const isOther = current !== undefined && current.addressType !== content.addressType;
    // A slice does not change its family.
    if (isOther) await this.#write(what, { method: 'DELETE', path: `${SLICES}/${NAME}` });
    if (current === undefined || isOther) {
      await this.#write(what, { method: 'POST', path: SLICES, body });
      return;
    }
    const isRight =
      sameValue(current.endpoints, content.endpoints) &&
      sameValue(current.ports, content.ports) &&
      sameValue(current.metadata.labels, labels);
    if (!isRight) await this.#write(what, { method: 'PUT', path: `${SLICES}/${NAME}`, body });
  }

  /** Whether it is written; what was refused is tried again with the next round. */
  async #write(what: string, request: LoopbackRequest): Promise<boolean> {
    const answer = await this.#parts.loopback(request);
    const isRefused = answer.kind === 'Status' && answer.status.code >= 400;
    // Another server or client was first, and what it wrote is looked at in the next round.
    if (!isRefused || answer.status.code === 404 || answer.status.code === 409) {
      if (!isRefused) this.#problem = undefined;
      return !isRefused;
    }
    const problem = `${what}: ${answer.status.message ?? ''}`;
    if (problem !== this.#problem) {
      this.#parts.faults.record('keeping the service kubernetes', new Error(problem));
    }
    this.#problem = problem;
    return false;
  }
}

function endpointsOf(
  current: ObjectOf<Endpoints> | undefined,
  subsets: Endpoints['subsets'],
): ObjectOf<Endpoints> {
  const metadata = current?.metadata ?? { name: NAME, namespace: NAMESPACE };
  const labels = { ...metadata.labels, [SKIP_MIRROR]: 'true' };
  const head = { kind: 'Endpoints', apiVersion: 'v1' } as const;
  return { ...head, metadata: { ...metadata, labels }, subsets: subsets ?? [] };
}
