/**
 * Which group versions are served by other servers: the APIServices as they are now, in the order in
 * which discovery shows their groups. Requests are routed by them, so that a change counts from the
 * next request on.
 *
 * In Kubernetes: APIAggregator, kube-aggregator/pkg/apiserver; SortedByGroupAndVersion of its helpers.
 */
import { Listeners } from '../../api/meta/listeners.ts';
import type { APIService } from '../../api/generated/kinds/apiregistration-v1.ts';
import { items } from '../../api/json/go-values.ts';
import { compareVersions } from '../../api/scheme/version-priority.ts';
import type { FollowedIndex, FollowedObjects } from '../../projections/followed-objects.ts';
import { storedKind } from '../../projections/objects/stored-kinds.ts';
import { nameOf, type StoredObject } from '../../streams/event.ts';

/** The service behind an APIService. */
export interface ServiceAddress {
  /** Of the service. */
  readonly namespace: string;
  /** Of the service. */
  readonly name: string;
  /** Of the service, which may lead to another one. */
  readonly port: number;
}

/** A group version that another server serves: an APIService that names a service. */
export interface AggregatedService {
  /** Of the APIService: `v1alpha1.wardle.example.com`. */
  readonly name: string;
  /** Of the APIService. */
  readonly uid: string;
  /** '' of `v1.`, which takes all of `/api`. */
  readonly group: string;
  /** `v1alpha1`. */
  readonly version: string;
  /** `/apis/GROUP/VERSION`, which is passed on with everything below it. */
  readonly path: string;
  /** Which group stands first in discovery: that of the greatest. */
  readonly groupPriorityMinimum: number;
  /** Which version of the group. */
  readonly versionPriority: number;
  /** What the server stands behind. */
  readonly service: ServiceAddress;
  /** PEM of the authorities that its certificate must come from; '': those of this machine. */
  readonly caBundle: string;
  /** Whether any certificate is believed. */
  readonly skipsVerification: boolean;
  /** Whether its condition `Available` is True. */
  readonly available: boolean;
  /** Of that condition; '' where there is none yet. */
  readonly reason: string;
}

/** Any APIService: of another server, or of this one. */
export interface RegisteredGroupVersion {
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly available: boolean;
  /** undefined: this server serves it itself. */
  readonly aggregated: AggregatedService | undefined;
}

const API_SERVICES = 'apiregistration.k8s.io/apiservices';
const readApiService = storedKind('apiregistration.k8s.io/v1/apiservices');
/** Upstream's router has it before it looks at APIServices. */
const NEVER_AGGREGATED = 'apiregistration.k8s.io';
const LEGACY = 'v1.';

/** The APIServices of a control plane. */
export class AggregatedServices {
  readonly #index: FollowedIndex;
  readonly #byName = new Map<string, RegisteredGroupVersion>();
  readonly #byPath = new Map<string, AggregatedService>();
  readonly #listeners = new Listeners<string>();
  #registered: readonly RegisteredGroupVersion[] | undefined;
  #aggregated: readonly AggregatedService[] | undefined;

  constructor(followed: FollowedObjects) {
    this.#index = followed.follow(API_SERVICES, {
      set: (object) => {
        this.#set(nameOf(object.path), registered(object));
      },
      delete: (path) => {
        this.#set(nameOf(path), undefined);
      },
      clear: () => {
        this.#byName.clear();
        this.#byPath.clear();
        this.#forgetOrder();
      },
    });
  }

  /** Those of other servers, in the order of discovery; the same list while nothing changes. */
  all(): readonly AggregatedService[] {
    this.#aggregated ??= this.registered().flatMap(({ aggregated }) => aggregated ?? []);
    return this.#aggregated;
  }

  /** All, in the order of discovery; the same list while nothing changes. */
  registered(): readonly RegisteredGroupVersion[] {
    this.#index.fill();
    this.#registered ??= inOrder([...this.#byName.values()]);
    return this.#registered;
  }

  /** undefined: no other server serves the group version. */
  at(group: string, version: string): AggregatedService | undefined {
    this.#index.fill();
    return this.#byName.get(`${version}.${group}`)?.aggregated;
  }

  /** Which of them takes requests for this path, not escaped; undefined: none does. */
  forPath(path: string): AggregatedService | undefined {
    this.#index.fill();
    if (this.#byPath.size === 0 || !path.startsWith('/api')) return undefined;
    return this.#byPath.get(groupVersionOf(path));
  }

  /**
   * Tells the name of each APIService that changes from now on, in the fold itself.
   *
   * @returns ends it.
   */
  listen(listener: (name: string) => void): () => void {
    this.#index.fill();
    return this.#listeners.add(listener);
  }

  #set(name: string, found: RegisteredGroupVersion | undefined): void {
    const before = this.#byName.get(name)?.aggregated;
    if (before !== undefined) this.#byPath.delete(before.path);
    if (found === undefined) this.#byName.delete(name);
    else this.#byName.set(name, found);
    if (found?.aggregated !== undefined) this.#byPath.set(found.aggregated.path, found.aggregated);
    this.#forgetOrder();
    this.#listeners.tell(name);
  }

  #forgetOrder(): void {
    this.#registered = undefined;
    this.#aggregated = undefined;
  }
}

function registered(object: StoredObject): RegisteredGroupVersion {
  const apiService = readApiService(object);
  const { metadata, spec } = apiService;
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  const condition = availableCondition(apiService);
  const common = {
    ...{ name: metadata.name ?? '', uid: metadata.uid ?? '', group, version },
    ...{ groupPriorityMinimum, versionPriority },
    available: condition?.status === 'True',
  };
  const { service } = spec;
  if (service === undefined || group === NEVER_AGGREGATED) {
    return { ...common, aggregated: undefined };
  }
  const { namespace = '', name = '', port = 443 } = service;
  const aggregated = {
    ...common,
    path: metadata.name === LEGACY ? '/api' : `/apis/${group}/${version}`,
    service: { namespace, name, port },
    caBundle: Buffer.from(spec.caBundle ?? '', 'base64').toString(),
    skipsVerification: spec.insecureSkipTLSVerify === true,
    reason: condition?.reason ?? '',
  };
  return { ...common, aggregated };
}

/** The condition that says whether the server behind the APIService answers; undefined: none says so. */
export function availableCondition({ status }: APIService) {
  return items(status.conditions).find(({ type }) => type === 'Available');
}

/** `/apis/GROUP/VERSION` or `/api` of a path that is one of these or lies below. */
function groupVersionOf(path: string): string {
  if (path === '/api' || path.startsWith('/api/')) return '/api';
  const afterRoot = '/apis/'.length;
  const afterGroup = path.indexOf('/', afterRoot);
  if (afterGroup < 0) return path;
  const end = path.indexOf('/', afterGroup + 1);
  return end < 0 ? path : path.slice(0, end);
}

/** Groups by their highest priority, the versions of each by theirs; names decide between equals. */
function inOrder(all: RegisteredGroupVersion[]): RegisteredGroupVersion[] {
  const byGroup = new Map<string, RegisteredGroupVersion[]>();
  all.sort(
    (left, right) =>
      right.groupPriorityMinimum - left.groupPriorityMinimum || (left.name < right.name ? -1 : 1),
  );
  for (const one of all) {
    const others = byGroup.get(one.group);
    if (others === undefined) byGroup.set(one.group, [one]);
    else others.push(one);
  }
  return [...byGroup.values()].flatMap((versions) =>
    versions.sort(
      (left, right) =>
        right.versionPriority - left.versionPriority ||
        compareVersions(left.version, right.version),
    ),
  );
}
