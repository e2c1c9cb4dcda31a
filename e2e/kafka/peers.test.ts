/**
 * Two servers of one log, of which one alone serves an alpha version: a client that meets the other finds
 * the same API. Each has the name of a host of its own, as on two machines: identities are named after it. Others of the log find the
 * certificate by the name that upstream's servers ask for in one another.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type AggregationTrust, aggregationTrust } from '../aggregation/given-aggregation.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { at, listAt, textAt } from '../support/json.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { faultsIn } from '../support/log-lines.ts';
import { describeWith } from '../support/requirements.ts';
import { testAuthority } from '../support/test-authority.ts';
import { ReplicaGroup, type Replica } from './replica-group.ts';

const CANDIDATES = '/apis/coordination.k8s.io/v1alpha2/namespaces/default/leasecandidates';
const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const CANDIDATE = {
  ...{ apiVersion: 'coordination.k8s.io/v1alpha2', kind: 'LeaseCandidate' },
  metadata: { name: 'one' },
  spec: {
    ...{ leaseName: 'a', binaryVersion: '1.36.0', emulationVersion: '1.36.0' },
    strategy: 'OldestEmulationVersion',
  },
};

await describeWith('kafka', 'two servers of which one serves more', (startKafka) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-peers-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  let kafka: KafkaCluster;
  let trust: AggregationTrust;
  let replicas: ReplicaGroup;
  let [more, less]: Replica[] = [];

  async function start(host: string, ...flags: string[]): Promise<Replica> {
    const name = write(
      `${host}.cjs`,
      `require('node:os').hostname = () => '${host}'; require('node:module').syncBuiltinESMExports();`,
    );
    const args = [...trust.serverFlags, ...flags];
    const env = { NODE_OPTIONS: `--require=${name}` };
    return replicas.start('peers', { args, env, identity: true });
  }

  beforeAll(async () => {
    kafka = await startKafka({ brokers: 1 });
    trust = await aggregationTrust();
    replicas = new ReplicaGroup(kafka.bootstrap);
    const authority = await testAuthority('servers');
    const { certificate, key } = await authority.issue('peer', ['kubernetes.default.svc']);
    const files = `${write('server.crt', certificate)},${write('server.key', key)}`;
    const flags = [
      `--tls-sni-cert-key=${files}`,
      `--peer-ca-file=${write('servers.pem', authority.certificate)}`,
    ];
    more = await start('more', ...flags, '--runtime-config=coordination.k8s.io/v1alpha2=true');
    less = await start('less', ...flags);
  });

  afterAll(async () => {
    await replicas.stop();
    await kafka.stop();
    trust.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const given = (): { more: Replica; less: Replica } => {
    if (more === undefined || less === undefined) throw new Error('both have started');
    return { more, less };
  };

  it('each answers for both', async () => {
    const { less: one } = given();
    const isThere = async () => (await one.client.get(CANDIDATES)).status === 200 || undefined;
    await eventually('the other is known', isThere);
    const made = await one.client.post(CANDIDATES, CANDIDATE);
    expect(made.status).toBe(201);
    const found = await one.client.get(`${CANDIDATES}/one`);
    expect(textAt(found.body, 'spec', 'leaseName')).toBe('a');
    const watch = await HttpWatch.open(one.client, `${CANDIDATES}?resourceVersion=0`);
    await watch.until('the object', (event) => event.type === 'ADDED');
    watch.close();
    const { body: metrics } = await one.client.get('/metrics');
    expect(metrics).toMatch(
      /^apiserver_rerouted_request_total\{code="201",group="coordination.k8s.io",resource="leasecandidates",version="v1alpha2"\} 1$/m,
    );
  });

  it('discovery shows what both serve, and of one alone where it is asked for', async () => {
    const { less: one } = given();
    const versions = async (accept: string): Promise<unknown> => {
      const { body } = await one.client.get('/apis', { accept });
      const groups = listAt(body, 'items');
      const group = groups.find((each) => at(each, 'metadata', 'name') === 'coordination.k8s.io');
      return listAt(group, 'versions').map((each) => at(each, 'version'));
    };
    expect(await versions(ACCEPT)).toEqual(['v1', 'v1alpha2']);
    expect(await versions(`${ACCEPT};profile=nopeer`)).toEqual(['v1']);
  });

  it('what was passed on once is passed on no more, and what none serves is not found', async () => {
    const { less: one } = given();
    const proxied = await one.client.get(CANDIDATES, { 'x-kubernetes-peer-proxied': 'true' });
    expect(proxied.status).toBe(404);
    expect((await one.client.get('/apis/coordination.k8s.io/v1alpha3/others')).status).toBe(404);
  });

  it('what a server served alone is gone with it', async () => {
    const { more: other, less: one } = given();
    await replicas.end(other);
    const isGone = async () => (await one.client.get(CANDIDATES)).status === 404 || undefined;
    await eventually('it is not found', isGone);
    expect(faultsIn(one.server.logs())).toEqual([]);
  });
});
