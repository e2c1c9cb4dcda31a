/**
 * The other servers of this log, as their identities name them: requests for what this server does not serve are
 * passed on to one that does, and discovery shows what any of them serves. So a client that meets an old server while
 * servers are replaced by newer ones, or one whose flags turn less on, finds the same API at each.
 *
 * What definitions and APIServices serve is the same for all servers of a log. Each says so itself, so that a peer
 * that was asked a while ago does not keep alive what is gone.
 *
 * In Kubernetes: apiserver/pkg/util/peerproxy, the feature UnknownVersionInteroperabilityProxy.
 */
import type { Lease } from '../../api/generated/kinds/coordination-v1.ts';
import { itemsAt, stringAt } from '../../api/json/json.ts';
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import type { FollowedIndex, FollowedObjects } from '../../projections/followed-objects.ts';
import type { DiscoveryDocument } from '../../projections/discovery/discovery-view.ts';
import {
  type DiscoveredGroups,
  mergedGroups,
  nameOfGroup,
  withGroups,
} from '../../projections/discovery/merged-discovery.ts';
import { storedKind } from '../../projections/objects/stored-kinds.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { AggregatedServers } from '../aggregation/aggregated-servers.ts';
import type { AggregatedService } from '../aggregation/aggregated-services.ts';
import {
  COMPONENT,
  IDENTITY_LABEL,
  LEASES,
  NAMESPACE,
  PEER_ANNOTATION,
} from '../controllers/identity-lease.ts';
import { RepeatedDownloads } from '../aggregation/repeated-downloads.ts';
import type { Answer } from '../request/answer.ts';
import type { Faults } from '../request/faults.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { fetchPeerDocuments, type PeerDocuments } from './peer-documents.ts';
import { peerService } from './peer-service.ts';

/** Counts what is passed on. */
export interface PeerMeters {
  /** Another server has answered, or could not. */
  rerouted(request: AuthenticatedRequest, answer: Answer): void;
  /** A peer did not say what it serves. */
  notFetched(): void;
  /** Whether discovery of all servers was at hand. */
  discovered(isKnown: boolean): void;
}

export interface PeerServersParts {
  readonly clock: Clock;
  readonly random: Pick<Random, 'integer'>;
  readonly faults: Pick<Faults, 'record'>;
  readonly followed: Pick<FollowedObjects, 'follow'>;
  /** The ways to them. */
  readonly servers: AggregatedServers;
  /** The identity of this server, which is none of its peers. */
  readonly identity: string;
  /** PEM, of the authorities that sign the certificates of servers. */
  readonly authorities: () => string;
  /** Whether a definition or an APIService serves the version of the group now. */
  readonly isShared: (group: string, version: string) => boolean;
  readonly meters: PeerMeters;
}

interface Peer {
  readonly holder: string;
  readonly address: string;
  service: AggregatedService;
  /** undefined: it has not answered lately. */
  documents: PeerDocuments | undefined;
}

const PREFIX = `${NAMESPACE}/`;
/** What was passed on once is answered here or nowhere. */
export const PROXIED_HEADER = 'x-kubernetes-peer-proxied';
const REFRESH_MS = 60_000;
const FIRST_DELAY_MS = 500;
const readLease = storedKind('coordination.k8s.io/v1/leases');

/** All that have an identity in the log. */
export class PeerServers {
  readonly #parts: PeerServersParts;
  readonly #index: FollowedIndex;
  readonly #peers = new Map<string, Peer>();
  readonly #downloads: RepeatedDownloads;
  readonly #stopping = new AbortController();
  readonly #ends: (() => void)[] = [];
  /** Discovery of all servers, by that of this one. */
  #merged = new WeakMap<DiscoveryDocument, DiscoveryDocument>();

