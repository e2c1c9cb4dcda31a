/**
 * The real server as a process: start, kill, start again on the same directory, stop.
 *
 * `restart` takes the port the first start was given, so a client's kubeconfig goes on being right.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { adminClient, type AdminClient } from './admin-client.ts';
import { type RunningCommand, startCommand } from './command.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-port.ts';
import { readKubeconfig } from './kubeconfig.ts';

export interface ServerOptions {
  /** Default: a new temporary directory, removed by `stop`. */
  readonly dataDir?: string;
  /** Default: a free one that no other test takes while the server is dead. */
  readonly port?: number;
  /** Those that can be left out: none, so that no client but the test writes; `*` for all. */
  readonly controllers?: string;
  /** Whether the server keeps a Lease of its own, and renews it; no, so that no client but the test writes. */
  readonly identity?: boolean;
  /** Further flags of `serve`. */
  readonly args?: readonly string[];
  /** Added to our environment, as it is at each start. */
  readonly env?: NodeJS.ProcessEnv;
  /** A command that ends by running the one it is given, as in `nice -n 5`. */
  readonly launcher?: readonly string[];
  /** Another bundle than ours. */
  readonly program?: string;
}

export interface RunningServer {
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  /** Of the process that runs now; another one after a restart. */
  readonly pid: number;
  /** All that every process of this server has said, both streams. */
  logs(): string;
  /** SIGKILL, and wait until the process is gone. */
  kill9(): Promise<void>;
  /** SIGTERM. Resolves to the exit code, -1 for a signal; removes a temporary directory. */
  stop(): Promise<number>;
  /** Starts again on the same directory and port; what still runs is stopped by SIGTERM first. */
  restart(): Promise<void>;
}

export const SERVER_PROGRAM = join(import.meta.dirname, '../../dist/everwatch.js');

/** A server with this flag keeps no Lease of its own. The second gate depends on the first. */
export const WITHOUT_IDENTITY =
  '--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false';
/** Every server of a run is given these too, as in EVERWATCH_E2E_FLAGS='--workers 2'. */
const MORE_FLAGS = (process.env['EVERWATCH_E2E_FLAGS'] ?? '').split(' ').filter(Boolean);
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 180_000;

/** @throws with all that the server said when it ends or does not become ready. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const server = new ServerProcess(options);
  await server.start(options.port ?? (await freePorts(1))[0] ?? 0);
  return server;
}

/** Waits until `/readyz` answers 200. */
export async function untilReady(client: AdminClient): Promise<void> {
  const wait = { timeoutMs: READY_TIMEOUT_MS };
  await eventually('readyz 200', async () => (await isReady(client)) || undefined, wait);
}

async function isReady(client: AdminClient): Promise<boolean> {
  return (await client.get('/readyz')).status === 200;
}

class ServerProcess implements RunningServer {
  readonly dataDir: string;
  readonly #options: ServerOptions;
  #process: RunningCommand | undefined;
  #url = '';
  #pastLogs = '';

  constructor(options: ServerOptions) {
    this.#options = options;
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'everwatch-e2e-'));
  }

  get url(): string {
    return this.#url;
  }

  get kubeconfig(): string {
    return join(this.dataDir, 'admin.kubeconfig');
  }

  get pid(): number {
    return this.#process?.pid ?? -1;
  }

  async start(port: number): Promise<void> {
    const args = ['serve', '--data-dir', this.dataDir, '--secure-port', String(port)];
    const { controllers = '-*' } = this.#options;
    args.push('--bind-address', '127.0.0.1', `--controllers=${controllers}`);
    // As envtest has it: where no controller makes service accounts, pods need none.
    if (controllers !== '*') args.push('--disable-admission-plugins=ServiceAccount');
    if (this.#options.identity !== true) args.push(WITHOUT_IDENTITY);
    // As for the controllers: objects that come and go with the server are no part of most tests.
    if (controllers !== '*') args.push('--endpoint-reconciler-type=none');
    args.push(...(this.#options.args ?? []), ...MORE_FLAGS);
    const env = { ...process.env, ...this.#options.env };
    const program = this.#options.program ?? SERVER_PROGRAM;
    const command = [...(this.#options.launcher ?? []), process.execPath, program, ...args];
    this.#process = startCommand(command[0] ?? '', command.slice(1), { env });
    try {
      await this.#announced(this.#process);
      this.#url = readKubeconfig(this.kubeconfig).url;
      const client = adminClient(this);
      await untilReady(client).finally(() => client.close());
    } catch (cause) {
      const said = this.logs();
      await this.#end('SIGKILL');
      this.#removeTemporary();
      throw new Error(`The server did not become ready.\n${said}`, { cause });
    }
  }

  logs(): string {
    return this.#pastLogs + (this.#process ? this.#process.stdout() + this.#process.stderr() : '');
  }

  async kill9(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<number> {
    const code = await this.#end('SIGTERM');
    this.#removeTemporary();
    return code;
  }

  async restart(): Promise<void> {
    await this.#end('SIGTERM');
    await this.start(Number(new URL(this.#url).port));
  }

  /** The line with the kubeconfig is said when the file is written and the port is open. */
  async #announced(running: RunningCommand): Promise<void> {
    let hasEnded = false;
    void running.ended.then(() => (hasEnded = true));
    const wait = { timeoutMs: READY_TIMEOUT_MS };
    const said = (): 'ready' | 'ended' | undefined => {
      if (running.stdout().includes('export KUBECONFIG=')) return 'ready';
      return hasEnded ? 'ended' : undefined;
    };
    if ((await eventually('the line with export KUBECONFIG', said, wait)) === 'ready') return;
    throw new Error(`The server ended with code ${String((await running.ended).code)}.`);
  }

  #removeTemporary(): void {
    if (this.#options.dataDir === undefined) rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<number> {
    const running = this.#process;
    if (running === undefined) return 0;
    running.kill(signal);
    const timer = setTimeout(() => {
      running.kill('SIGKILL');
    }, STOP_TIMEOUT_MS);
    const { code, stdout, stderr } = await running.ended;
    clearTimeout(timer);
    this.#process = undefined;
    this.#pastLogs += `${stdout}${stderr}--- ended by ${signal}, code ${String(code)}\n`;
    return code;
  }
}
