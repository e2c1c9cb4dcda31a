/**
 * The discovery documents of one set of served resources, each built when it is first asked for
 * and kept as bytes. When the set changes, a new view takes the place of the old one.
 */
import type { JsonObject } from '../../api/json/json.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { priorityOf, type VersionPriority } from '../../api/scheme/version-priority.ts';
import { aggregatedDiscovery, aggregatedEtag, GroupTexts } from './aggregated-discovery.ts';
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type ServerAddress,
  groupServed,
  type ServedGroup,
} from './served-groups.ts';
import type { AggregatedVersion } from './aggregated-versions.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';

/** One document under `/api` or `/apis`, ready to be sent. */
export interface DiscoveryDocument {
  /** JSON with a newline at the end, as kube-apiserver writes it. */
  readonly body: Uint8Array;
  /** The same, for codecs other than JSON. */
  readonly object: JsonObject;
  /** Only of aggregated documents; quotes included. */
  readonly etag?: string;
  /** The name of its schema. */
  readonly typeId: string;
  /** Only of a version that definitions alone serve, which upstream shows behind no router. */
  readonly isCustom?: boolean;
}

/** What APIServices say, beside what this server serves itself. */
export interface RegisteredVersions {
  /** Those that other servers serve. */
  readonly aggregated: readonly AggregatedVersion[];
  /** The priorities of every APIService. */
  readonly priorities: readonly RegisteredPriority[];
}

/** What an APIService says of its place among others. */
export interface RegisteredPriority {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

const NOT_REGISTERED: RegisteredVersions = { aggregated: [], priorities: [] };

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const AGGREGATED_TYPE = 'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList';

export class DiscoveryView {
  readonly #groups: readonly ServedGroup[];
  /** As the lists of groups name them, which is in the order of their APIServices. */
  readonly #listed: () => readonly ServedGroup[];
  readonly #serverAddress: string;
  readonly #texts: GroupTexts;
  readonly #documents = new Map<string, DiscoveryDocument>();

  /**
   * @param serverAddress `10.0.0.1:6443`, which `/api` shows to clients
   * @param texts of the view whose place this one takes, so that only what is new is written
   * @param registered default: nothing but what is served here
   */
  constructor(
    served: readonly ResourceFacts[],
    serverAddress: string,
    texts = new GroupTexts(),
    registered = NOT_REGISTERED,
  ) {
    this.#groups = groupServed(served, registered.aggregated);
    let listed: readonly ServedGroup[] | undefined;
    this.#listed = () => (listed ??= listedGroups(served, registered) ?? this.#groups);
    this.#serverAddress = serverAddress;
    this.#texts = texts;
    texts.keepOnly(new Set(this.#groups.map(({ group }) => group)));
  }

  /**
   * The document at `/api`, `/api/v1`, `/apis`, `/apis/GROUP` or `/apis/GROUP/VERSION`; undefined
   * when nothing is served there. `/api` and `/apis` have an aggregated form too; elsewhere
   * `aggregated` makes no difference.
   *
   * @param closer by which the client reaches the server as well, which `/api` shows
   */
  document(
    path: string,
    aggregated: boolean,
    closer?: ServerAddress,
  ): DiscoveryDocument | undefined {
    const isAggregated = aggregated && (path === '/api' || path === '/apis');
    const isClose = !isAggregated && path === '/api' && closer !== undefined;
    const key = isAggregated ? `${path} aggregated` : isClose ? `${path} closer` : path;
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const made = isAggregated
      ? this.#aggregated(path)
      : isClose
        ? this.#versions(closer)
        : this.#plain(path);
    if (made !== undefined) this.#documents.set(key, made);
    return made;
  }

  #aggregated(path: string): DiscoveryDocument {
    const ofLegacy = path === '/api';
    const groups = this.#groups.filter((one) => (one.group === '') === ofLegacy);
    const body = Buffer.from(`${aggregatedDiscovery(groups, this.#texts)}\n`);
    return {
      body,
      get object() {
        return parseJson(body.toString()) as JsonObject; // Written above.
      },
      etag: aggregatedEtag(body),
      typeId: AGGREGATED_TYPE,
    };
  }

  #plain(path: string): DiscoveryDocument | undefined {
    const [root, ...parts] = path.slice(1).split('/');
    if (root === 'api') {
      const [version, ...rest] = parts;
      if (version === undefined) return this.#versions();
      return rest.length === 0 ? this.#resources('', version) : undefined;
    }
    if (root !== 'apis') return undefined;
    const [group, version, ...rest] = parts;
    if (group === undefined) return this.#groupList();
    if (group === '' || rest.length > 0) return undefined;
    return version === undefined ? this.#group(group) : this.#resources(group, version);
  }

  #versions(...closer: readonly ServerAddress[]): DiscoveryDocument {
    const usual = { clientCIDR: '0.0.0.0/0', serverAddress: this.#serverAddress };
    return written(apiVersions(this.#find(''), [usual, ...closer]), `${META}.APIVersions`);
  }

  #groupList(): DiscoveryDocument {
    const named = this.#listed().filter((one) => one.group !== '');
    return written(apiGroupList(named), `${META}.APIGroupList`);
  }

  #group(name: string): DiscoveryDocument | undefined {
    const group = this.#listed().find((one) => one.group === name);
    return group === undefined ? undefined : written(apiGroup(group), `${META}.APIGroup`);
  }

  #resources(group: string, version: string): DiscoveryDocument | undefined {
    const served = this.#find(group)?.versions.find((one) => one.version === version);
    if (served === undefined) return undefined;
    const typeId = `${META}.APIResourceList`;
    if (served.aggregated !== undefined) {
      const { list } = served.aggregated;
      return list === undefined ? undefined : written(list, typeId);
    }
    const isCustom = served.resources.every(({ typeId }) => typeId === '');
    return { ...written(apiResourceList(served), typeId), isCustom };
  }

  #find(group: string): ServedGroup | undefined {
    return this.#groups.find((one) => one.group === group);
  }
}

/** undefined: as they are served, where no APIService says anything else. */
function listedGroups(
  served: readonly ResourceFacts[],
  { aggregated, priorities }: RegisteredVersions,
): ServedGroup[] | undefined {
  const known = new Map<string, VersionPriority>();
  const listed: AggregatedVersion[] = [];
  const isShown = new Set([...served, ...aggregated].map(groupVersionKey));
  for (const one of priorities) {
    const { group, version, groupPriorityMinimum, versionPriority } = one;
    const usual = priorityOf(group, version);
    if (!isShown.has(groupVersionKey(one))) {
      const numbers = { groupPriority: groupPriorityMinimum, versionPriority };
      listed.push({ group, version, ...numbers, ...UNKNOWN });
    } else if (usual.group !== groupPriorityMinimum || usual.version !== versionPriority) {
      known.set(groupVersionKey(one), { group: groupPriorityMinimum, version: versionPriority });
    }
  }
  if (known.size === 0 && listed.length === 0) return undefined;
  const priority = (group: string, version: string): VersionPriority =>
    known.get(groupVersionKey({ group, version })) ?? priorityOf(group, version);
  return groupServed(served, [...listed, ...aggregated], priority);
}

function groupVersionKey({
  group,
  version,
}: {
  readonly group: string;
  readonly version: string;
}): string {
  return `${group}/${version}`;
}

/** Of a group version that an APIService alone speaks of. */
const UNKNOWN = { resources: [], isStale: true, list: undefined };

function written(object: JsonObject, typeId: string): DiscoveryDocument {
  return { body: Buffer.from(`${formatJson(object)}\n`), object, typeId };
}
