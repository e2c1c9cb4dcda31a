/** One of the servers of bench/scale.ts: its data, its processes one after another, and what is asked of it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Filling,
  fillLog,
  NAMESPACE_OBJECTS,
  namespaceName,
  objectName,
} from '../e2e/scale/filled-log.ts';
import { BenchClient } from './bench-client.ts';
import { configMap, writeSamples } from './scale-samples.ts';
import {
  type BenchServer,
  cpuMicroseconds,
  cpuSeconds,
  residentMib,
  startServer,
  stopServer,
  TOKEN,
} from './bench-server.ts';

const MAPS = '/api/v1/configmaps';
const KIB_PER_MIB = 1_024;
const LOOK_MS = 5;
const REST_MS = 1_000;
/** A cut of the past writes more in that. */
const REST_BYTES = 1024 * 1024;
const GONE = 410;
/** In the server: how long its event loop stood still at most, written down when a signal asks. */
const LOOP = `
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { renameSync, writeFileSync } = require('node:fs');
const seen = monitorEventLoopDelay({ resolution: 1 });
const folder = process.env.EVERWATCH_SCALE;
seen.enable();
process.on('SIGUSR2', () => {
  writeFileSync(folder + '/told.new', String(seen.max / 1e6));
  renameSync(folder + '/told.new', folder + '/told');
  seen.reset();
});
`;
/** Reads an answer and counts its bytes, in a process of its own. */
const DRAIN = `
const [url, token] = process.argv.slice(1);
let bytes = 0;
require('node:https').get(url, { rejectUnauthorized: false, headers: { authorization: 'Bearer ' + token } },
  (answer) => answer.on('data', (chunk) => { bytes += chunk.length; })
    .on('end', () => console.log(answer.statusCode, bytes)));
`;

export type Asked = 'namespace' | 'page' | 'first page' | 'get' | 'create' | 'update';

/** How often each is asked in a round. */
const TIMES: Readonly<Record<Asked, number>> = {
  ...{ namespace: 20, page: 20, 'first page': 20 },
  ...{ get: 400, create: 400, update: 400 },
};

export interface Cost {
  readonly cpuUs: number;
  /** The median of what the client waited. */
  readonly ms: number;
  /** What one in a hundred waited. */
  readonly slowMs: number;
}

export class Side {
  readonly filling: Filling;
  readonly #directory: string;
  #server: BenchServer | undefined;
  #client: BenchClient | undefined;
  #asked = 0;
  #created = 0;

  constructor(directory: string, filling: Filling) {
    this.#directory = directory;
    this.filling = filling;
  }

