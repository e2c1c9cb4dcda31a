/**
 * WebSockets of browsers and of clients of today, frame by frame, to a node that does not understand those
 * of today: they are translated, and those of old pass as they are.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { residentBytes, settledBytes } from '../support/memory.ts';
import { describeWith } from '../support/requirements.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { type Kubelet, kubeletTrust, type KubeletTrust, nodeWithPod } from './kubelets.ts';

const PODS = '/api/v1/namespaces/default/pods';
const V5 = 'v5.channel.k8s.io';
/** A third of what the command says, and far more than a server holds of it. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

interface Said {
  readonly webSocket: WebSocket;
  readonly messages: Buffer[];
  readonly closed: Promise<void>;
  text(channel: number): string;
}

await describeWith('kubelet', 'WebSockets', (program) => {
  let trust: KubeletTrust;
  let kubelet: Kubelet;
  let server: RunningServer;
  let slow: RunningServer;
  let client: AdminClient;

  beforeAll(async () => {
    trust = await kubeletTrust();
    kubelet = await trust.start(program);
    const args = [...trust.serverFlags, '--kubelet-preferred-address-types=InternalIP'];
    [server, slow] = await Promise.all([
      startServer({ args }),
      startServer({ args: [...args, '--max-connection-bytes-per-sec=100000'] }),
    ]);
    client = adminClient(server);
    await nodeWithPod(client, 'old', kubelet);
    await nodeWithPod(client, 'dead', { host: kubelet.host, port: 1 });
    const other = adminClient(slow);
    await nodeWithPod(other, 'old', kubelet);
    other.close();
  });
  afterAll(async () => {
    client.close();
    await Promise.all([server.stop(), slow.stop()]);
    kubelet.stop();
    trust.remove();
  });

  function open(path: string, protocols: string[], to: RunningServer = server): Said {
    const { url, ca, cert, key } = readKubeconfig(to.kubeconfig);
    const webSocket = new WebSocket(`${url.replace('https', 'wss')}${PODS}/${path}`, protocols, {
      ca,
      cert,
      key,
    });
    const messages: Buffer[] = [];
    webSocket.on('message', (data: Buffer) => messages.push(data));
    const closed = new Promise<void>((resolve, reject) => {
      webSocket.on('close', () => {
        resolve();
      });
      webSocket.on('error', reject);
    });
    const text = (channel: number): string =>
      messages
        .filter(([first]) => first === channel)
        .map((one) => one.subarray(1).toString())
        .join('');
    return { webSocket, messages, closed, text };
  }

  function frame(channel: number, text: string): Buffer {
    return Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  }

  const exec = (command: string[], more = 'stdin=1&stdout=1&stderr=1'): string =>
    `old/exec?container=main&${more}&${command.map((word) => `command=${encodeURIComponent(word)}`).join('&')}`;

  it('a command is translated: both outputs, the code, and the end of its input', async () => {
    const said = open(exec(['sh', '-c', 'cat; echo problem >&2; exit 7']), [V5]);
    said.webSocket.on('open', () => {
      said.webSocket.send(frame(0, 'typed '));
      said.webSocket.send(frame(0, 'text'));
      said.webSocket.send(Buffer.from([255, 0]));
    });
    await said.closed;
    expect(said.webSocket.protocol).toBe(V5);
    expect(said.messages[0]).toEqual(Buffer.from([1]));
    expect([said.text(1), said.text(2)]).toEqual(['typed text', 'problem\n']);
    expect(JSON.parse(said.text(3))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: command terminated with exit code 7',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  it('success is told, and the size of a terminal', async () => {
    const said = open(exec(['size'], 'stdin=1&stdout=1&tty=1'), [V5]);
    said.webSocket.on('open', () => {
      said.webSocket.send(frame(4, '{"Width":132,"Height":50}'));
    });
    await said.closed;
    expect([said.text(1), JSON.parse(said.text(3))]).toEqual([
      '132x50\n',
      { metadata: {}, status: 'Success' },
    ]);
  });

  it('what goes wrong behind the handshake is told on the channel of errors', async () => {
    const missing = open(exec(['nonesuch-program']), [V5]);
    await missing.closed;
    expect(JSON.parse(missing.text(3))).toMatchObject({
      status: 'Failure',
      reason: 'InternalError',
      code: 500,
    });
    const dead = open('dead/exec?container=main&stdout=1&command=id', [V5]);
    await dead.closed;
    expect((JSON.parse(dead.text(3)) as { message: string }).message).toMatch(
      /^Internal error occurred: error sending request: Post "https:.*": dial tcp .*: connect: connection refused$/,
    );
  });

  it.each(['v4.channel.k8s.io', 'base64.channel.k8s.io'])(
    '%s passes as it is',
    async (protocol) => {
      const said = open(exec(['echo', 'hello']), protocol === '' ? [] : [protocol]);
      await said.closed;
      const all = Buffer.concat(said.messages).toString();
      expect(all).toContain(
        protocol.startsWith('base64') ? Buffer.from('hello\n').toString('base64') : 'hello\n',
      );
    },
  );

  it.each([
    [undefined, (bytes: Buffer) => bytes.toString()],
    ['binary.k8s.io', (bytes: Buffer) => bytes.toString()],
    ['base64.binary.k8s.io', (text: Buffer) => Buffer.from(text.toString(), 'base64').toString()],
  ])('a log is messages of %s', async (protocol, decoded) => {
    const offered = protocol === undefined ? [] : ['nonesuch.k8s.io', protocol];
    const said = open('old/log?container=main&tailLines=3', offered);
    await said.closed;
    expect(said.webSocket.protocol).toBe(protocol ?? '');
    expect(said.messages[0]?.length).toBe(0);
    expect(said.messages.map(decoded).join('')).toBe(
      '/containerLogs/default/old/main?tailLines=3\n',
    );
  });

  it('a followed log ends with its reader, and one of an unknown protocol is refused', async () => {
    const said = open('old/log?container=main&follow=1', ['binary.k8s.io']);
    await eventually('lines', () => said.messages.length > 5 || undefined);
    said.webSocket.terminate();
    await said.closed;
    await expect(open('old/log?container=main', [V5]).closed).rejects.toThrow('400');
    await eventually('the node is left', async () => (await openAtNode()) === 0 || undefined);
  });

  it('what has passed is counted as by kube-apiserver', async () => {
    const said = open(exec(['sh', '-c', 'exit 3']), [V5]);
    await said.closed;
    const { body } = await client.get('/metrics');
    const text = typeof body === 'string' ? body : '';
    for (const line of [
      'apiserver_stream_translator_requests_total{code="200"}',
      'apiserver_stream_translator_requests_total{code="500"}',
      'apiserver_websocket_streaming_requests_total{proxy_type="translated_at_apiserver",subresource="exec"}',
      'kube_apiserver_pod_logs_insecure_backend_total{usage="enforce_tls"}',
      'kube_apiserver_pod_logs_backend_tls_failure_total',
    ]) {
      expect(text).toContain(`\n${line} `);
    }
  });

  it('a client that goes ends the command', async () => {
    const said = open(exec(['sh', '-c', 'echo begun; exec sleep 1000'], 'stdout=1'), [V5]);
    await eventually('output', () => said.text(1) === 'begun\n' || undefined);
    said.webSocket.terminate();
    await said.closed;
    await eventually('the node is left', async () => (await openAtNode()) === 0 || undefined);
  });

  it('a client that does not read stops the command: what is under way is bounded', async () => {
    const before = residentBytes(server.pid);
    const said = open(exec(['head', '-c', '200000000', '/dev/zero'], 'stdout=1'), [V5]);
    await eventually('some output', () => said.messages.length > 3 || undefined);
    said.webSocket.pause();
    expect((await settledBytes(server.pid)) - before).toBeLessThan(HELD_BYTES_MAX);
    said.webSocket.terminate();
    await said.closed;
  });

  it('a limit of bytes in a second holds, translated and passed on', async () => {
    for (const protocol of [V5, 'v4.channel.k8s.io']) {
      const began = performance.now();
      const said = open(exec(['head', '-c', '200000', '/dev/zero'], 'stdout=1'), [protocol], slow);
      await said.closed;
      expect(said.text(1).length).toBe(200_000);
      expect(performance.now() - began).toBeGreaterThan(1_000);
    }
  });

  async function openAtNode(): Promise<number> {
    return Number((await client.get('/api/v1/nodes/old/proxy/open')).body);
  }
});