  constructor(parts: PeerServersParts) {
    this.#parts = parts;
    const { clock, faults, followed } = parts;
    this.#downloads = new RepeatedDownloads({
      ...{ clock, faults, name: 'discovery of the server', refreshMs: REFRESH_MS },
      ...{ firstDelayMs: FIRST_DELAY_MS, delayMaxMs: REFRESH_MS },
      download: (name) => this.#download(name),
    });
    this.#index = followed.follow(LEASES, {
      set: (object) => {
        if (object.path.startsWith(PREFIX)) this.#set(object);
      },
      delete: (path) => {
        if (path.startsWith(PREFIX)) this.#forget(path.slice(PREFIX.length));
      },
      clear: () => {
        for (const name of [...this.#peers.keys()]) this.#forget(name);
      },
    });
  }

  /** Begins to ask them, when all views are filled. Resolves when each was asked. */
  begin(): Promise<void> {
    this.#ends.push(
      this.#parts.servers.whenFailed((name) => {
        this.#refresh(name);
      }),
    );
    this.#index.fill();
    return this.#downloads.settled();
  }

  /** Ends what is under way, too. */
  stop(): void {
    for (const end of this.#ends) end();
    this.#downloads.stop();
    this.#stopping.abort();
  }

  /** @returns undefined: no other server serves the resource, or one has asked this server. */
  proxy(request: AuthenticatedRequest): Promise<Answer> | undefined {
    const { apiGroup, apiVersion, resource } = request.info;
    if (request.headers[PROXIED_HEADER] === 'true') return undefined;
    if (this.#parts.isShared(apiGroup, apiVersion)) return undefined;
    const key = `${apiGroup}/${apiVersion}/${resource}`;
    const able = [...this.#peers.values()].filter((one) => one.documents?.resources.has(key));
    const peer = able[able.length < 2 ? 0 : this.#parts.random.integer(able.length)];
    return peer === undefined ? undefined : this.#passOn(request, peer);
  }

  /** @param own the aggregated document of `/apis`. @returns it with what the others serve; the same for the same. */
  withPeers(own: DiscoveryDocument): DiscoveryDocument {
    const known = this.#merged.get(own);
    this.#parts.meters.discovered(known !== undefined);
    const made = known ?? this.#merge(own);
    this.#merged.set(own, made);
    return made;
  }

  #merge(own: DiscoveryDocument): DiscoveryDocument {
    const lists = [...this.#peers].flatMap(([name, { documents }]) =>
      documents === undefined ? [] : [{ name, groups: this.#withoutShared(documents.groups) }],
    );
    if (lists.length === 0) return own;
    const all = [...lists, { name: this.#parts.identity, groups: itemsAt(own.object, 'items') }];
    const inOrder = all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return withGroups(own, mergedGroups(inOrder.map(({ groups }) => groups)));
  }

  async #passOn(request: AuthenticatedRequest, peer: Peer): Promise<Answer> {
    const answer = await this.#parts.servers.proxy(request, this.#serviceOf(peer));
    this.#parts.meters.rerouted(request, answer);
    return answer;
  }

  #withoutShared(groups: DiscoveredGroups): DiscoveredGroups {
    return groups.flatMap((group): DiscoveredGroups => {
      const all = itemsAt(group, 'versions');
      const name = nameOfGroup(group);
      const versions = all.filter((one) => !this.#parts.isShared(name, stringAt(one, 'version')));
      if (versions.length === all.length) return [group];
      return versions.length === 0 ? [] : [{ ...group, versions }];
    });
  }

  async #download(name: string): Promise<'kept' | 'failed' | 'idle'> {
    const peer = this.#peers.get(name);
    const { servers, meters } = this.#parts;
    if (peer === undefined) return 'idle';
    const found = await fetchPeerDocuments(
      (path, options) => servers.fetch(this.#serviceOf(peer), path, options),
      peer.documents,
      this.#stopping.signal,
    );
    if (found !== peer.documents) this.#merged = new WeakMap();
    peer.documents = found;
    if (found === undefined) meters.notFetched();
    return found === undefined ? 'failed' : 'kept';
  }

  /** The authorities may be others by now. */
  #serviceOf(peer: Peer): AggregatedService {
    const caBundle = this.#parts.authorities();
    if (peer.service.caBundle !== caBundle) peer.service = { ...peer.service, caBundle };
    return peer.service;
  }

  #set(object: StoredObject): void {
    const lease = readLease(object);
    const { name = '', labels, annotations } = lease.metadata;
    const address = annotations?.[PEER_ANNOTATION] ?? '';
    const holder = holderOf(lease);
    const known = this.#peers.get(name);
    if (known?.holder === holder && known.address === address) return;
    if (known !== undefined) this.#forget(name);
    if (labels?.[IDENTITY_LABEL] !== COMPONENT || name === this.#parts.identity) return;
    const service = peerService(name, address, this.#parts.authorities());
    if (service === undefined) return;
    this.#peers.set(name, { holder, address, service, documents: undefined });
    // The fold that tells of it does not wait for requests to be made ready.
    queueMicrotask(() => {
      this.#refresh(name);
    });
  }

  #refresh(name: string): void {
    if (this.#stopping.signal.aborted || !this.#peers.has(name)) return;
    this.#downloads.refresh(name);
  }

  #forget(name: string): void {
    if (!this.#peers.delete(name)) return;
    this.#merged = new WeakMap();
    this.#downloads.forget(name);
  }
}

function holderOf({ spec }: ObjectOf<Lease>): string {
  return spec.holderIdentity ?? '';
}
