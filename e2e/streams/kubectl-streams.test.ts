/**
 * exec, attach, cp and port-forward of the real kubectl, by SPDY and by WebSocket, to nodes that understand
 * WebSockets and to nodes that do not: each client with each node.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { created } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { type Kubelet, kubeletTrust, type KubeletTrust, nodeWithPod } from './kubelets.ts';

const kubectlProgram = await needs('kubectl');

const SPDY = {
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
  KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false',
};
const WEB_SOCKET = {
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'true',
  KUBECTL_PORT_FORWARD_WEBSOCKETS: 'true',
};
const CELLS = [
  ['SPDY', 'old', SPDY],
  ['SPDY', 'new', SPDY],
  ['WebSocket', 'old', WEB_SOCKET],
  ['WebSocket', 'new', WEB_SOCKET],
] as const;
const BYTES = 3_000_000;

await describeWith('kubelet', 'streams of kubectl', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-streams-'));
  let trust: KubeletTrust;
  let kubelets: readonly Kubelet[];
  let serverFlags: readonly string[];
  let server: RunningServer;
  let stopping: RunningServer;
  let client: AdminClient;
  let echo: Server;
  const kubectl = kubectlFor(kubectlProgram ?? '', () => server);
  const kubectlThere = kubectlFor(kubectlProgram ?? '', () => stopping);

  async function withNodes(of: AdminClient): Promise<void> {
    const [old, recent] = kubelets as readonly [Kubelet, Kubelet];
    await nodeWithPod(of, 'old', old);
    await nodeWithPod(of, 'new', { ...recent, features: ['ExtendWebSocketsToKubelet'] });
  }

  beforeAll(async () => {
    trust = await kubeletTrust();
    kubelets = await Promise.all([
      trust.start(program),
      trust.start(program, { webSockets: true }),
    ]);
    serverFlags = [...trust.serverFlags, '--kubelet-preferred-address-types=InternalIP'];
    server = await startServer({ args: serverFlags });
    client = adminClient(server);
    await withNodes(client);
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
  });
  afterAll(async () => {
    client.close();
    echo.close();
    await server.stop();
    for (const one of kubelets) one.stop();
    trust.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it.runIf(kubectlProgram !== undefined).each(CELLS)(
    'exec by %s to a node that is %s: output, errors, code, input to its end',
    async (_, pod, env) => {
      const failed = await kubectl.attempt(
        ['exec', pod, '-c', 'side', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3'],
        { env },
      );
      expect([failed.code, failed.stdout]).toEqual([3, 'out\n']);
      expect(failed.stderr).toContain('err\n');
      expect(failed.stderr).toContain('command terminated with exit code 3');
      const input = 'x'.repeat(BYTES);
      const sent = await kubectl.words(['exec', '-i', pod, '--', 'sha256sum'], { env, input });
      expect(sent).toContain(createHash('sha256').update(input).digest('hex'));
      const got = await kubectl.words(
        ['exec', pod, '--', 'head', '-c', String(BYTES), '/dev/zero'],
        {
          env,
        },
      );
      expect(got.length).toBe(BYTES);
      const missing = await kubectl.attempt(['exec', pod, '--', 'nonesuch-program'], { env });
      expect(missing.code).toBe(1);
      expect(missing.stderr).toContain('executable file not found');
    },
  );

  it.runIf(kubectlProgram !== undefined).each(CELLS)(
    'attach and cp by %s to a node that is %s',
    async (_, pod, env) => {
      const attached = await kubectl.words(['attach', '-i', pod], { env, input: 'typed\n' });
      expect(attached).toBe('attached\ntyped\n');
      const [from, to] = [join(folder, `${pod}-from`), join(folder, `${pod}-to`)];
      const bytes = Buffer.alloc(200_000, pod);
      writeFileSync(from, bytes);
      await kubectl.words(['cp', from, `${pod}:${to}`], { env });
      expect(readFileSync(to).equals(bytes)).toBe(true);
      rmSync(from);
      await kubectl.words(['cp', `${pod}:${to}`, from], { env });
      expect(readFileSync(from).equals(bytes)).toBe(true);
    },
  );

  it.runIf(kubectlProgram !== undefined).each(CELLS)(
    'exec by %s does not end well where a node that is %s dies under it',
    async (by, kind, env) => {
      const pod = `dying-${kind}-${by.toLowerCase()}`;
      const webSockets = kind === 'new';
      const node = await trust.start(program, { webSockets });
      const features = webSockets ? ['ExtendWebSocketsToKubelet'] : [];
      await nodeWithPod(client, pod, { ...node, features });
      const script = 'echo begun; exec sleep 5';
      const exec = kubectl.start(['exec', pod, '-c', 'main', '--', 'sh', '-c', script], { env });
      await eventually('output', () => exec.stdout() === 'begun\n' || undefined);
      node.stop();
      const { code, stdout, stderr } = await exec.ended;
      expect([code, stdout], stderr).toEqual([1, 'begun\n']);
    },
  );

  it.runIf(kubectlProgram !== undefined)(
    'no command ends well under a server that stops',
    async () => {
      stopping = await startServer({ args: serverFlags });
      const admin = adminClient(stopping);
      await withNodes(admin);
      admin.close();
      const script = 'echo begun; exec sleep 60';
      const commands = CELLS.map(([by, pod, env]) => {
        const words = ['exec', pod, '-c', 'main', '--', 'sh', '-c', script];
        const isTold = by === 'SPDY' || pod === 'old';
        const why = isTold ? 'the API server is stopping' : 'close 1006';
        return { ...kubectlThere.start(words, { env }), why };
      });
      await eventually('output of all', () => {
        return commands.every(({ stdout }) => stdout() === 'begun\n') || undefined;
      });
      expect(await stopping.stop()).toBe(0);
      for (const { ended, why } of commands) {
        const { code, stdout, stderr } = await ended;
        expect([code, stdout, stderr]).toEqual([1, 'begun\n', expect.stringContaining(why)]);
      }
    },
  );

  it.runIf(kubectlProgram !== undefined)('debug attaches to a container of its own', async () => {
    const debug = kubectl.start('debug old -i --image=tools:1 --container=tools -q');
    const pod = '/api/v1/namespaces/default/pods/old';
    await eventually('the container', async () => {
      const { body } = await client.get(pod);
      return JSON.stringify(body).includes('"ephemeralContainers":[{"name":"tools"') || undefined;
    });
    const state = { running: { startedAt: '2026-11-23T10:00:00Z' } };
    const of = {
      name: 'tools',
      image: 'tools:1',
      imageID: '',
      ready: false,
      restartCount: 0,
      state,
    };
    await client.patch(`${pod}/status`, { status: { ephemeralContainerStatuses: [of] } });
    const { code, stdout, stderr } = await debug.ended;
    expect([code, stdout], stderr).toEqual([0, 'attached\n']);
  });

  it.runIf(kubectlProgram !== undefined)('attach -it has a terminal, through both', async () => {
    for (const pod of ['old', 'new']) {
      const words = [kubectlProgram ?? '', 'attach', '-it', pod, '-c', 'main'];
      const program = `import pty, sys; sys.exit(pty.spawn(${JSON.stringify(words)}) >> 8)`;
      const env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: folder };
      const terminal = startCommand('python3', ['-c', program], { env });
      await eventually(
        'the terminal',
        () => terminal.stdout().includes('attached\r\n') || undefined,
      );
      terminal.kill('SIGKILL');
      await terminal.ended;
    }
  });

  it.runIf(kubectlProgram !== undefined)('logs of all pods are followed', async () => {
    await kubectl('label pods old new app=web');
    const selector = { matchLabels: { app: 'web' } };
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    };
    await created(client, '/apis/apps/v1/namespaces/default/deployments', {
      ...{ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'web' } },
      spec: { selector, template },
    });
    const following = kubectl.start('logs -f deployments/web --all-pods -c main');
    const lines = ['[pod/old/main] line 9\n', '[pod/new/main] line 9\n'];
    await eventually('lines of both', () => {
      return lines.every((line) => following.stdout().includes(line)) || undefined;
    });
    following.kill('SIGKILL');
    await following.ended;
  });

  it.runIf(kubectlProgram !== undefined)('proxy passes logs and commands on', async () => {
    const proxy = kubectl.start('proxy --port=0 --reject-paths=^$');
    const origin = await eventually('its port', () => /127\.0\.0\.1:\d+/.exec(proxy.stdout())?.[0]);
    const pods = `http://${origin}/api/v1/namespaces/default/pods`;
    const log = await fetch(`${pods}/old/log?container=side`);
    expect(await log.text()).toBe('/containerLogs/default/old/side?\n');
    const command = `${pods.replace('http', 'ws')}/old/exec?container=main&stdout=1&command=echo&command=hello`;
    const webSocket = new WebSocket(command, ['v5.channel.k8s.io']);
    let said = '';
    webSocket.on('message', (data: Buffer) => (said += data.subarray(1).toString()));
    await once(webSocket, 'close');
    expect(said).toContain('hello\n');
    proxy.kill('SIGKILL');
    await proxy.ended;
  });

  it.runIf(kubectlProgram !== undefined).each(CELLS)(
    'port-forward by %s to a node that is %s: many connections at once',
    async (_, pod, env) => {
      const { port } = echo.address() as { port: number };
      const forward = kubectl.start(`port-forward ${pod} :${String(port)}`, { env });
      try {
        const local = await eventually(
          'the port that is forwarded',
          () => /127\.0\.0\.1:(\d+) ->/.exec(forward.stdout())?.[1],
        );
        const texts = Array.from({ length: 30 }, (_one, index) =>
          `hello ${String(index)} `.repeat(999),
        );
        const answers = await Promise.all(texts.map((text) => echoed(Number(local), text)));
        expect(answers).toEqual(texts);
      } finally {
        forward.kill('SIGKILL');
        await forward.ended;
      }
    },
  );
});

function echoed(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let came = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      came += chunk;
      if (came.length >= text.length) socket.end();
    });
    socket.on('close', () => {
      resolve(came);
    });
    socket.on('error', reject);
    socket.write(text);
  });
}
