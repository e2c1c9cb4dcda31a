/** The clients of the matrix: each runs its streams as processes of its own, but the JavaScript one. */
import { Attach, Exec, KubeConfig, Log, PortForward } from '@kubernetes/client-node';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';

import {
  type CommandResult,
  run,
  type RunningCommand,
  startCommand,
} from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import type { StreamTarget } from './stream-targets.ts';
import { echoedAt } from './echo.ts';

/** What comes of a stream that goes on; it is ended by `end`. */
export interface Going {
  said(): string;
  end(): Promise<void>;
}

/** One client by one protocol. Of what it cannot do it has no method. */
export interface StreamClient {
  /** As the matrix calls it. */
  readonly name: string;
  log(target: StreamTarget): Promise<string>;
  follow(target: StreamTarget): Promise<Going>;
  exec(target: StreamTarget, command: readonly string[], input: string): Promise<CommandResult>;
  attach(target: StreamTarget, input: string): Promise<Going>;
  /** Sends the text over three connections at once. @returns what comes back over each. */
  forward(target: StreamTarget, port: number, text: string): Promise<readonly string[]>;
  /** From here to the pod, or from the pod. */
  copy?(target: StreamTarget, from: string, to: string, isToPod: boolean): Promise<void>;
}

const CONTAINER = 'main';
const CONNECTIONS = 3;

/** A process that is told by arguments what to do. */
interface CommandLine {
  readonly name: string;
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (target: StreamTarget, follow: boolean) => string[];
  readonly exec: (target: StreamTarget, command: readonly string[]) => string[];
  readonly attach: (target: StreamTarget) => string[];
  readonly forward: (target: StreamTarget, port: number) => string[];
}

function byCommands(line: CommandLine): StreamClient {
  const envOf = ({ server }: StreamTarget) => ({ ...line.env, KUBECONFIG: server.kubeconfig });
  const going = (target: StreamTarget, args: string[], input = ''): Going => {
    const command = startCommand(line.program, args, { env: envOf(target), input });
    return { said: () => command.stdout() + command.stderr(), end: () => ended(command) };
  };
  return {
    name: line.name,
    async log(target) {
      const { stdout, stderr } = await run(line.program, line.log(target, false), {
        env: envOf(target),
      });
      return stdout + stderr;
    },
    follow: (target) => Promise.resolve(going(target, line.log(target, true))),
    exec: (target, command, input) =>
      run(line.program, line.exec(target, command), { env: envOf(target), input }),
    attach: (target, input) => Promise.resolve(going(target, line.attach(target), input)),
    async forward(target, port, text) {
      const forwarding = going(target, line.forward(target, port));
      try {
        const local = await eventually(forwarding.said, () => {
          return /127\.0\.0\.1:(\d+) ->/.exec(forwarding.said())?.[1];
        });
        const all = Array.from({ length: CONNECTIONS }, () => echoedAt(Number(local), text));
        return await Promise.all(all);
      } finally {
        await forwarding.end();
      }
    },
  };
}

async function ended(command: RunningCommand): Promise<void> {
  command.kill('SIGKILL');
  await command.ended;
}

/** kubectl by one protocol. @param home for its cache. */
export function kubectlClient(
  name: string,
  program: string,
  { home, isWebSocket }: { readonly home: string; readonly isWebSocket: boolean },
): StreamClient {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: home },
    KUBECTL_REMOTE_COMMAND_WEBSOCKETS: String(isWebSocket),
    KUBECTL_PORT_FORWARD_WEBSOCKETS: String(isWebSocket),
  };
  const client = byCommands({
    ...{ name, program, env },
    log: ({ pod }, follow) => ['logs', pod, '-c', CONTAINER, ...(follow ? ['-f'] : [])],
    exec: ({ pod }, command) => ['exec', '-i', pod, '-c', CONTAINER, '--', ...command],
    attach: ({ pod }) => ['attach', '-i', pod, '-c', CONTAINER],
    forward: ({ pod }, port) => ['port-forward', pod, `:${String(port)}`],
  });
  return {
    ...client,
    async copy({ pod, server }, from, to, isToPod) {
      const args = isToPod ? [from, `${pod}:${to}`] : [`${pod}:${from}`, to];
      const { code, stderr } = await run(program, ['cp', '-c', CONTAINER, ...args], {
        env: { ...env, KUBECONFIG: server.kubeconfig },
      });
      if (code !== 0) throw new Error(stderr);
    },
  };
}

