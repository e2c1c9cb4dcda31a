/**
 * Clients that make, change and remove services on all servers at once, in ranges that are too small for
 * them. Read from the log at the end: at no version did two services hold the same, at none was anything
 * held by no service, and no client was refused what was free.
 */
import type { AdminClient, ApiAnswer } from '../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';
import { Chance } from '../robustness/chance.ts';
import { FreedClaims, type Attempt } from './freed-claims.ts';
import { toldRecords } from './told-log.ts';

export interface ServiceRaceSize {
  readonly clients: number;
  /** Of each client. */
  readonly writes: number;
  readonly names: number;
}

export interface ServiceRace {
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** For servers of such a race. */
export const SMALL_RANGES = [
  '--service-cluster-ip-range=10.0.0.0/27,fd00::/122',
  '--service-node-port-range=30000-30031',
];

const URL = '/api/v1/namespaces/default/services';
const SERVICE = 'core/services ';
const ADDRESS = 'networking.k8s.io/ipaddresses /';
const PORT = 'everwatch/nodeports /';

/** Runs it, and judges its log. */
export async function racedForServices(
  seed: number,
  servers: readonly AdminClient[],
  size: ServiceRaceSize,
): Promise<ServiceRace> {
  const counts: Record<string, number> = {};
  const { attempts, faults } = await writtenAtOnce(seed, servers, size, counts);
  const [client] = servers;
  if (client === undefined) throw new Error('a race needs a server');
  counts['refused as taken'] = attempts.filter(({ refused }) => refused !== undefined).length;
  const violations = [...faults, ...(await judged(client, attempts, counts))];
  return { violations: [...violations, ...(await freedPorts(client))], counts };
}

/** Its writes alone. @param counts gets how often each code was answered. */
export async function writtenAtOnce(
  seed: number,
  servers: readonly AdminClient[],
  size: ServiceRaceSize,
  counts: Record<string, number>,
): Promise<{ readonly attempts: readonly Attempt[]; readonly faults: readonly string[] }> {
  const attempts: Attempt[] = [];
  const faults: string[] = [];
  let moment = 0;
  const racers = Array.from({ length: size.clients }, async (_, index) => {
    for (let write = 0; write < size.writes; write += 1) {
      const chance = new Chance(seed, index, write);
      const began = (moment += 1);
      const { status, headers, body } = await writeOnce(chance, servers, size.names);
      const ended = (moment += 1);
      const what = status >= 500 ? (FULL.exec(textAt(body, 'message'))?.[1] ?? '') : undefined;
      if (what === '') faults.push(`answered ${String(status)}: ${textAt(body, 'message')}`);
      const shown = what === undefined ? String(status) : `${String(status)} full: ${what}`;
      counts[shown] = (counts[shown] ?? 0) + 1;
      const isFull = what === 'serviceIP';
      attempts.push({
        ...{ began, ended, isFull },
        auditID: String(headers['audit-id']),
        refused: refusedIn(body),
      });
    }
  });
  await Promise.all(racers);
  return { attempts, faults };
}

function writeOnce(
  chance: Chance,
  servers: readonly AdminClient[],
  names: number,
): Promise<ApiAnswer> {
  const client = chance.oneOf(servers);
  const name = `s${String(chance.below(names))}`;
  const spec = specBy(chance);
  const body = { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec };
  const verb = chance.weighed({ create: 6, put: 2, patch: 2, remove: 3 });
  if (verb === 'create') return client.post(URL, body);
  if (verb === 'put') return client.put(`${URL}/${name}`, body);
  if (verb === 'remove') return client.delete(`${URL}/${name}`);
  return client.patch(`${URL}/${name}`, { spec: changeBy(chance) });
}

/** kube-apiserver says so in the same words. */
const FULL =
  /^Internal error occurred: failed to allocate a (serviceIP|nodePort|HealthCheck NodePort)(?: 0| for Service "s\d+")?: range is full$/;
/** Of the first family; the second has more than twice as many. */
const ADDRESSES = { prefix: `${ADDRESS}10.`, size: 30 };
const TAKEN_PORT = /nodePort: Invalid value: (\d+): provided port is already allocated/;
const TAKEN_ADDRESS = /failed to allocate IP (\S+): provided IP is already allocated/;

function refusedIn(body: JsonValue): string | undefined {
  const message = textAt(body, 'message');
  const port = TAKEN_PORT.exec(message)?.[1];
  if (port !== undefined) return `${PORT}${port}`;
  const address = TAKEN_ADDRESS.exec(message)?.[1];
  return address === undefined ? undefined : `${ADDRESS}${address}`;
}

function specBy(chance: Chance): JsonObject {
  const isNamed = chance.happens(0.2);
  const port = { port: 80, ...(isNamed ? { nodePort: 30_000 + chance.below(32) } : {}) };
  const address = chance.happens(0.1) ? { clusterIP: `10.0.0.${String(chance.below(32))}` } : {};
  const policy = chance.happens(0.3) ? { ipFamilyPolicy: 'RequireDualStack' } : {};
  const type = chance.weighed({ NodePort: 4, ClusterIP: 2, LoadBalancer: 1 });
  const local = type === 'LoadBalancer' ? { externalTrafficPolicy: 'Local' } : {};
  return {
    type,
    ports: [type === 'ClusterIP' ? { port: 80 } : port],
    ...address,
    ...policy,
    ...local,
  };
}

function changeBy(chance: Chance): JsonObject {
  switch (chance.below(4)) {
    case 0:
      return { type: 'ClusterIP', externalTrafficPolicy: null };
    case 1:
      return { type: 'NodePort' };
    case 2:
      return { ipFamilyPolicy: 'SingleStack' };
    default:
      return { type: 'ExternalName', externalName: 'example.com', externalTrafficPolicy: null };
  }
}

async function judged(
  client: AdminClient,
  attempts: readonly Attempt[],
  counts: Record<string, number>,
): Promise<string[]> {
  const violations: string[] = [];
  const freed = new FreedClaims([ADDRESS, PORT]);
  const said = new Map<string, readonly string[]>();
  const holders = new Map<string, string>();
  const held = new Set<string>();
  const compare = (version: number): void => {
    const left = [...held].filter((one) => !holders.has(one));
    const lacking = [...holders.keys()].filter((one) => !held.has(one));
    if (left.length > 0) violations.push(`before ${String(version)}: left behind ${left.join()}`);
    if (lacking.length > 0)
      violations.push(`before ${String(version)}: not held ${lacking.join()}`);
  };
  for await (const told of toldRecords(client)) {
    const { key, type, version, object } = told;
    freed.add(told);
    if (key.startsWith(ADDRESS) || key.startsWith(PORT)) {
      counts['claims'] = (counts['claims'] ?? 0) + 1;
      if (type === 'deleted') held.delete(key);
      else held.add(key);
      continue;
    }
    compare(version);
    if (!key.startsWith(SERVICE)) continue;
    for (const one of said.get(key) ?? []) holders.delete(one);
    const claims = type === 'deleted' ? [] : claimsOf(object);
    for (const one of claims) {
      const other = holders.get(one);
      if (other !== undefined)
        violations.push(`${String(version)}: ${key} and ${other} hold ${one}`);
      holders.set(one, key);
    }
    said.set(key, claims);
  }
  compare(Number.POSITIVE_INFINITY);
  violations.push(...freed.violations(attempts), ...freed.fullViolations(attempts, ADDRESSES));
  return violations;
}

function claimsOf(service: JsonObject): string[] {
  const ips = listAt(service, 'spec', 'clusterIPs').map((_, index) => {
    return textAt(service, 'spec', 'clusterIPs', index);
  });
  const ports = listAt(service, 'spec', 'ports').map((port) => at(port, 'nodePort'));
  const given = new Set([...ports, at(service, 'spec', 'healthCheckNodePort')].map(Number));
  return [
    ...ips.filter((ip) => ip !== 'None').map((ip) => `${ADDRESS}${ip}`),
    ...[...given].filter((port) => port > 0).map((port) => `${PORT}${String(port)}`),
  ];
}

/** Each port can be had once all services are gone, at once. */
async function freedPorts(client: AdminClient): Promise<string[]> {
  for (const one of listAt((await client.get(URL)).body, 'items')) {
    const name = textAt(one, 'metadata', 'name');
    if (name !== 'kubernetes') await client.delete(`${URL}/${name}`);
  }
  const ports = Array.from({ length: 32 }, (_, port) => ({
    ...{ name: `p${String(port)}`, port: 1 + port, nodePort: 30_000 + port },
  }));
  const spec = { type: 'NodePort', ports };
  const all = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'all' }, spec };
  const { status, body } = await client.post(URL, all);
  return status === 201 ? [] : [`freed ports cannot be had: ${textAt(body, 'message')}`];
}
