/**
 * Discovery and OpenAPI of the servers behind this one. Requests are answered from what is kept here and
 * never wait for a server: documents are fetched every minute, and at once when an APIService or its
 * availability changes. A server that is away keeps its place; what it said last is shown as stale.
 * Discovery is asked for whether a server is available or not, so it is stale only where the server did not tell it.
 *
 * APIServices of one service share its documents, so each server is asked once.
 *
 * In Kubernetes: the discovery manager and the OpenAPI controllers of kube-aggregator.
 */
import { isSameList } from '../../projections/discovery/aggregated-discovery.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { AggregatedVersion } from '../../projections/discovery/aggregated-versions.ts';
import type { RegisteredVersions } from '../../projections/discovery/discovery-view.ts';
import type { DescribedVersion } from '../../projections/openapi/merged-openapi-view.ts';
import type { Faults } from '../request/faults.ts';
import type { AggregatedServers } from './aggregated-servers.ts';
import type { AggregatedService, AggregatedServices } from './aggregated-services.ts';
import { RepeatedDownloads } from './repeated-downloads.ts';
import { ServerDiscovery } from './server-discovery.ts';
import { ServerOpenApi } from './server-openapi.ts';

const REFRESH_MS = 60_000;
const DISCOVERY_DELAY_MS = 500;
const HOUR_MS = 3_600_000;

export interface AggregatedDocumentsParts {
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'record'>;
  readonly services: Pick<AggregatedServices, 'all' | 'registered' | 'listen'>;
  readonly servers: Pick<AggregatedServers, 'fetch'>;
}

/** What discovery and OpenAPI show of other servers. */
export interface AggregatedSnapshot {
  /** The same object while the same is shown. */
  readonly registered: RegisteredVersions;
  /** In the order in which their paths are merged; the same list while the same is shown. */
  readonly described: readonly DescribedVersion[];
}

interface Server {
  services: readonly AggregatedService[];
  /** Of what downloads depend on. */
  identity: string;
  readonly discovery: ServerDiscovery;
  readonly openApi: ServerOpenApi;
}

/** The documents of all servers behind APIServices. */
export class AggregatedDocuments {
  readonly #parts: AggregatedDocumentsParts;
  readonly #servers = new Map<string, Server>();
  readonly #stopping = new AbortController();
  readonly #discovery: RepeatedDownloads;
  readonly #openApi: RepeatedDownloads;
  #versions: readonly AggregatedVersion[] = [];
  #snapshot: AggregatedSnapshot = { registered: { aggregated: [], priorities: [] }, described: [] };
  #endListening: () => void = () => undefined;

