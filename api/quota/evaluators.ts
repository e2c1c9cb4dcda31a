/**
 * What of a quota each resource uses: pods, services and claims in their own ways, everything else
 * by being there.
 *
 * In Kubernetes: pkg/quota/v1/evaluator/core, and NewObjectCountEvaluator of apiserver/pkg/quota.
 */
import type { PersistentVolumeClaim, Pod, Service } from '../generated/kinds/core-v1.ts';
import type { ResourceClaim } from '../generated/kinds/resource-v1.ts';
import type { KubeObject, ObjectOf } from '../meta/object-meta.ts';
import { ONE, type Amounts } from './amounts.ts';
import {
  deviceClaimUsage,
  isDeviceClaimResource,
  type DeviceClaimWorld,
} from './device-claim-usage.ts';
import { isPodResource, podConstraints, podExpiry, podUsage } from './pod-usage.ts';
import { claimScopes, NO_SCOPES, podScopes, type ScopeFacts } from './quota-scopes.ts';
import { serviceUsage, SERVICE_RESOURCES } from './service-usage.ts';
import { isVolumeClaimResource, volumeClaimUsage } from './volume-claim-usage.ts';

/** What is done to an object; the old one is there for an update. */
export interface QuotaWrite<Kind = KubeObject> {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly subresource: string;
  readonly object: Kind;
  readonly oldObject: Kind | undefined;
}

/**
 * What counts the objects of one resource, which {@link QuotaEvaluators} names. It is given objects in
 * the form of their type, of its kind only.
 */
export interface QuotaEvaluator<Kind = KubeObject> {
  /** Whether objects of this resource use what is called that in a quota. */
  counts(name: string): boolean;
  /** Whether a write there may use more than before, as far as that can be told without the object. */
  mayHandle(operation: 'CREATE' | 'UPDATE', subresource: string): boolean;
  /** Whether the write can change what is used. */
  handles(write: QuotaWrite<Kind>): boolean;
  /** @param now milliseconds since 1970. */
  usage(object: Kind, now: number): Amounts;
  /** Milliseconds since 1970 behind which the object uses something else; undefined: that is not so. */
  expiry(object: Kind): number | undefined;
  /** What the scopes of quotas ask about the object. */
  scopes(object: Kind): ScopeFacts;
  /** What the object must say where a quota counts these, and does not; ''. */
  constraints(names: readonly string[], object: Kind): string;
  /** What each object uses, whatever it says: it need not be read. undefined: that depends. */
  readonly each: Amounts | undefined;
}

const none = (): string => '';
const always = (): boolean => true;
const never = (): undefined => undefined;
const noScopes = (): ScopeFacts => NO_SCOPES;

const PODS: QuotaEvaluator<ObjectOf<Pod>> = {
  counts: isPodResource,
  mayHandle: (operation, subresource) =>
    subresource === '' || (subresource === 'resize' && operation === 'UPDATE'),
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === 'resize' || operation === 'CREATE') return true;
    const isTerminating = (pod: Pod) => podScopes(pod).plain.has('Terminating');
    return oldObject !== undefined && isTerminating(object) !== isTerminating(oldObject);
  },
  usage: podUsage,
  expiry: podExpiry,
  scopes: podScopes,
  constraints: podConstraints,
  each: undefined,
};

const SERVICES: QuotaEvaluator<ObjectOf<Service>> = {
  counts: (name) => SERVICE_RESOURCES.has(name),
  mayHandle: (_operation, subresource) => subresource === '',
  handles: always,
  usage: serviceUsage,
  expiry: never,
  scopes: noScopes,
  constraints: none,
  each: undefined,
};

const VOLUME_CLAIMS: QuotaEvaluator<ObjectOf<PersistentVolumeClaim>> = {
  counts: isVolumeClaimResource,
  mayHandle: (_operation, subresource) => subresource === '' || subresource === 'status',
  // Upstream means to leave out a status that changes nothing of it, and leaves out none.
  handles: always,
  usage: volumeClaimUsage,
  expiry: never,
  scopes: claimScopes,
  constraints: none,
  each: undefined,
};

