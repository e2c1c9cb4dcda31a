/**
 * What kube-apiserver passes on to others, and this server does not: whole classes of attacks have
 * nowhere to begin. Should one of these paths be served one day, its rows in THREAT_MODEL.md need tests.
 */
import { beforeAll, expect, it } from 'vitest';

import { created, pod } from '../api/objects.ts';
import { CRLF, tlsTo, untilClosed } from '../hostile/wire.ts';
import { adminClient } from '../support/admin-client.ts';
import { listAt, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const server = serverForThisFile();
const DEFAULT = '/api/v1/namespaces/default';

const metadata = { name: 'one' };
const node = { kind: 'Node', apiVersion: 'v1', metadata };
const service = { kind: 'Service', apiVersion: 'v1', metadata, spec: { ports: [{ port: 80 }] } };

const UPGRADES = ['SPDY/3.1', 'websocket', 'h2c'];

/** A request that asks to go on in another protocol, and what the client would say in it. */
function upgrade(path: string, protocol: string, behind: string): string {
  const headers = [
    `GET ${path} HTTP/1.1`,
    'Host: everwatch',
    'Connection: Upgrade',
    `Upgrade: ${protocol}`,
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: v5.channel.k8s.io',
  ];
  return `${headers.join(CRLF)}${CRLF}${CRLF}${behind}`;
}

beforeAll(async () => {
  const client = adminClient(server());
  await created(client, `${DEFAULT}/pods`, pod('one'));
  await created(client, '/api/v1/nodes', node);
  await created(client, `${DEFAULT}/services`, service);
  client.close();
});

it.each<[cve: string, path: string]>([
  ['CVE-2018-1002105, CVE-2020-8559', `${DEFAULT}/pods/one/exec?command=id`],
  ['CVE-2018-1002105, CVE-2020-8559', `${DEFAULT}/pods/one/attach`],
  ['CVE-2018-1002105, CVE-2020-8559', `${DEFAULT}/pods/one/portforward`],
  ['CVE-2018-1002105', '/apis/metrics.example.com/v1/tunnels'],
  ['CVE-2020-8562', `${DEFAULT}/pods/one/proxy/`],
  ['CVE-2020-8562, CVE-2020-8555', `${DEFAULT}/services/one/proxy/`],
  ['CVE-2022-3294', '/api/v1/nodes/one/proxy/'],
  ['CVE-2018-1002102', '/api/v1/proxy/nodes/one/pods'],
])('%s: nothing is passed on by %s, whatever protocol is asked for', async (_, path) => {
  for (const protocol of UPGRADES) {
    const next = `GET /version HTTP/1.1${CRLF}Host: a${CRLF}Connection: close${CRLF}${CRLF}`;
    const socket = await tlsTo(server(), 'http/1.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = untilClosed(socket);
    socket.write(upgrade(path, protocol, next));
    await closed;
    const answer = Buffer.concat(chunks).toString();
    // One answer, not that of a backend, and the connection is closed behind it.
    expect(answer.match(/^HTTP\/1\.1 \d+/gm), protocol).toEqual(['HTTP/1.1 404']);
  }
});
it('CVE-2022-3172: nothing is asked of a server that an APIService names', async () => {
  const client = adminClient(server());
  const services = '/apis/apiregistration.k8s.io/v1/apiservices';
  await created(client, services, {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name: 'v1.metrics.example.com' },
    spec: {
      group: 'metrics.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'metrics' },
    },
  });
  for (const path of ['', '/nodes', '/namespaces/default/pods/one']) {
    expect((await client.get(`/apis/metrics.example.com/v1${path}`)).status).toBe(404);
  }
  const groups = listAt((await client.get('/apis')).body, 'groups');
  expect(groups.map((group) => textAt(group, 'name'))).not.toContain('metrics.example.com');
  client.close();
});
