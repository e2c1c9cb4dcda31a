/**
 * What one server behind this one says of its group versions, as it said it last: it is kept while the
 * server is away. Older servers have no document about all of their groups; of those the list of each
 * group version is read.
 *
 * In Kubernetes: fetchFreshDiscoveryForService, kube-aggregator/pkg/apiserver.
 */
import { parseJson, formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import {
  resourceListOf,
  resourcesOfList,
  versionsOfAll,
} from '../../projections/discovery/aggregated-versions.ts';
import type { AggregatedServers, FetchedDocument } from './aggregated-servers.ts';
import type { AggregatedService } from './aggregated-services.ts';
import type { DownloadOutcome } from './repeated-downloads.ts';

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 16 * 1024 * 1024;
const ALL_GROUPS = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ACCEPT = `${ALL_GROUPS},${ALL_GROUPS.replace('v=v2', 'v=v2beta1')}`;
const NO_RESOURCES: readonly JsonObject[] = [];

interface Kept<Value> {
  readonly text: string;
  readonly value: Value;
}

/** The documents of discovery that one server gave. */
export class ServerDiscovery {
  readonly #fetch: AggregatedServers['fetch'];
  #etag: string | undefined;
  /** Of a document about all groups; undefined: the server has none, or has not answered yet. */
  #all: ReadonlyMap<string, readonly JsonObject[]> | undefined;
  /** By group versions. */
  readonly #resources = new Map<string, Kept<readonly JsonObject[]>>();
  readonly #lists = new Map<string, Kept<JsonObject>>();
  readonly #current = new Set<string>();

  constructor(fetch: AggregatedServers['fetch']) {
    this.#fetch = fetch;
  }

  /** As aggregated discovery has them; the same array while they are the same. */
  resources(groupVersion: string): readonly JsonObject[] {
    return this.#resources.get(groupVersion)?.value ?? NO_RESOURCES;
  }

  /** The APIResourceList; the same object while it is the same. undefined: there never was one. */
  list(groupVersion: string): JsonObject | undefined {
    return this.#lists.get(groupVersion)?.value;
  }

  /** Whether the last download succeeded. */
  isCurrent(groupVersion: string): boolean {
    return this.#current.has(groupVersion);
  }

  /** @param services of this server. */
  async refresh(
    services: readonly AggregatedService[],
    signal: AbortSignal,
  ): Promise<DownloadOutcome> {
    if (services.length === 0) return 'idle';
    // One APIService may name an authority that the server has no certificate of, and another the right one.
    const trusts = [...new Set(services.map(trustOf))];
    const outcomes = await Promise.all(
      trusts.map((trust) => {
        const group = services.filter((one) => trustOf(one) === trust);
        return this.#refreshGroup(group, signal);
      }),
    );
    return outcomes.every(Boolean) ? 'kept' : 'failed';
  }

  /** @param services that believe the same certificates. */
  async #refreshGroup(
    services: readonly AggregatedService[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const [first] = services;
    if (first === undefined) return true;
    if (!(await this.#refreshAll(first, signal))) {
      for (const service of services) this.#current.delete(groupVersionOf(service));
      return false;
    }
    const outcomes = await Promise.all(services.map((one) => this.#refreshOne(one, signal)));
    return outcomes.every(Boolean);
  }

  /** @returns false where the server did not answer. */
  async #refreshAll(of: AggregatedService, signal: AbortSignal): Promise<boolean> {
    const known = this.#all === undefined ? undefined : this.#etag;
    const headers = { accept: ACCEPT, ...(known === undefined ? {} : { 'if-none-match': known }) };
    const options = { headers, timeoutMs: TIMEOUT_MS, sizeMax: BYTES_MAX, signal };
    const answer = await this.#fetch(of, '/apis', options);
    if (!answer.ok || answer.code === 503) return false;
    if (answer.code === 304 && this.#all !== undefined) return true;
    this.#all = isAboutAll(answer) ? readAs(answer, versionsOfAll) : undefined;
    this.#etag = answer.headers['etag'];
    return true;
  }

  async #refreshOne(service: AggregatedService, signal: AbortSignal): Promise<boolean> {
    const groupVersion = groupVersionOf(service);
    const list = await this.#refreshList(service, groupVersion, signal);
    const resources = this.#all?.get(groupVersion) ?? (this.#all === undefined ? list : undefined);
    const isThere = this.#all !== undefined || list !== undefined;
    if (isThere) {
      keep(this.#resources, groupVersion, resources ?? NO_RESOURCES);
      this.#current.add(groupVersion);
    } else {
      this.#current.delete(groupVersion);
    }
    return isThere && this.#lists.has(groupVersion);
  }

  /** @returns its resources; undefined where the server did not give the list. */
  async #refreshList(
    service: AggregatedService,
    groupVersion: string,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[] | undefined> {
    const headers = { accept: 'application/json' };
    const options = { headers, timeoutMs: TIMEOUT_MS, sizeMax: BYTES_MAX, signal };
    const answer = await this.#fetch(service, service.path, options);
    const list = answer.ok && answer.code === 200 ? readAs(answer, resourceListOf) : undefined;
    const resources = list === undefined ? undefined : attempt(() => resourcesOfList(list));
    if (list !== undefined) keep(this.#lists, groupVersion, list);
    return resources;
  }
}

function groupVersionOf({ group, version }: AggregatedService): string {
  return `${group}/${version}`;
}

/** Which certificates are believed. */
function trustOf({ caBundle, skipsVerification }: AggregatedService): string {
  return `${String(skipsVerification)} ${caBundle}`;
}

/** An answer of another type is a page, or the list of groups that older servers have there. */
function isAboutAll({ code, headers }: FetchedDocument): boolean {
  if (code !== 200) return false;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const has = (one: string): boolean => parameters.includes(one);
  const isKind = has('g=apidiscovery.k8s.io') && has('as=apigroupdiscoverylist');
  return type === 'application/json' && isKind && (has('v=v2') || has('v=v2beta1'));
}

function readAs<Read>(
  { body }: FetchedDocument,
  read: (document: ReturnType<typeof parseJson>) => Read,
): Read | undefined {
  return attempt(() => read(parseJson(body.toString())));
}

/** undefined: it is not as documents of discovery are. */
function attempt<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What is the same stays the same object, so that documents made of it can be kept. */
function keep<Value extends object>(
  kept: Map<string, Kept<Value>>,
  key: string,
  value: Value,
): void {
  const text = formatJson(value);
  if (kept.get(key)?.text !== text) kept.set(key, { text, value });
}