function deviceClaims(world: DeviceClaimWorld): QuotaEvaluator<ObjectOf<ResourceClaim>> {
  return {
    counts: (name) => isDeviceClaimResource(name, world),
    mayHandle: (_operation, subresource) => subresource === '',
    handles: always,
    usage: (claim, now) => deviceClaimUsage(claim, now, world),
    expiry(claim) {
      const pod = world.podOf(claim);
      return pod === undefined ? undefined : podExpiry(pod);
    },
    scopes: noScopes,
    constraints: none,
    each: undefined,
  };
}

/** What quotas called them before anything could be counted. */
const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['core/configmaps', 'configmaps'],
  ['core/resourcequotas', 'resourcequotas'],
  ['core/replicationcontrollers', 'replicationcontrollers'],
  ['core/secrets', 'secrets'],
]);
const OF_OLD_NAMES: ReadonlyMap<string, string> = new Map(
  [...OLD_NAMES].map(([resource, name]) => [name, resource]),
);
const CORE = 'core/';
const COUNT = 'count/';
/**
 * What no quota counts: what is never stored, and events.
 *
 * In Kubernetes: DefaultIgnoredResources, pkg/quota/v1/install.
 */
const IGNORED: ReadonlySet<string> = new Set([
  'core/bindings',
  'core/componentstatuses',
  'core/events',
  'events.k8s.io/events',
  'authentication.k8s.io/tokenreviews',
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
]);

const counting = new Map<string, QuotaEvaluator>();

/** What counts what, in a world. */
export class QuotaEvaluators {
  readonly #special: ReadonlyMap<string, QuotaEvaluator>;

  constructor(world: DeviceClaimWorld) {
    this.#special = new Map<string, QuotaEvaluator>([
      ['core/pods', PODS],
      ['core/services', SERVICES],
      ['core/persistentvolumeclaims', VOLUME_CLAIMS],
      ['resource.k8s.io/resourceclaims', deviceClaims(world)],
    ]);
  }

  /** @param resource `core/pods`, `apps/deployments`. @returns undefined: no quota counts it. */
  of(resource: string): QuotaEvaluator | undefined {
    if (IGNORED.has(resource)) return undefined;
    const found = this.#special.get(resource) ?? counting.get(resource);
    if (found !== undefined) return found;
    const made = countOf(resource);
    counting.set(resource, made);
    return made;
  }

  /** The resources whose objects use what is called that in a quota. */
  counting(name: string): readonly string[] {
    const special = [...this.#special].filter(([, one]) => one.counts(name)).map(([one]) => one);
    if (special.length > 0) return special;
    const old = OF_OLD_NAMES.get(name);
    if (old !== undefined) return [old];
    if (!name.startsWith(COUNT)) return [];
    const resource = countedResource(name.slice(COUNT.length));
    return IGNORED.has(resource) || this.#special.has(resource) ? [] : [resource];
  }
}

/** `deployments.apps` → `apps/deployments`. */
function countedResource(text: string): string {
  const dot = text.indexOf('.');
  return dot < 0 ? CORE + text : `${text.slice(dot + 1)}/${text.slice(0, dot)}`;
}

function countOf(resource: string): QuotaEvaluator {
  const [group = '', plural = ''] = resource.split('/');
  const name = resource.startsWith(CORE) ? COUNT + plural : `${COUNT}${plural}.${group}`;
  const oldName = OLD_NAMES.get(resource);
  const names = oldName === undefined ? [name] : [name, oldName];
  const usage: Amounts = new Map(names.map((one) => [one, ONE]));
  return {
    counts: (one) => usage.has(one),
    mayHandle: (operation, subresource) => operation === 'CREATE' && subresource === '',
    handles: always,
    usage: () => usage,
    expiry: never,
    scopes: noScopes,
    constraints: none,
    each: usage,
  };
}
