/**
 * What another server of this log says that it serves itself, by its aggregated discovery.
 *
 * In Kubernetes: fetchNewDiscoveryFor, apiserver/pkg/util/peerproxy.
 */
import { parseJson } from '../../api/json/json-text.ts';
import { itemsAt, isJsonObject, type JsonObject, stringAt } from '../../api/json/json.ts';
import {
  type DiscoveredGroups,
  nameOfGroup,
} from '../../projections/discovery/merged-discovery.ts';
import { isSameList } from '../../projections/discovery/aggregated-discovery.ts';
import type { AggregatedServers, FetchOptions } from '../aggregation/aggregated-servers.ts';

/** The documents of a server. */
export interface PeerDocuments {
  /** `GROUP/VERSION/RESOURCE` of all that it serves. */
  readonly resources: ReadonlySet<string>;
  /** What it shows at `/apis`. */
  readonly groups: DiscoveredGroups;
  /** What all of it was read from. */
  readonly bodies: readonly Buffer[];
}

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 16 * 1024 * 1024;
const ALL_GROUPS = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** Of itself alone: what it knows of others may be of this server. */
const ACCEPT = `${ALL_GROUPS};profile=nopeer,${ALL_GROUPS}`;

/**
 * @param known what it said last, which is given again where it says the same.
 * @returns undefined: the server does not answer as it should.
 */
export async function fetchPeerDocuments(
  fetch: (path: string, options: FetchOptions) => ReturnType<AggregatedServers['fetch']>,
  known: PeerDocuments | undefined,
  signal: AbortSignal,
): Promise<PeerDocuments | undefined> {
  const options = { headers: { accept: ACCEPT }, timeoutMs: TIMEOUT_MS, sizeMax: BYTES_MAX };
  const answers = ['/api', '/apis'].map((path) => fetch(path, { ...options, signal }));
  const bodies = (await Promise.all(answers)).flatMap((answer) =>
    answer.ok && answer.code === 200 ? answer.body : [],
  );
  if (known !== undefined && isSameList(bodies, known.bodies, isSameBody)) return known;
  const [core, named] = bodies.map(groupsIn);
  if (core === undefined || named === undefined) return undefined;
  return { resources: new Set([...core, ...named].flatMap(resourcesOf)), groups: named, bodies };
}

function isSameBody(one: Buffer, other: Buffer): boolean {
  return one.equals(other);
}

function groupsIn(body: Buffer): DiscoveredGroups | undefined {
  try {
    const document = parseJson(body.toString());
    const isWhole = isJsonObject(document) && document['kind'] === 'APIGroupDiscoveryList';
    return isWhole ? itemsAt(document, 'items') : undefined;
  } catch {
    return undefined; // No JSON, as of a page.
  }
}

function resourcesOf(group: JsonObject): string[] {
  const name = nameOfGroup(group);
  return itemsAt(group, 'versions').flatMap((version) =>
    itemsAt(version, 'resources').map(
      (one) => `${name}/${stringAt(version, 'version')}/${stringAt(one, 'resource')}`,
    ),
  );
}