  constructor(parts: AggregatedDocumentsParts) {
    this.#parts = parts;
    const { clock, faults } = parts;
    const times = { clock, faults, refreshMs: REFRESH_MS };
    const { signal } = this.#stopping;
    this.#discovery = new RepeatedDownloads({
      ...{ ...times, name: 'discovery of', firstDelayMs: DISCOVERY_DELAY_MS },
      delayMaxMs: REFRESH_MS,
      download: async (key) => (await this.#ask(key, 'discovery')?.(signal)) ?? 'idle',
    });
    this.#openApi = new RepeatedDownloads({
      ...{ ...times, name: 'OpenAPI of', firstDelayMs: REFRESH_MS, delayMaxMs: HOUR_MS },
      download: async (key) => (await this.#ask(key, 'openApi')?.(signal)) ?? 'idle',
    });
  }

  /** Begins to download, when all views are filled. Resolves when discovery of each server was asked for. */
  begin(): Promise<void> {
    let isAwaited = false;
    // The fold that tells of a change does not wait for requests to be made ready.
    this.#endListening = this.#parts.services.listen(() => {
      if (isAwaited) return;
      isAwaited = true;
      queueMicrotask(() => {
        isAwaited = false;
        this.#arrange();
      });
    });
    this.#arrange();
    return this.#discovery.settled();
  }

  /** How old the list of resources is that there is to answer with; undefined: there is none. */
  listOf({ group, version, ...service }: AggregatedService): 'current' | 'stale' | undefined {
    const discovery = this.#servers.get(serviceKey(service))?.discovery;
    const groupVersion = `${group}/${version}`;
    if (discovery?.list(groupVersion) === undefined) return undefined;
    return discovery.isCurrent(groupVersion) ? 'current' : 'stale';
  }

  /** Ends the downloads that are under way, too. */
  stop(): void {
    this.#endListening();
    this.#discovery.stop();
    this.#openApi.stop();
    this.#stopping.abort();
  }

  /** As it is now: an APIService counts from its commit on. */
  current(): AggregatedSnapshot {
    const services = this.#parts.services.all();
    const versions = services.map((service) => this.#versionOf(service));
    const described = services.map((service) => this.#describedOf(service));
    const priorities = this.#parts.services.registered();
    const { registered: before, described: describedBefore } = this.#snapshot;
    const isSameDiscovery =
      priorities === before.priorities && isSameList(versions, before.aggregated, Object.is);
    this.#versions = versions;
    this.#snapshot = {
      registered: isSameDiscovery ? before : { aggregated: versions, priorities },
      described: isSameList(described, describedBefore, isSameDescription)
        ? describedBefore
        : described,
    };
    return this.#snapshot;
  }

  #ask(key: string, of: 'discovery' | 'openApi') {
    const server = this.#servers.get(key);
    if (server === undefined || this.#stopping.signal.aborted) return undefined;
    const { services } = server;
    // Requests for OpenAPI are passed on as those of clients are, and so only to what is available.
    const asked = of === 'openApi' ? services.filter(({ available }) => available) : services;
    return (signal: AbortSignal) => server[of].refresh(asked, signal);
  }

  /** Servers as the APIServices name them; what is new or another is downloaded. */
  #arrange(): void {
    if (this.#stopping.signal.aborted) return;
    const byServer = new Map<string, AggregatedService[]>();
    for (const service of this.#parts.services.all()) {
      const others = byServer.get(serviceKey(service));
      if (others === undefined) byServer.set(serviceKey(service), [service]);
      else others.push(service);
    }
    for (const key of this.#servers.keys()) {
      if (byServer.has(key)) continue;
      this.#servers.delete(key);
      this.#discovery.forget(key);
      this.#openApi.forget(key);
    }
    for (const [key, services] of byServer) this.#arrangeServer(key, services);
  }

  #arrangeServer(key: string, services: readonly AggregatedService[]): void {
    const identity = services.map(identityOf).join('\n');
    const known = this.#servers.get(key);
    if (known?.identity === identity) {
      known.services = services;
      return;
    }
    if (known === undefined) {
      const fetch: AggregatedServers['fetch'] = (...asked) => this.#parts.servers.fetch(...asked);
      const documents = {
        discovery: new ServerDiscovery(fetch),
        openApi: new ServerOpenApi(fetch),
      };
      this.#servers.set(key, { services, identity, ...documents });
    } else {
      Object.assign(known, { services, identity });
    }
    this.#discovery.refresh(key);
    this.#openApi.refresh(key);
  }

  /** The one that was shown before where it is the same. */
  #versionOf(service: AggregatedService): AggregatedVersion {
    const { group, version, groupPriorityMinimum, versionPriority } = service;
    const discovery = this.#servers.get(serviceKey(service))?.discovery;
    const groupVersion = `${group}/${version}`;
    const made: AggregatedVersion = {
      ...{ group, version, groupPriority: groupPriorityMinimum, versionPriority },
      resources: discovery?.resources(groupVersion) ?? NO_RESOURCES,
      isStale: discovery?.isCurrent(groupVersion) !== true,
      list: discovery?.list(groupVersion),
    };
    const known = this.#versions.find((one) => one.group === group && one.version === version);
    return known !== undefined && isSameVersion(known, made) ? known : made;
  }

  #describedOf(service: AggregatedService): DescribedVersion {
    const { group, version } = service;
    return { group, version, documents: this.#servers.get(serviceKey(service))?.openApi.documents };
  }
}

const NO_RESOURCES: AggregatedVersion['resources'] = [];

/** Of the server. */
function serviceKey({
  service: { namespace, name, port },
}: Pick<AggregatedService, 'service'>): string {
  return `${namespace}/${name}:${String(port)}`;
}

function identityOf(service: AggregatedService): string {
  const { uid, name, caBundle, skipsVerification, available } = service;
  return [uid, name, caBundle, skipsVerification, available].join(' ');
}

function isSameVersion(left: AggregatedVersion, right: AggregatedVersion): boolean {
  return (
    left.resources === right.resources &&
    left.list === right.list &&
    left.isStale === right.isStale &&
    left.groupPriority === right.groupPriority &&
    left.versionPriority === right.versionPriority
  );
}

function isSameDescription(left: DescribedVersion, right: DescribedVersion): boolean {
  return (
    left.group === right.group &&
    left.version === right.version &&
    left.documents === right.documents
  );
}
