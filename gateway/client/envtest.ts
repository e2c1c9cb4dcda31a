/**
 * `everwatch/envtest`: a control plane for a test suite in Node. All suites of a user share one process, unless they say
 * otherwise; no Docker engine is needed.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** What a suite says of its control plane. */
export interface ControlPlaneOptions {
  /** Of kube-apiserver, beside those for the port and the data directory. */
  readonly flags?: readonly string[];
  /** Which controllers run, as `--controllers` takes them: `*` for all. None by default, as with envtest. */
  readonly controllers?: string;
  /** Whether it shares a process with those of other suites; it does unless this is false. */
  readonly shared?: boolean;
  /** Kept behind the end; by default it is a temporary one. */
  readonly dataDir?: string;
}

/** A control plane that answers. */
export interface ControlPlane {
  /** Path of a kubeconfig file, of a user that may do everything. */
  readonly kubeconfig: string;
  /** Of the server: `https://127.0.0.1:PORT`. */
  readonly url: string;
  /**
   * Puts all objects back to what they were, with the resourceVersion that {@link version} told, or when the control plane
   * had started. Watches and caches go on.
   */
  reset(to?: string): Promise<void>;
  /** The resourceVersion of now, for {@link reset}: behind what a suite installs for all of its tests. */
  version(): Promise<string>;
  /** Ends it, and removes its data directory unless the suite has named one. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PROGRAM = '../envtest-kube-apiserver.cjs';
const READY = 'export KUBECONFIG=';
/** Of what it said on standard error, for the message where it does not start. */
const SAID_CHARS_MAX = 10_000;
const OK = 200;

type PlaneProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** @throws Error with what the control plane said, where it does not start. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { flags = [], controllers = '', shared = true } = options;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'everwatch-plane-')));
  const child = spawn(
    process.execPath,
    [
      ...[join(import.meta.dirname, PROGRAM), `--data-dir=${dataDir}`],
      ...['--secure-port=0', '--bind-address=127.0.0.1', '--authorization-mode=RBAC', ...flags],
    ],
    {
      env: {
        ...process.env,
        EVERWATCH_ENVTEST: shared ? 'shared' : 'alone',
        EVERWATCH_CONTROLLERS: controllers,
        // A pipe that nothing is written to closes with this process, also by a signal that runs no hook.
        EVERWATCH_ENVTEST_LIFELINE: 'stdin',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  // A suite that ends without an end of its control plane ends it, too, and sooner than by the pipe.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').then(async () => {
    process.off('exit', kill);
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  });
  const kubeconfig = await readyAt(child, ended);
  const ask = askerWith(readFileSync(kubeconfig, 'utf8'));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return {
    kubeconfig,
    url: ask.url,
    async reset(to) {
      await ask.send('POST', `/everwatch/v1/reset${to === undefined ? '' : `?to=${to}`}`);
    },
    async version() {
      const list = await ask.send('GET', '/api/v1/namespaces?limit=1');
      return /"resourceVersion":"(\d+)"/.exec(list)?.[1] ?? '';
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The path of its kubeconfig, which it prints when it is ready. */
function readyAt(child: PlaneProcess, ended: Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-SAID_CHARS_MAX);
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const path = kubeconfigIn(printed);
      if (path !== undefined) resolve(path);
    });
    child.once('error', reject);
    void ended.then(() => {
      reject(new Error(`the control plane did not start: ${said}`));
    });
  });
}

interface Asker {
  readonly url: string;
  /** @throws Error where it is not answered with 200. */
  readonly send: (method: string, path: string) => Promise<string>;
}

/** undefined: that line has not come whole. */
function kubeconfigIn(printed: string): string | undefined {
  const at = printed.indexOf(READY);
  const end = printed.indexOf('\n', at);
  if (at < 0 || end < 0) return undefined;
  const word = printed.slice(at + READY.length, end);
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}

/** The first value under that key in a kubeconfig as everwatch writes it, which has a line for each. */
function valueIn(kubeconfig: string, key: string): string {
  for (const line of kubeconfig.split('\n')) {
    const [name, value = ''] = line.replaceAll('"', '').trim().split(': ');
    if (name === key) return value.endsWith(',') ? value.slice(0, -1) : value;
  }
  return '';
}

/** With the client certificate of a kubeconfig as everwatch writes it. */
function askerWith(kubeconfig: string): Asker {
  const data = (key: string): Buffer => Buffer.from(valueIn(kubeconfig, key), 'base64');
  const url = valueIn(kubeconfig, 'server');
  const tls = {
    ca: data('certificate-authority-data'),
    cert: data('client-certificate-data'),
    key: data('client-key-data'),
  };
  return {
    url,
    send: (method, path) =>
      new Promise((resolve, reject) => {
        const sent = request(`${url}${path}`, { ...tls, method, agent: false }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => (text += part));
          answer.once('end', () => {
            if (answer.statusCode === OK) resolve(text);
            else reject(new Error(`${method} ${path}: ${String(answer.statusCode)} ${text}`));
          });
        });
        sent.once('error', reject).end();
      }),
  };
}
