/**
 * Makes a trace of the changes of a log: what of the chosen kinds was applied and deleted, second by second,
 * and how long the pods of each object ran. An object whose owner is in the trace is left out, because a
 * simulation makes it again, and so is what belongs to a DaemonSet.
 *
 * Unlike SimKube's own tracer it also sees changes that leave the spec alone, as of labels or of a ConfigMap.
 *
 * In SimKube: TraceStore, sk-tracer/src/store.rs; PodLifecycleData, sk-core/src/k8s/pod_lifecycle.rs.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import {
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
} from '../../../api/json/json.ts';
import { objectOf } from '../../../projections/past/object-revisions.ts';
import type { LoggedChange } from '../../../streams/event.ts';
import { specHash } from './spec-hash.ts';
import type { PodLife, PodLives, Trace, TraceEvent } from './trace.ts';

/** Where in the objects of a kind their pods are described, as SimKube has it. */
export const POD_PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['apps/v1.DaemonSet', ['/spec/template']],
  ['apps/v1.Deployment', ['/spec/template']],
  ['apps/v1.ReplicaSet', ['/spec']],
  ['apps/v1.StatefulSet', ['/spec/template']],
  ['batch/v1.CronJob', ['/spec/jobTemplate/spec/template']],
  ['batch/v1.Job', ['/spec/template']],
  ['v1.Pod', ['']],
]);

/** As a log has them. */
export const POD_RESOURCES: ReadonlySet<string> = new Set([
  'apps/daemonsets',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'batch/cronjobs',
  'batch/jobs',
  'core/pods',
]);

/** `apps/v1.Deployment`, as SimKube names the kind of an object. */
export function traceKind(object: JsonObject): string {
  return `${stringAt(object, 'apiVersion')}.${stringAt(object, 'kind')}`;
}

interface Tracked {
  readonly kind: string;
  /** `<namespace>/<name>` */
  readonly name: string;
  readonly text: string;
}

interface Pod {
  readonly owner: Tracked;
  readonly hash: bigint;
  readonly start: number;
  readonly end: number | undefined;
}

export class TraceRecorder {
  readonly #from: number;
  readonly #chooses: (event: LoggedChange) => boolean;
  readonly #events: { ts: number; applied: JsonObject[]; deleted: JsonObject[] }[];
  readonly #index = new Map<string, Map<string, bigint>>();
  /** By uid, those in the trace that are there. */
  readonly #tracked = new Map<string, Tracked>();
  /** By uid, the uids of the owners of every object that can own pods or be owned on the way. */
  readonly #owners = new Map<string, readonly string[]>();
  /** By uid, those that have run. */
  readonly #pods = new Map<string, Pod>();

  /**
   * @param from seconds since 1970; what is told of before is the state in which the trace begins.
   * @param chooses what is to be in the trace, where its owner is not.
   */
  constructor(from: number, chooses: (event: LoggedChange) => boolean) {
    this.#from = from;
    this.#chooses = chooses;
    this.#events = [{ ts: from, applied: [], deleted: [] }];
  }

  /** The next change. @param isBefore it made the state in which the trace begins. */
  add(event: LoggedChange, isBefore: boolean): void {
    const object = objectOf(event);
    const ts = isBefore ? this.#from : Math.max(this.#from, Math.floor(event.time / 1_000));
    const isPod = event.resource === 'core/pods';
    if (event.type !== 'deleted') this.#owners.set(event.uid, ownersIn(object));
    if (this.#chooses(event)) this.#note(event, object, ts);
    if (isPod) this.#notePod(event, object, ts);
    if (event.type !== 'deleted') return;
    this.#owners.delete(event.uid);
    this.#tracked.delete(event.uid);
  }

  #note(event: LoggedChange, object: JsonObject, ts: number): void {
    const before = this.#tracked.get(event.uid);
    const plain = traceObject(object);
    if (event.type === 'deleted') {
      if (before !== undefined) this.#at(ts).deleted.push(plain);
      return;
    }
    if (before === undefined && this.#isMadeByOwner(event.uid, object)) return;
    const text = formatJson(plain);
    if (before?.text === text) return;
    const kind = traceKind(object);
    const name = event.path;
    this.#tracked.set(event.uid, { kind, name, text });
    const names = this.#index.get(kind) ?? new Map<string, bigint>();
    this.#index.set(kind, names.set(name, specHash(plain['spec'])));
    this.#at(ts).applied.push(plain);
  }

  #isMadeByOwner(uid: string, object: JsonObject): boolean {
    const owners = listAt(objectAt(object, 'metadata'), 'ownerReferences').filter(isJsonObject);
    if (owners.some((owner) => stringAt(owner, 'kind') === 'DaemonSet')) return true;
    return this.#ownerOf(uid) !== undefined;
  }

  /** The nearest of its owners that is in the trace. */
  #ownerOf(uid: string, seen = new Set<string>()): Tracked | undefined {
    for (const owner of this.#owners.get(uid) ?? []) {
      if (seen.has(owner)) continue;
      seen.add(owner);
      const found = this.#tracked.get(owner) ?? this.#ownerOf(owner, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #notePod(event: LoggedChange, object: JsonObject, ts: number): void {
    const before = this.#pods.get(event.uid);
    const life = lifeOf(object);
    const start = before?.start ?? life?.[0];
    const owner = before?.owner ?? this.#tracked.get(event.uid) ?? this.#ownerOf(event.uid);
    if (start === undefined || owner === undefined) return;
    const end = before?.end ?? life?.[1] ?? (event.type === 'deleted' ? ts : undefined);
    const hash = before?.hash ?? specHash(stableSpec(object));
    this.#pods.set(event.uid, { owner, hash, start, end });
  }