/** client-go, by e2e/go/cmd/streams-check. */
export function clientGo(program: string, protocol: 'spdy' | 'websocket'): StreamClient {
  return byCommands({
    ...{ name: `client-go, ${protocol}`, program, env: process.env },
    log: ({ pod }, follow) => [protocol, 'log', pod, CONTAINER, String(follow)],
    exec: ({ pod }, command) => [protocol, 'exec', pod, CONTAINER, ...command],
    attach: ({ pod }) => [protocol, 'attach', pod, CONTAINER],
    forward: ({ pod }, port) => [protocol, 'forward', pod, String(port)],
  });
}

const PYTHON = join(import.meta.dirname, '../../python/streams.py');

/** The Python client, by e2e/python/streams.py. */
export function pythonStreams(env: NodeJS.ProcessEnv): StreamClient {
  const client = byCommands({
    ...{ name: 'Python', program: 'python3', env },
    log: ({ pod }, follow) => [PYTHON, 'log', pod, CONTAINER, String(follow)],
    exec: ({ pod }, command) => [PYTHON, 'exec', pod, CONTAINER, ...command],
    attach: ({ pod }) => [PYTHON, 'attach', pod, CONTAINER],
    forward: () => [],
  });
  return {
    ...client,
    // It has sockets of its own, and no port of this machine.
    async forward({ pod, server }, port, text) {
      const args = [PYTHON, 'forward', pod, String(port)];
      const withConfig = { ...env, KUBECONFIG: server.kubeconfig };
      const { code, stderr } = await run('python3', args, { env: withConfig, input: text });
      if (code !== 0) throw new Error(stderr);
      return Array.from({ length: CONNECTIONS }, () => text);
    },
  };
}

function configOf({ server }: StreamTarget): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return config;
}

/** Keeps what it is written. */
function sink(): { readonly to: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const to = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { to, text: () => Buffer.concat(chunks).toString() };
}

/** The JavaScript client, in this process. */
export const clientNode: StreamClient = {
  name: 'JavaScript',
  async log(target) {
    const { to, text } = sink();
    await new Log(configOf(target)).log('default', target.pod, CONTAINER, to);
    return eventually('a log', () => (text() === '' ? undefined : text()));
  },
  async follow(target) {
    const { to, text } = sink();
    const abort = await new Log(configOf(target)).log('default', target.pod, CONTAINER, to, {
      follow: true,
    });
    to.on('error', () => undefined);
    return {
      said: text,
      end() {
        abort.abort();
        return Promise.resolve();
      },
    };
  },
  async exec(target, command, input) {
    const [out, err] = [sink(), sink()];
    const code = await new Promise<number>((resolve, reject) => {
      new Exec(configOf(target))
        .exec(
          'default',
          target.pod,
          CONTAINER,
          [...command],
          out.to,
          err.to,
          Readable.from([input]),
          false,
          ({ status, details }) => {
            const cause = details?.causes?.find(({ reason }) => reason === 'ExitCode');
            resolve(status === 'Success' ? 0 : Number(cause?.message ?? 1));
          },
        )
        .catch(reject);
    });
    return { code, stdout: out.text(), stderr: err.text() };
  },
  async attach(target, input) {
    const out = sink();
    const stdin = Readable.from([input]);
    const webSocket = await new Attach(configOf(target)).attach(
      ...(['default', target.pod, CONTAINER, out.to, sink().to, stdin, false] as const),
    );
    return {
      said: out.text,
      end() {
        webSocket.close();
        return Promise.resolve();
      },
    };
  },
  forward: (target, port, text) =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const out = sink();
        const input = new PassThrough();
        const forwarding = new PortForward(configOf(target));
        const webSocket = await forwarding.portForward(
          'default',
          target.pod,
          [port],
          out.to,
          null,
          input,
        );
        input.write(text);
        const came = (): string | undefined =>
          out.text().length >= text.length ? out.text() : undefined;
        const back = await eventually('an echo', came);
        if (typeof webSocket !== 'function') webSocket.close();
        return back;
      }),
    ),
};
