/** Logs and proxies, against the real streaming code of a kubelet. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { created } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, textAt } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { residentBytes, settledBytes } from '../support/memory.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import {
  type Kubelet,
  kubeletTrust,
  type KubeletTrust,
  machineAddress,
  nodeWithPod,
  podOn,
  startBackend,
} from './kubelets.ts';

const PODS = '/api/v1/namespaces/default/pods';
const MIB = 1024 * 1024;
const SERVICES = '/api/v1/namespaces/default/services';
const kubectlProgram = await needs('kubectl');

await describeWith('kubelet', 'what is passed on', (program) => {
  let trust: KubeletTrust;
  let kubelet: Kubelet;
  let backend: Kubelet;
  let server: RunningServer;
  let client: AdminClient;
  const kubectl = kubectlFor(kubectlProgram ?? '', () => server);

  beforeAll(async () => {
    trust = await kubeletTrust();
    [kubelet, backend] = await Promise.all([trust.start(program), startBackend(program)]);
    server = await startServer({
      args: [...trust.serverFlags, '--kubelet-preferred-address-types=InternalIP'],
    });
    client = adminClient(server);
    await nodeWithPod(client, 'one', kubelet);
    await podOn(client, 'nowhere', {});
    await podOn(client, 'lost', { nodeName: 'gone' });
    await created(client, SERVICES, {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'web' },
      spec: { ports: [{ name: 'http', port: 80 }] },
    });
    await created(client, '/api/v1/namespaces/default/endpoints', {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { name: 'web' },
      subsets: [
        {
          addresses: [
            { ip: machineAddress(), targetRef: { kind: 'Pod', namespace: 'default', name: 'one' } },
            { ip: '203.0.113.7', targetRef: { kind: 'Pod', namespace: 'default', name: 'one' } },
          ],
          ports: [{ name: 'http', port: backend.port }],
        },
      ],
    });
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    kubelet.stop();
    backend.stop();
    trust.remove();
  });

  it('a log is that of the container that is named, with its options in order', async () => {
    const query =
      'container=side&tailLines=5&limitBytes=100&timestamps=1&previous=true&sinceSeconds=9&nonesuch=1';
    const { status, headers, body } = await client.get(`${PODS}/one/log?${query}`);
    expect([status, headers['content-type'], body]).toEqual([
      200,
      'text/plain',
      '/containerLogs/default/one/side?limitBytes=100&previous=true&sinceSeconds=9&tailLines=5&timestamps=true\n',
    ]);
  });

  it.each<[path: string, code: number, message: string]>([
    ['one/log', 400, 'a container name must be specified for pod one, choose one of: [main side]'],
    ['one/log?container=x', 400, 'container x is not valid for pod one'],
    ['one/log?container=main&tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'one/log?container=main&tailLines=-1&limitBytes=0&stream=All',
      422,
      'PodLogOptions "one" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0, stream: Forbidden: may not be specified]',
    ],
    ['lost/log?container=main', 404, 'pods "gone" not found'],
    ['none/log', 404, 'pods "none" not found'],
    ['one/exec?container=main&command=id', 400, 'Upgrade request required'],
    ['one/exec?container=main&dryRun=All', 400, 'dryRun is not supported'],
    ['nowhere/exec?container=main', 400, 'pod nowhere does not have a host assigned'],
    ['a:b:c:d/proxy/', 400, 'invalid pod request "a:b:c:d"'],
    ['ftp:one:1/proxy/', 400, 'invalid pod request "ftp:one:1"'],
  ])('%s is refused', async (path, code, message) => {
    const { status, body } = await client.get(`${PODS}/${path}`);
    expect([status, at(body, 'message')]).toEqual([code, message]);
  });

  it('a pod without a node has no log, and a node that has none says so', async () => {
    const { status, body } = await client.get(`${PODS}/nowhere/log?container=main`);
    expect([status, body]).toEqual([204, '']);
  });

  it('a log is followed while the client listens, and not longer', async () => {
    const log = await client.open(`${PODS}/one/log?container=main&follow=true`);
    let text = '';
    log.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await eventually('ten lines', () => text.includes('line 9\n') || undefined);
    expect(await openAt(kubelet)).toBe(1);
    log.destroy();
    await eventually('the node is left', async () => (await openAt(kubelet)) === 0 || undefined);
  });

  it('a slow reader slows the node: what is under way is bounded', async () => {
    const size = 96 * MIB;
    const before = residentBytes(server.pid);
    const answer = await client.open(`/api/v1/nodes/one/proxy/big/${String(size)}`);
    answer.pause();
    expect((await settledBytes(server.pid)) - before).toBeLessThan(48 * MIB);
    let read = 0;
    for await (const chunk of answer) read += (chunk as Buffer).length;
    expect(read).toBe(size);
  });

  it('a request for a node takes its body, headers and query along, and no credentials', async () => {
    const { status, headers, body } = await client.send(
      'PUT',
      '/api/v1/nodes/one/proxy/a%20b/c/?x=1&y=%2F',
      {
        body: 'hello',
        headers: {
          'Impersonate-User': 'jane',
          'Impersonate-Group': 'system:masters',
          'X-Remote-User': 'root',
          'X-Custom': 'kept',
          Connection: 'x-dropped',
          'X-Dropped': '1',
          Authorization: 'Bearer none',
        },
      },
    );
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).toMatchObject({
      ...{ method: 'PUT', path: '/a%20b/c/', query: 'x=1&y=%2F', body: 'hello' },
      ...{ host: new URL(server.url).host, commonName: 'the-server' },
    });
    const names = Object.keys(at(body, 'headers') as object);
    expect(names).toContain('X-Custom');
    expect(
      names.filter((name) => /^(Impersonate|X-Remote|Authorization|X-Dropped)/.test(name)),
    ).toEqual([]);
    expect(textAt(body, 'headers', 'X-Forwarded-For', '0')).toContain('127.0.0.1');
    expect(textAt(body, 'headers', 'X-Forwarded-Uri', '0')).toBe(
      '/api/v1/nodes/one/proxy/a%20b/c/',
    );
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is passed on',
    async (method) => {
      const { status, body } = await client.send(
        method,
        `${PODS}/one:${String(backend.port)}/proxy/x`,
      );
      expect([status, at(body, 'method'), at(body, 'path')]).toEqual([200, method, '/x']);
      const head = await client.send('HEAD', `${PODS}/one:${String(backend.port)}/proxy/x`);
      expect(head.status).toBe(200);
    },
  );

  it('links and redirects lead to where the backend is here', async () => {
    const base = `${SERVICES}/web:http/proxy`;
    const page = await client.get(`${base}/page`);
    expect(page.body).toBe(
      `<a href="${base}/metrics">x</a><a href="sub">y</a><a href="https://example.org/z">z</a>`,
    );
    const moved = await client.get(`${base}/redirect`);
    expect([moved.status, moved.headers.location]).toEqual([302, `${base}/elsewhere?a=b`]);
    const bare = await client.get(`${SERVICES}/web:80/proxy?a=b`);
    expect([bare.status, bare.headers.location]).toEqual([301, `${SERVICES}/web:80/proxy/?a=b`]);
  });

  it.each<[path: string, code: number, message: RegExp]>([
    [`${SERVICES}/web:81/proxy/`, 503, /^no service port 81 found for service "web"$/],
    [`${SERVICES}/web:other/proxy/`, 503, /^no endpoints available for service "web:other"$/],
    [`${SERVICES}/none/proxy/`, 404, /^services "none" not found$/],
    [
      `${PODS}/one:1/proxy/`,
      503,
      /^error trying to reach service: dial tcp .*:1: connect: connection refused$/,
    ],
    [`${PODS}/https:one:PLAIN/proxy/`, 503, /^error trying to reach service: /],
    [`/at/1${PODS}/one/log`, 400, /^nodes, pods and services can be reached as they are now/],
  ])('%s cannot be reached', async (path, code, message) => {
    const { status, body } = await client.get(path.replace('PLAIN', String(backend.port)));
    expect([status, at(body, 'message')]).toEqual([code, expect.stringMatching(message)]);
  });

  it('CVE-2020-8562, CVE-2022-3294: a node on the loopback is not passed on to, whatever it is called', async () => {
    for (const [name, address] of [
      ['loop', '127.0.0.1'],
      ['named', 'localhost'],
    ] as const) {
      await nodeWithPod(client, name, { host: address, port: kubelet.port });
      const { status, body } = await client.get(`/api/v1/nodes/${name}/proxy/pods`);
      expect([status, at(body, 'message')]).toEqual([400, 'address not allowed']);
    }
  });

  it('a node that shows another certificate is not believed, unless a log may be', async () => {
    // Its certificate is for its address, and the loopback is none of its names.
    const { status, body } = await client.get(`${PODS}/loop/log?container=main`);
    expect(status).toBe(500);
    expect(textAt(body, 'message')).toMatch(/^Get "https:\/\/127.*x509: certificate is valid for /);
    const query = 'container=main&insecureSkipTLSVerifyBackend=true';
    expect((await client.get(`${PODS}/loop/log?${query}`)).status).toBe(200);
  });

  it.runIf(kubectlProgram !== undefined)('kubectl logs and proxies', async () => {
    expect(await kubectl('logs one')).toBe('/containerLogs/default/one/main?\n');
    expect(await kubectl('logs one --all-containers')).toContain('/one/side?');
    const following = kubectl.start('logs -f one -c side --tail=3');
    await eventually('a followed log', () => following.stdout().includes('line 20\n') || undefined);
    following.kill('SIGTERM');
    await following.ended;
    expect(await kubectl(`get --raw ${SERVICES}/http:web:http/proxy/y`)).toContain('"path":"/y"');
  });

  async function openAt(of: Kubelet): Promise<number> {
    const { body } = await client.get('/api/v1/nodes/one/proxy/open');
    expect(of.port).toBe(kubelet.port);
    return Number(body);
  }
});
