/**
 * Says in StorageVersions in which version this server stores each built-in resource, and which it can read:
 * once at the start, and every ten minutes in case that an object was changed or removed. Until the first round
 * is through, clients write only what nothing migrates.
 *
 * Objects of servers that are gone are cleaned up by kube-controller-manager.
 *
 * In Kubernetes: apiserver/pkg/storageversion, apiserver/pkg/endpoints/filters/storageversion.go, and the hook
 * built-in-resources-storage-version-updater of kube-aggregator.
 */
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../api/generated/kinds/apiserverinternal-v1alpha1.ts';
import { items } from '../../api/json/go-values.ts';
import type { ResourceDefinition, ServedResource } from '../../api/kinds/resource-definition.ts';
import { sameValue } from '../../api/kinds/rules/same-value.ts';
import { type Clock, formatTime } from '../../api/meta/clock.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import { formatGroupResource, serviceUnavailable } from '../../api/meta/status.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { pathOf } from '../../streams/event.ts';
import type { Loopback } from '../loopback/loopback.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import { statusAnswer } from '../request/answer.ts';
import type { Faults } from '../request/faults.ts';
import type { AuthenticatedRequest, RequestInfo, UserInfo } from '../request/request.ts';

const GROUP = 'internal.apiserver.k8s.io';
const STORAGE = `${GROUP}/storageversions`;
const PATH = `/apis/${GROUP}/v1alpha1/storageversions`;
const EQUAL = 'AllEncodingVersionsEqual';
/** Against other servers that write the same object. */
const ATTEMPTS_MAX = 20;
const LOST_RACE_CODES = [404, 409];

/** What a server says of one resource. */
export interface StoredResource {
  /** '' for the core. */
  readonly group: string;
  readonly resource: string;
  /** `group/version`; `v1` in the core. */
  readonly encodingVersion: string;
  readonly decodableVersions: readonly string[];
  readonly servedVersions: readonly string[];
  /** All that show the same objects, as `group/resource`. */
  readonly names: readonly string[];
}

/** What is stored of those that are served, by group and resource; of several names the first. */
export function storedResources(served: Iterable<ServedResource>): StoredResource[] {
  const byStorage = new Map<string, ServedResource[]>();
  for (const one of served) {
    // What cannot be watched is answered and never stored.
    if (!one.facts.verbs.includes('watch')) continue;
    const { storage } = one.definition;
    byStorage.set(storage, [...(byStorage.get(storage) ?? []), one]);
  }
  const all = [...byStorage.values()].flatMap((versions) => {
    const [first] = versions.toSorted((one, other) =>
      compare(nameOf(one.facts), nameOf(other.facts)),
    );
    return first === undefined ? [] : [storedResource(first, versions)];
  });
  return all.toSorted((one, other) => compare(nameOf(one), nameOf(other)));
}

function storedResource(
  first: ServedResource,
  versions: readonly ServedResource[],
): StoredResource {
  const { group, resource } = first.facts;
  const own = versions.filter(({ facts }) => nameOf(facts) === nameOf(first.facts));
  const encodingVersion = apiVersionOf(first.definition);
  return {
    ...{ group, resource, encodingVersion },
    decodableVersions: unique([encodingVersion, ...versions.map(({ apiVersion }) => apiVersion)]),
    servedVersions: own.map(({ apiVersion }) => apiVersion),
    names: unique(versions.map(({ facts }) => nameOf(facts))),
  };
}

function apiVersionOf({ storageFacts: { group, version } }: ResourceDefinition): string {
  return group === '' ? version : `${group}/${version}`;
}