  /** The last version that the log was filled with. */
  get newest(): number {
    return Number(readFileSync(this.#filledFile, 'utf8').split(' ').at(-1));
  }

  get #filledFile(): string {
    return join(this.#directory, 'filled');
  }

  get #running(): BenchServer {
    if (this.#server === undefined) throw new Error('the server does not run');
    return this.#server;
  }

  get #asking(): BenchClient {
    if (this.#client === undefined) throw new Error('the server does not run');
    return this.#client;
  }

  /** Does nothing where it was filled alike before. @returns whether the first start is still to come, which folds all. */
  async fill(print: (what: string, ...cells: string[]) => void): Promise<boolean> {
    const wanted = JSON.stringify(this.filling);
    const isFilled = existsSync(this.#filledFile);
    if (isFilled && readFileSync(this.#filledFile, 'utf8').startsWith(wanted)) return false;
    rmSync(this.#directory, { recursive: true, force: true });
    mkdirSync(this.#directory, { recursive: true });
    await this.start();
    await writeSamples(this.#asking);
    await this.stop();
    const { newest, seconds } = await fillLog(join(this.#directory, 'data'), this.filling);
    rmSync(join(this.#directory, 'data', 'store'), { recursive: true, force: true });
    writeFileSync(this.#filledFile, `${wanted} ${String(newest)}`);
    print('filled the log', `${String(newest)} events`, `${seconds.toFixed(0)} s`);
    return true;
  }

  /** @param flags more of them. */
  async start(flags: readonly string[] = []): Promise<void> {
    const hook = join(this.#directory, 'loop.cjs');
    writeFileSync(hook, LOOP);
    process.env['NODE_OPTIONS'] = `--require ${hook}`;
    process.env['EVERWATCH_SCALE'] = this.#directory;
    try {
      this.#server = await startServer(this.#directory, ['--authorization-mode=RBAC', ...flags]);
    } finally {
      delete process.env['NODE_OPTIONS'];
    }
    this.#client = new BenchClient(this.#server.url, TOKEN, 8);
  }

  async stop(): Promise<void> {
    this.#client?.close();
    if (this.#server !== undefined) await stopServer(this.#server);
    [this.#client, this.#server] = [undefined, undefined];
  }

  /** What the start took. */
  started(): string {
    const seconds = this.#running.readyMs / 1_000;
    const rate = this.filling.events / seconds / 1_000;
    return `${seconds.toFixed(1)} s, ${cpuSeconds(this.#running).toFixed(1)} s of CPU (${rate.toFixed(0)},000 events/s)`;
  }

  memory(): string {
    const status = readFileSync(`/proc/${String(this.#running.process.pid)}/status`, 'utf8');
    const anonymous = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / KIB_PER_MIB;
    const { objects, large } = this.filling;
    const each = (anonymous * 2 ** 20) / (objects + large);
    const all = `RSS ${residentMib(this.#running).toFixed(0)} MiB, anonymous ${anonymous.toFixed(0)} MiB`;
    return `${all}, ${each.toFixed(0)} bytes for each object`;
  }

  cpu(): number {
    return cpuSeconds(this.#running);
  }

  /** How many bytes it has written since it began, to files and sockets. */
  written(): number {
    const io = readFileSync(`/proc/${String(this.#running.process.pid)}/io`, 'utf8');
    return Number(/^wchar: (\d+)/m.exec(io)?.[1] ?? 0);
  }

  /** Whether it writes hardly anything where nothing is asked of it. */
  async isAtRest(): Promise<boolean> {
    const before = this.written();
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return this.written() - before < REST_BYTES;
  }

  /** The longest stop of the server's event loop since this was asked last, in milliseconds. */
  async longestStop(): Promise<number> {
    const file = join(this.#directory, 'told');
    rmSync(file, { force: true });
    this.#running.process.kill('SIGUSR2');
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return Number(readFileSync(file, 'utf8'));
  }

  /** Whether what was at this version can be read no more. */
  async isCut(version: number): Promise<boolean> {
    const query = `limit=1&resourceVersion=${String(version)}&resourceVersionMatch=Exact`;
    const { status, text } = await this.#asking.ask('GET', `${MAPS}?${query}`);
    if (status !== GONE && status !== 200) throw new Error(text);
    return status === GONE;
  }

  /** Asks for it some times, one after another. @param at a version of the past. */
  async ask(what: Asked, at?: number): Promise<Cost> {
    const times: number[] = [];
    const from = cpuMicroseconds(this.#running);
    for (let nth = 0; nth < TIMES[what]; nth += 1) {
      const [method, path, body] = this.#request(what, at);
      const asked = performance.now();
      const { status, text } = await this.#asking.ask(method, path, body);
      times.push(performance.now() - asked);
      if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${text}`);
    }
    const cpuUs = (cpuMicroseconds(this.#running) - from) / TIMES[what];
    const sorted = times.toSorted((a, b) => a - b);
    const until = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
    return { cpuUs, ms: until(0.5), slowMs: until(0.99) };
  }

  #request(what: Asked, at?: number): [method: string, path: string, body?: unknown] {
    this.#asked += 1;
    const one = (this.#asked * 7_919) % this.filling.objects;
    const namespace = namespaceName(Math.floor(one / NAMESPACE_OBJECTS));
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const exact =
      at === undefined ? '' : `resourceVersion=${String(at)}&resourceVersionMatch=Exact`;
    switch (what) {
      case 'namespace':
        return ['GET', `${maps}?${exact}`];
      case 'page':
        return ['GET', `${maps}?limit=500&${exact}`];
      case 'first page':
        return ['GET', `${MAPS}?limit=500&${exact}`];
      case 'get':
        return ['GET', `${maps}/${objectName(one)}`];
      case 'create':
        this.#created += 1;
        return [
          'POST',
          maps,
          configMap(`new-${String(process.pid)}-${String(this.#created)}`, 'v'),
        ];
      case 'update':
        return [
          'PUT',
          `${maps}/${objectName(one)}`,
          configMap(objectName(one), `u-${String(this.#asked)}`),
        ];
    }
  }

  /** The list of everything, as one answer. */
  async drainAll(): Promise<{ bytes: number; ms: number; cpuS: number }> {
    const [began, cpu] = [performance.now(), this.cpu()];
    const args = ['-e', DRAIN, `${this.#running.url}${MAPS}`, TOKEN];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => child.once('exit', resolve));
    const [status = '', bytes = ''] = said.trim().split(' ');
    if (status !== '200') throw new Error(`a list of everything: ${said}`);
    return { bytes: Number(bytes), ms: performance.now() - began, cpuS: this.cpu() - cpu };
  }

  /** Of some objects, as `everwatch history` asks for it. */
  async historyOfAnObject(): Promise<{ revisions: number; ms: number }> {
    const times: number[] = [];
    let revisions = 0;
    for (let nth = 1; nth <= 20; nth += 1) {
      const one = (nth * 15_013) % this.filling.objects;
      const path = `${namespaceName(Math.floor(one / NAMESPACE_OBJECTS))}/${objectName(one)}`;
      const query = `resource=core/configmaps&path=${encodeURIComponent(path)}&effectiveOnly=true`;
      const asked = performance.now();
      const { status, text } = await this.#asking.ask('GET', `/everwatch/v1/log?${query}`);
      times.push(performance.now() - asked);
      if (status !== 200) throw new Error(text);
      revisions = Math.max(revisions, text.trim().split('\n').length);
    }
    return { revisions, ms: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0 };
  }

  /** @param version its base. */
  async fork(version: number): Promise<{ madeMs: number; firstMs: number }> {
    const forks = '/apis/dev.everwatch/v1alpha1/forks';
    const name = `scale-${String(process.pid)}`;
    const began = performance.now();
    const made = await this.#asking.ask('POST', forks, {
      ...{ kind: 'Fork', apiVersion: 'dev.everwatch/v1alpha1' },
      ...{ metadata: { name }, spec: { revision: String(version) } },
    });
    const madeMs = performance.now() - began;
    if (made.status !== 201) throw new Error(made.text);
    const path = `/forks/${name}/api/v1/namespaces/${namespaceName(0)}/configmaps/${objectName(0)}`;
    const asked = performance.now();
    const { status, text } = await this.#asking.ask('GET', path);
    if (status !== 200) throw new Error(text);
    const firstMs = performance.now() - asked;
    await this.#asking.ask('DELETE', `${forks}/${name}`);
    return { madeMs, firstMs };
  }
}
