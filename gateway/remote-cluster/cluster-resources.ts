/**
 * What a cluster serves, by its own discovery, one entry for each group version of each resource;
 * and where this server would keep the objects.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { flag, listOf, struct, text, texts, type Read } from '../../api/json/json-shape.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { StartupError } from '../process/startup-error.ts';
import { problemOf, type ClusterClient } from './cluster-client.ts';

/** A resource in one version. */
export interface ClusterResource {
  /** Where its objects lie in a log: `apps/deployments`. */
  readonly storage: string;
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** The plural. */
  readonly name: string;
  /** '' is the group of the core. */
  readonly group: string;
  /** As objects say it. */
  readonly kind: string;
  /** As discovery shows it; '' where it shows none. */
  readonly singular: string;
  /** As kubectl takes them. */
  readonly shortNames: readonly string[];
  /** False for cluster scope. */
  readonly namespaced: boolean;
  /** As discovery shows them. */
  readonly verbs: readonly string[];
  /** `status`, `scale`. */
  readonly subresources: readonly string[];
  /** The schema of a built-in type that this program knows. */
  readonly typeId: string | undefined;
}

/** `/api/v1/pods` or `/apis/apps/v1/deployments`. */
export function collectionPath({ apiVersion, name }: ClusterResource): string {
  return `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}/${name}`;
}

/** @param path `<namespace>/<name>` */
export function objectPath({ apiVersion, name }: ClusterResource, path: string): string {
  const [namespace = '', objectName = ''] = path.split('/');
  const inside = namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
  const root = apiVersion.includes('/') ? '/apis' : '/api';
  const last = objectName === '' ? '' : `/${encodeURIComponent(objectName)}`;
  return `${root}/${apiVersion}/${inside}${name}${last}`;
}

const VERSION = struct({ groupVersion: text });
const GROUP = struct({ preferredVersion: VERSION, versions: listOf(VERSION) });
/** The answer at `/apis`. */
const GROUPS = struct({ groups: listOf(GROUP) });
const ENTRY = struct({
  name: text,
  singularName: text,
  kind: text,
  shortNames: texts,
  namespaced: flag,
  verbs: texts,
});
/** The answer at a group version. */
const RESOURCES = struct({ resources: listOf(ENTRY) });

type Group = Read<typeof GROUP>;
type Entry = Read<typeof ENTRY>;

/** Asks a cluster which resources it serves. */
export class ClusterDiscovery {
  readonly #client: ClusterClient;
  readonly #known: ReadonlyMap<string, KnownResource>;

  constructor(client: ClusterClient, clock: Clock) {
    this.#client = client;
    this.#known = knownResources(clock);
  }

  /**
   * Everything that is served, the versions of a group in the group's own order. A group that does
   * not answer, as an aggregated one may, is left out, and then it is not complete.
   *
   * @throws StartupError the server refuses to tell. @throws ClusterUnreachableError
   */
  async resources(
    signal: AbortSignal,
  ): Promise<{ readonly resources: ClusterResource[]; readonly isComplete: boolean }> {
    const groups = await this.#get('/apis', signal);
    const versions = GROUPS.read(groups).groups.flatMap(versionsOf);
    const lists = await Promise.all(
      ['v1', ...versions].map((apiVersion) => this.#resourcesOf(apiVersion, signal)),
    );
    return {
      resources: lists.flatMap((list) => list ?? []),
      isComplete: !lists.includes(undefined),
    };
  }

  async #resourcesOf(
    apiVersion: string,
    signal: AbortSignal,
  ): Promise<ClusterResource[] | undefined> {
    const root = apiVersion.includes('/') ? '/apis' : '/api';
    const { status, body } = await this.#client.send('GET', `${root}/${apiVersion}`, { signal });
    if (status !== 200) return undefined;
    const { resources } = RESOURCES.read(body);
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map((entry) => this.#resourceOf(apiVersion, entry, resources));
  }

  #resourceOf(apiVersion: string, entry: Entry, all: readonly Entry[]): ClusterResource {
    const { name, kind, shortNames, namespaced, verbs } = entry;
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const known = this.#known.get(`${apiVersion}/${name}`);
    const own = `${group === '' ? 'core' : group}/${name}`;
    return {
      storage: known?.storage ?? own,
      apiVersion,
      name,
      group,
      kind,
      singular: entry.singularName,
      shortNames,
      namespaced,
      verbs,
      subresources: all
        .map((one) => one.name)
        .filter((one) => one.startsWith(`${name}/`))
        .map((one) => one.slice(name.length + 1)),
      typeId: known?.typeId,
    };
  }

  async #get(path: string, signal: AbortSignal): Promise<JsonObject> {
    const answer = await this.#client.send('GET', path, { signal });
    if (answer.status === 200) return answer.body;
    throw new StartupError(
      `${this.#client.server} does not tell what it serves: ${problemOf(answer)}`,
    );
  }

  /** The version that this server would store; where it knows none, the cluster's preferred one. */
  recorded(all: readonly ClusterResource[]): ClusterResource[] {
    const chosen = new Map<string, ClusterResource>();
    for (const resource of all) {
      const { verbs, storage, group, name } = resource;
      if (!verbs.includes('list') || !verbs.includes('watch')) continue;
      // Another group shows the same objects, as events.k8s.io does.
      if (storage !== `${group === '' ? 'core' : group}/${name}`) continue;
      if (!chosen.has(storage) || this.#isStorageVersion(resource)) chosen.set(storage, resource);
    }
    return [...chosen.values()];
  }

  #isStorageVersion({ apiVersion, name }: ClusterResource): boolean {
    return this.#known.get(`${apiVersion}/${name}`)?.isStored === true;
  }
}

interface KnownResource {
  readonly storage: string;
  readonly typeId: string;
  /** Whether objects are stored in this version. */
  readonly isStored: boolean;
}

function knownResources(clock: Clock): ReadonlyMap<string, KnownResource> {
  const known = new Map<string, KnownResource>();
  for (const { facts, apiVersion, definition, conversion } of builtInResources(clock)) {
    const { storage, storageFacts } = definition;
    const isStored = conversion === undefined && facts.group === storageFacts.group;
    known.set(`${apiVersion}/${facts.resource}`, { storage, typeId: facts.typeId, isStored });
  }
  return known;
}

/** The preferred version first. */
function versionsOf({ preferredVersion, versions }: Group): string[] {
  const preferred = preferredVersion.groupVersion;
  const others = versions
    .map(({ groupVersion }) => groupVersion)
    .filter((version) => version !== preferred);
  return [preferred, ...others].filter((version) => version !== '');
}
