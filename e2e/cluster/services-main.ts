/**
 * `npm run parity:services -- [--steps 600] [--seed N]`: random histories of services are told to this
 * server and to a kube-apiserver with its etcd, which have to answer alike: code, reason, message, causes
 * and object, apart from what is chosen at random. Prints each difference and a table; code 1 where there
 * is one. Needs Go.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { writeComponentFiles } from '../control-plane/component.ts';
import { Chance } from '../robustness/chance.ts';
import { adminClient, type AdminClient, type ApiAnswer } from '../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, textAt } from '../support/json.ts';
import { startServer } from '../support/server.ts';
import { flagsForComponents } from './components.ts';
import { startPeer } from './peer.ts';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '600' },
    seed: { type: 'string' },
  },
});
const STEPS = Number(values.steps);
const SEED = Number(values.seed ?? Date.now() % 1_000_000);
const ARGS = ['--service-cluster-ip-range=10.0.0.0/24,fd00::/112'];
const URL = '/api/v1/namespaces/default/services';
const NAMES = 6;

type Verb = 'create' | 'put' | 'patch' | 'remove';

interface Step {
  readonly verb: Verb;
  readonly name: string;
  readonly query: string;
  readonly spec: JsonObject;
}

function stepOf(chance: Chance): Step {
  const verb = chance.weighed({ create: 4, put: 3, patch: 6, remove: 1 });
  const name = `s${String(chance.below(NAMES))}`;
  const query = chance.happens(0.15) ? '?dryRun=All' : '';
  return { verb, name, query, spec: specBy(chance, verb === 'create') };
}

/** Fields at random; those that clients name lie where the servers choose none. */
function specBy(chance: Chance, isNew: boolean): JsonObject {
  const one = <Value extends JsonValue>(...of: Value[]): Value => chance.oneOf(of);
  const low = (): string => one('10.0.0.2', '10.0.0.3', 'fd00::2', 'fd00::3');
  const fields: Readonly<Record<string, () => JsonValue>> = {
    type: () => one('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', 'Other'),
    clusterIP: () => one<JsonValue>(low(), 'None', '', '10.9.9.9', null),
    clusterIPs: () => one<JsonValue>([low()], [low(), low()], ['None'], [], null),
    ipFamilyPolicy: () =>
      one<JsonValue>('SingleStack', 'PreferDualStack', 'RequireDualStack', null),
    ipFamilies: () => one<JsonValue>(['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4'], null),
    externalName: () => one<JsonValue>('example.com', '', null),
    externalTrafficPolicy: () => one<JsonValue>('Local', 'Cluster', 'Other', null),
    internalTrafficPolicy: () => one<JsonValue>('Local', 'Cluster', null),
    healthCheckNodePort: () => one<JsonValue>(30_010, 30_011, 0, 5, null),
    sessionAffinity: () => one<JsonValue>('ClientIP', 'None', null),
    allocateLoadBalancerNodePorts: () => one<JsonValue>(true, false, null),
    loadBalancerClass: () => one<JsonValue>('example.com/lb', null),
    selector: () => one<JsonValue>({ app: 'web' }, null),
    ports: () => portsBy(chance),
  };
  const share = isNew ? 0.22 : 0.18;
  const chosen = Object.entries(fields).filter(([name]) =>
    chance.happens(name === 'type' ? 0.5 : share),
  );
  const spec = Object.fromEntries(chosen.map(([name, value]) => [name, value()]));
  return isNew ? { ports: [{ port: 80 }], ...spec } : spec;
}

function portsBy(chance: Chance): JsonValue {
  const count = chance.below(3);
  return Array.from({ length: count }, (_, nth) => ({
    port: 80 + chance.below(2),
    ...(count > 1 || chance.happens(0.3) ? { name: `p${String(nth)}` } : {}),
    ...(chance.happens(0.3) ? { protocol: chance.oneOf(['TCP', 'UDP']) } : {}),
    ...(chance.happens(0.3) ? { nodePort: 30_000 + chance.below(4) } : {}),
  }));
}

async function told(client: AdminClient, { verb, name, query, spec }: Step): Promise<ApiAnswer> {
  const path = `${URL}/${name}`;
  const body = { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec };
  if (verb === 'create') return client.post(`${URL}${query}`, body);
  if (verb === 'remove') return client.send('DELETE', `${path}${query}`);
  if (verb === 'patch') return client.patch(`${path}${query}`, { spec });
  const found = (await client.get(path)).body as JsonObject; // An object, or a Status.
  if (found['kind'] !== 'Service') return client.put(`${path}${query}`, body);
  const old = found['spec'] as JsonObject; // Each service has one.
  const merged = Object.entries({ ...old, ...spec }).filter(([, value]) => value !== null);
  return client.put(`${path}${query}`, { ...found, spec: Object.fromEntries(merged) });
}

/** Without what no two servers have in common. */
function shown({ status, body }: ApiAnswer): string {
  const { metadata, ...rest } = body as JsonObject; // All answers are objects.
  const name = at(metadata, 'name') ?? '';
  return JSON.stringify({ status, name, ...rest })
    .replace(/10\.0\.0\.(?!2"|3"|2\b|3\b|0")\d+/g, 'IPv4')
    .replace(/fd00::(?!2"|3"|2\b|3\b|")[0-9a-f:]+/g, 'IPv6')
    .replace(/3[0-2]\d(?!00[0-3]\b)\d{2}/g, (port) => (Number(port) < 30_012 ? port : 'PORT'))
    .replace(/"uid":"[^"]*"/g, '"uid":"UID"');
}

const folder = mkdtempSync(join(tmpdir(), 'everwatch-parity-'));
const args = [...flagsForComponents(writeComponentFiles(folder)), ...ARGS];
const server = await startServer({ args });
const peer = await startPeer(args);
const [ours, theirs] = [adminClient(server), adminClient(peer)];
const codes: Record<string, number> = {};
const differences = new Map<string, number>();
console.log(`seed ${String(SEED)}`);
try {
  for (let nth = 0; nth < STEPS; nth += 1) {
    const step = stepOf(new Chance(SEED, nth));
    const [own, other] = await Promise.all([told(ours, step), told(theirs, step)]);
    const code = `${step.verb} ${String(other.status)}`;
    codes[code] = (codes[code] ?? 0) + 1;
    if (shown(own) === shown(other)) continue;
    const what = `${String(own.status)} ${textAt(own.body, 'message')} / ${String(other.status)} ${textAt(other.body, 'message')}`;
    const known = differences.get(what) ?? 0;
    differences.set(what, known + 1);
    if (known === 0)
      console.log(
        `${String(nth)} ${JSON.stringify(step)}\n  ours   ${shown(own)}\n  theirs ${shown(other)}`,
      );
    // From the same state on: a difference must not beget others.
    const path = `${URL}/${step.name}`;
    await Promise.all([ours, theirs].map((client) => client.send('DELETE', path)));
  }
} finally {
  ours.close();
  theirs.close();
  await Promise.all([server.stop(), peer.stop()]);
  rmSync(folder, { recursive: true });
}
console.log(JSON.stringify(codes));
const count = [...differences.values()].reduce((sum, one) => sum + one, 0);
console.log(`${String(STEPS)} steps, ${String(count)} differences`);
process.exit(count === 0 ? 0 : 1);