  #at(ts: number): { applied: JsonObject[]; deleted: JsonObject[] } {
    const last = this.#events.at(-1);
    // Clocks of several servers can differ: time does not run backwards in a trace.
    if (last !== undefined && (last.ts >= ts || this.#events.length === 0)) return last;
    const next = { ts, applied: [], deleted: [] };
    this.#events.push(next);
    return next;
  }

  /** @param to the second in which the trace ends. */
  trace(to: number): Trace {
    const events: TraceEvent[] = [...this.#events];
    // So that a simulation does not end with its last change.
    if ((events.at(-1)?.ts ?? to) < to) events.push({ ts: to, applied: [], deleted: [] });
    const kinds = [...this.#index.keys()].filter((kind) => POD_PATHS.has(kind));
    const tracked = new Map(kinds.map((kind) => [kind, POD_PATHS.get(kind) ?? []]));
    return { tracked, events, index: this.#index, lives: this.#livesUntil(to) };
  }

  #livesUntil(to: number): PodLives[] {
    const byOwner = new Map<string, PodLives & { readonly byHash: Map<bigint, PodLife[]> }>();
    const pods = [...this.#pods.values()].sort((one, other) => one.start - other.start);
    for (const { owner, hash, start, end } of pods) {
      if (start > to || (end ?? to) < this.#from) continue;
      const key = `${owner.kind} ${owner.name}`;
      const { kind, name } = owner;
      const lives = byOwner.get(key) ?? { kind, name, byHash: new Map<bigint, PodLife[]>() };
      byOwner.set(key, lives);
      const first = Math.max(start, this.#from);
      const life: PodLife = end === undefined ? [first] : [first, end];
      lives.byHash.set(hash, [...(lives.byHash.get(hash) ?? []), life]);
    }
    return [...byOwner.values()];
  }
}

function ownersIn(object: JsonObject): readonly string[] {
  const owners = listAt(objectAt(object, 'metadata'), 'ownerReferences').filter(isJsonObject);
  return owners.map((owner) => stringAt(owner, 'uid'));
}

const SERVER_METADATA: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'uid',
]);
const TOOL_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
]);

/** The object as a trace has it: with its owners, without a status and what its server gave it. */
function traceObject(object: JsonObject): JsonObject {
  const { metadata, status: _, ...rest } = object;
  const kept = Object.entries(isJsonObject(metadata) ? metadata : {}).filter(
    ([key]) => !SERVER_METADATA.has(key),
  );
  const own = Object.fromEntries(kept);
  const annotations = Object.entries(objectAt(own, 'annotations') ?? {}).filter(
    ([key]) => !TOOL_ANNOTATIONS.has(key),
  );
  return { ...rest, metadata: { ...own, annotations: Object.fromEntries(annotations) } };
}

/** From the first start of a container to the last end, once all have ended; undefined: none has started. */
function lifeOf(pod: JsonObject): PodLife | undefined {
  const status = objectAt(pod, 'status');
  const main = listAt(status, 'containerStatuses').filter(isJsonObject);
  const all = [...listAt(status, 'initContainerStatuses').filter(isJsonObject), ...main];
  const starts = all.flatMap((one) => secondsAt(one, 'startedAt'));
  if (starts.length === 0) return undefined;
  const start = Math.min(...starts);
  const isOver = main.length > 0 && main.every((one) => secondsAt(one, 'finishedAt').length > 0);
  const containers = listAt(objectAt(pod, 'spec'), 'containers').length;
  if (!isOver || main.length !== containers) return [start];
  return [start, Math.max(...all.flatMap((one) => secondsAt(one, 'finishedAt')))];
}

function secondsAt(status: JsonObject, key: 'startedAt' | 'finishedAt'): number[] {
  const state = objectAt(status, 'state');
  const times = ['running', 'terminated'].map((name) => stringAt(objectAt(state, name), key));
  return times.map((time) => Date.parse(time) / 1_000).filter((second) => !Number.isNaN(second));
}

/** What the pods of one owner have in common. */
function stableSpec(pod: JsonObject): JsonObject {
  const {
    nodeName: _node,
    serviceAccount: _old,
    serviceAccountName: _account,
    ...spec
  } = objectAt(pod, 'spec') ?? {};
  const containers = listAt(spec, 'containers').filter(isJsonObject);
  const inits = listAt(spec, 'initContainers').filter(isJsonObject);
  return {
    ...spec,
    volumes: withoutToken(listAt(spec, 'volumes').filter(isJsonObject)),
    containers: containers.map(({ ports: _ports, ...one }) => withoutTokenMount(one)),
    ...(inits.length === 0 ? {} : { initContainers: inits.map(withoutTokenMount) }),
  };
}

function withoutTokenMount(container: JsonObject): JsonObject {
  const mounts = listAt(container, 'volumeMounts').filter(isJsonObject);
  return { ...container, volumeMounts: withoutToken(mounts) };
}

/** The volume of the service account has another name in each pod. */
function withoutToken(named: readonly JsonObject[]): JsonObject[] {
  return named.filter((one) => !stringAt(one, 'name').startsWith('kube-api-access'));
}
