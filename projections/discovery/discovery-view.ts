/**
 * The discovery documents of one set of served resources, each built when it is first asked for
 * and kept as bytes. When the set changes, a new view takes the place of the old one.
 */
import type { JsonObject } from '../../api/json/json.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { aggregatedDiscovery, aggregatedEtag, GroupTexts } from './aggregated-discovery.ts';
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  groupServed,
  type ServedGroup,
} from './served-groups.ts';
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

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const AGGREGATED_TYPE = 'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList';

export class DiscoveryView {
  readonly #groups: readonly ServedGroup[];
  readonly #serverAddress: string;
  readonly #texts: GroupTexts;
  readonly #documents = new Map<string, DiscoveryDocument>();

  /**
   * @param serverAddress `10.0.0.1:6443`, which `/api` shows to clients
   * @param texts of the view whose place this one takes, so that only what is new is written
   */
  constructor(served: readonly ResourceFacts[], serverAddress: string, texts = new GroupTexts()) {
    this.#groups = groupServed(served);
    this.#serverAddress = serverAddress;
    this.#texts = texts;
    texts.keepOnly(new Set(this.#groups.map(({ group }) => group)));
  }

  /**
   * The document at `/api`, `/api/v1`, `/apis`, `/apis/GROUP` or `/apis/GROUP/VERSION`; undefined
   * when nothing is served there. `/api` and `/apis` have an aggregated form too; elsewhere
   * `aggregated` makes no difference.
   */
  document(path: string, aggregated: boolean): DiscoveryDocument | undefined {
    const isAggregated = aggregated && (path === '/api' || path === '/apis');
    const key = isAggregated ? `${path} aggregated` : path;
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const made = isAggregated ? this.#aggregated(path) : this.#plain(path);
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

  #versions(): DiscoveryDocument {
    return written(apiVersions(this.#find(''), this.#serverAddress), `${META}.APIVersions`);
  }

  #groupList(): DiscoveryDocument {
    const named = this.#groups.filter((one) => one.group !== '');
    return written(apiGroupList(named), `${META}.APIGroupList`);
  }

  #group(name: string): DiscoveryDocument | undefined {
    const group = this.#find(name);
    return group === undefined ? undefined : written(apiGroup(group), `${META}.APIGroup`);
  }

  #resources(group: string, version: string): DiscoveryDocument | undefined {
    const served = this.#find(group)?.versions.find((one) => one.version === version);
    if (served === undefined) return undefined;
    const isCustom = served.resources.every(({ typeId }) => typeId === '');
    return { ...written(apiResourceList(served), `${META}.APIResourceList`), isCustom };
  }

  #find(group: string): ServedGroup | undefined {
    return this.#groups.find((one) => one.group === group);
  }
}

function written(object: JsonObject, typeId: string): DiscoveryDocument {
  return { body: Buffer.from(`${formatJson(object)}\n`), object, typeId };
}