function nameOf({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): string {
  return `${group}/${resource}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function unique(all: readonly string[]): string[] {
  return [...new Set(all)];
}

export interface StorageVersionParts {
  readonly loopback: Loopback;
  readonly objects: Pick<ObjectView, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The name of this server's Lease. */
  readonly identity: string;
}

/** What one server says, and what waits for it. */
export class StorageVersions {
  readonly #resources: readonly StoredResource[];
  /** What has not been said yet, with the problem that was last in the way. */
  readonly #pending = new Map<string, string | undefined>();

  constructor(resources: readonly StoredResource[]) {
    this.#resources = resources;
    for (const { names } of resources) for (const name of names) this.#pending.set(name, undefined);
  }

  /** @returns why a request has to wait, in upstream's words; undefined: it may pass. */
  refusal(info: RequestInfo, user: UserInfo): string | undefined {
    if (this.#pending.size === 0 || isLetPass(info, user)) return undefined;
    const { apiGroup: group, resource } = info;
    const name = nameOf({ group, resource });
    if (!this.#pending.has(name)) return undefined;
    const about = formatGroupResource({ group, resource });
    const problem = this.#pending.get(name) ?? '<nil>';
    return `wait for storage version registration to complete for resource: ${about}, last seen error: ${problem}`;
  }

  /** Says what is stored of all resources. @throws Error where one of them could not be written. */
  async register(parts: StorageVersionParts): Promise<void> {
    const problems = await Promise.all(
      this.#resources.map(async (one) => {
        const problem = await write(one, parts);
        for (const name of one.names) {
          if (problem === undefined) this.#pending.delete(name);
          else if (this.#pending.has(name)) this.#pending.set(name, problem);
        }
        return problem;
      }),
    );
    const first = problems.find((one) => one !== undefined);
    if (first !== undefined) throw new Error(`StorageVersions could not be written: ${first}`);
  }
}

/** Reads, what StorageVersions themselves stand on, and what the server makes before there are any. */
function isLetPass({ isResourceRequest, verb, ...info }: RequestInfo, user: UserInfo): boolean {
  if (!isResourceRequest || verb === 'get' || verb === 'list' || verb === 'watch') return true;
  const { apiGroup, resource, namespace } = info;
  if (apiGroup === GROUP && resource === 'storageversions') return true;
  if (apiGroup === '' && resource === 'namespaces' && verb === 'create') {
    return user.name === 'system:apiserver' && user.groups.includes('system:masters');
  }
  return apiGroup === 'coordination.k8s.io' && resource === 'leases' && namespace === 'kube-system';
}

/** Answers 503 to what has to wait. Stands behind the filters, in front of all that writes. */
export function storageVersionBarrier(
  { versions, faults }: { readonly versions: StorageVersions; readonly faults: Faults },
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthenticatedRequest> {
  return {
    name: 'storage-version-precondition',

    receive(request) {
      const why = versions.refusal(request.info, request.user);
      if (why === undefined) passOn(next, request);
      else request.reply(statusAnswer(serviceUnavailable(why)));
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

/** @returns what is in the way. */
async function write(one: StoredResource, parts: StorageVersionParts): Promise<string | undefined> {
  const name = `${one.group === '' ? 'core' : one.group}.${one.resource}`;
  let message = '';
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const answer = await writeOnce(name, one, parts);
    if (answer === undefined) return undefined;
    message = answer.message;
    if (!LOST_RACE_CODES.includes(answer.code)) break;
  }
  return message;
}

interface Refusal {
  readonly code: number;
  readonly message: string;
}

async function writeOnce(
  name: string,
  one: StoredResource,
  { loopback, objects, clock, identity }: StorageVersionParts,
): Promise<Refusal | undefined> {
  const stored = objects.get(STORAGE, pathOf('', name));
  if (stored === undefined) {
    const body = {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'StorageVersion',
      metadata: { name },
      spec: {},
    };
    const refused = refusalIn(await loopback({ method: 'POST', path: PATH, body }));
    // Its status follows, in a write of its own.
    return refused ?? { code: 409, message: 'it was only made' };
  }
  const object = parsedObject(stored) as ObjectOf<StorageVersion>; // Stored as one.
  const status = withServer(object, { ...said(one), apiServerID: identity }, clock.now());
  if (sameValue(status, object.status)) return undefined;
  const path = `${PATH}/${name}/status`;
  return refusalIn(await loopback({ method: 'PUT', path, body: { ...object, status } }));
}

function said({
  encodingVersion,
  decodableVersions,
  servedVersions,
}: StoredResource): ServerStorageVersion {
  return {
    encodingVersion,
    decodableVersions: [...decodableVersions],
    servedVersions: [...servedVersions],
  };
}

/** The status with what one server says, and what follows for all. */
export function withServer(
  { metadata, status }: Pick<ObjectOf<StorageVersion>, 'metadata' | 'status'>,
  server: ServerStorageVersion,
  nowMs: number,
): StorageVersionStatus {
  const known = items(status.storageVersions);
  const at = known.findIndex(({ apiServerID }) => apiServerID === server.apiServerID);
  const all = at < 0 ? [...known, server] : known.with(at, server);
  const [first] = all;
  const common = all.every(({ encodingVersion }) => encodingVersion === first?.encodingVersion)
    ? first?.encodingVersion
    : undefined;
  const before = status.commonEncodingVersion;
  const hasChanged = before !== undefined && common !== undefined && before !== common;
  const generation = metadata.generation;
  const condition = conditionOf(common !== undefined, nowMs);
  if (generation !== undefined) condition.observedGeneration = generation;
  return {
    storageVersions: all,
    ...(common === undefined ? {} : { commonEncodingVersion: common }),
    conditions: withCondition(items(status.conditions), condition, hasChanged),
  };
}

function conditionOf(isEqual: boolean, nowMs: number): StorageVersionCondition {
  return {
    type: EQUAL,
    status: isEqual ? 'True' : 'False',
    lastTransitionTime: formatTime(nowMs),
    reason: isEqual ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
    message: isEqual ? 'Common encoding version set' : 'Common encoding version unset',
  };
}

/** @param isForced it counts as a transition though the status is the same. */
function withCondition(
  conditions: readonly StorageVersionCondition[],
  condition: StorageVersionCondition,
  isForced: boolean,
): StorageVersionCondition[] {
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const found = conditions[at];
  if (found === undefined) return [...conditions, condition];
  if (found.status !== condition.status || isForced) return conditions.with(at, condition);
  return conditions.with(at, { ...condition, lastTransitionTime: found.lastTransitionTime });
}

function refusalIn(answer: Awaited<ReturnType<Loopback>>): Refusal | undefined {
  if (answer.kind !== 'Status' || answer.status.code < 400) return undefined;
  return { code: answer.status.code, message: answer.status.message ?? '' };
}
