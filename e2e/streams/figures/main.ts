/**
 * `npm run figures:streams -- [--beside] [--only floor|exec|forward|follow|copy]`: what streams cost this server. Each
 * figure stands beside the load of the machine, and those of a GiB beside that of a bare pipe between two TLS
 * connections. With `--beside` kube-apiserver does the same by turns, over the same nodes.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

import { startOurs, startTheirs, type StartSide } from '../../cluster/beside.ts';
import { adminClient, type AdminClient } from '../../support/admin-client.ts';
import { run, startCommand } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { goProgram } from '../../support/go-program.ts';
import { kubeletTrust, nodeWithPod } from '../kubelets.ts';
import { startEcho } from '../matrix/echo.ts';
import { cipherSeconds, tlsPipeSeconds } from './floor.ts';
import { runArguments } from '../../../run-arguments.ts';

const BLOCK = randomBytes(1024 * 1024);
const BLOCKS = Number(process.env['BLOCKS'] ?? 1_024);
const TURNS = 2;
const FORWARDED = 1_000;
const ROUNDS = 10;
const FOLLOWERS = 100;
const FILES = 10_000;
const TICKS_PER_SECOND = 100;

const { values } = runArguments(import.meta.filename, {
  options: { beside: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'everwatch-figures-'));
const trust = await kubeletTrust();
const program = await goProgram('kubelet');
const kubectl = await goProgram('kubectl');
const old = await trust.start(program);
const recent = await trust.start(program, { webSockets: true });

/** A server in the middle. */
interface Side {
  readonly name: string;
  readonly server: Awaited<ReturnType<StartSide>>;
  readonly client: AdminClient;
  readonly env: NodeJS.ProcessEnv;
}

async function side(name: string, start: StartSide): Promise<Side> {
  const server = await start([
    ...trust.serverFlags,
    '--kubelet-preferred-address-types=InternalIP',
  ]);
  const client = adminClient(server);
  await nodeWithPod(client, 'old', old);
  await nodeWithPod(client, 'new', { ...recent, features: ['ExtendWebSocketsToKubelet'] });
  const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: server.kubeconfig };
  return { name, server, client, env };
}

const sides = [await side('ours', startOurs)];
if (values.beside) sides.push(await side('kube-apiserver', startTheirs));
const SPDY = {
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
  KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false',
};

function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

/** What each side spent on what, in seconds of the processor. */
const spent = new Map<string, number[][]>();

/** What each server spends, and how much memory it has at most. */
async function measured(name: string, body: (of: Side) => Promise<string>): Promise<void> {
  const all = spent.get(name) ?? sides.map(() => []);
  spent.set(name, all);
  for (const [at, of] of sides.entries()) {
    const { pid } = of.server;
    const before = cpuSeconds(pid);
    const began = residentMiB(pid);
    let most = began;
    const timer = setInterval(() => (most = Math.max(most, residentMiB(pid))), 100);
    const outcome = await body(of);
    clearInterval(timer);
    const seconds = cpuSeconds(pid) - before;
    all[at]?.push(seconds);
    const whose = values.beside ? `${of.name}: ` : '';
    const memory = `${began.toFixed(0)} → at most ${most.toFixed(0)} MiB`;
    console.log(
      `${whose}${name}: ${seconds.toFixed(2)} s of server CPU, ${memory}; ${outcome}; load ${String(loadavg()[0]?.toFixed(1))}`,
    );
  }
}

/** What all turns together cost, beside each other. */
function ratios(): void {
  for (const [name, all] of spent) {
    const [ours = NaN, theirs = NaN] = all.map((turns) => turns.reduce((sum, one) => sum + one, 0));
    console.log(`kube-apiserver ÷ ours, ${name}: ${(theirs / ours).toFixed(2)}`);
  }
}

const WHOLE = createHash('sha256');
for (let at = 0; at < BLOCKS; at += 1) WHOLE.update(BLOCK);
const HASH = WHOLE.digest('hex');
const block = join(folder, 'block');
writeFileSync(block, BLOCK);

async function read({ env }: Side, pod: string, protocol: NodeJS.ProcessEnv): Promise<string> {
  const script = `i=0; while [ $i -lt ${String(BLOCKS)} ]; do cat ${block}; i=$((i+1)); done`;
  const child = spawn(kubectl, ['exec', pod, '--', 'sh', '-c', script], {
    env: { ...env, ...protocol },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const hash = createHash('sha256');
  for await (const chunk of child.stdout) hash.update(chunk as Buffer);
  return hash.digest('hex') === HASH ? 'sha256 equal' : 'sha256 DIFFERS';
}

async function written({ env }: Side, pod: string, protocol: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(kubectl, ['exec', '-i', pod, '--', 'sha256sum'], {
    env: { ...env, ...protocol },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const closed = once(child, 'close');
  for (let at = 0; at < BLOCKS; at += 1) {
    if (!child.stdin.write(BLOCK)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  await closed;
  return text.includes(HASH) ? 'sha256 equal' : 'sha256 DIFFERS';
}

/** What no server in the middle can do without, whatever it is written in, and what Node takes at least. */
async function floor(): Promise<void> {
  const bytes = BLOCKS * BLOCK.length;
  for (const cipher of ['aes-128-gcm', 'aes-256-gcm']) {
    const seconds = await cipherSeconds(bytes, cipher);
    const told = seconds === undefined ? 'there is no openssl' : `${seconds.toFixed(2)} s`;
    console.log(`to open and to seal ${String(BLOCKS)} MiB, ${cipher} of OpenSSL alone: ${told}`);
  }
  await pipes();
}

async function pipes(): Promise<void> {
  const bytes = BLOCKS * BLOCK.length;
  const [pipe, own] = [await tlsPipeSeconds(bytes, true), await tlsPipeSeconds(bytes, false)];
  const load = String(loadavg()[0]?.toFixed(1));
  console.log(
    `a bare TLS pipe, ${String(BLOCKS)} MiB: ${pipe.toFixed(2)} s by Node's pipe, ${own.toFixed(2)} s as here; load ${load}`,
  );
}

async function mebibytes(): Promise<void> {
  const size = `${String(BLOCKS)} MiB`;
  for (let turn = 0; turn < TURNS; turn += 1) {
    await pipes();
    await measured(`${size} out, passed on (WebSocket)`, (of) => read(of, 'new', {}));
    await measured(`${size} in, passed on (WebSocket)`, (of) => written(of, 'new', {}));
    await measured(`${size} out, passed on (SPDY)`, (of) => read(of, 'old', SPDY));
    await measured(`${size} in, passed on (SPDY)`, (of) => written(of, 'old', SPDY));
    await measured(`${size} out, translated`, (of) => read(of, 'old', {}));
    await measured(`${size} in, translated`, (of) => written(of, 'old', {}));
  }
}

/** Whether a text comes back, over a connection that stays until all of its round have theirs. */
async function echoed(port: number, all: Promise<unknown>[]): Promise<boolean> {
  const text = randomBytes(512).toString('hex');
  const socket = connect(port, '127.0.0.1');
  let came = '';
  const back = new Promise<boolean>((resolve) => {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      came += chunk;
      if (came.length >= text.length) resolve(came === text);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(came === text);
    });
  });
  socket.write(text);
  all.push(back);
  await Promise.all(all);
  socket.destroy();
  return back;
}

async function forwarded({ env }: Side, protocol: NodeJS.ProcessEnv): Promise<string> {
  const echo = await startEcho();
  const command = startCommand(kubectl, ['port-forward', 'old', `:${String(echo.port)}`], {
    env: { ...env, ...protocol },
  });
  const port = Number(
    await eventually('a port', () => /127\.0\.0\.1:(\d+) ->/.exec(command.stdout())?.[1]),
  );
  let lost = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const all: Promise<unknown>[] = [];
    const ends = Array.from({ length: FORWARDED }, () => echoed(port, all));
    for (const isBack of await Promise.all(ends)) if (!isBack) lost += 1;
  }
  command.kill('SIGKILL');
  await command.ended;
  echo.server.close();
  return `${String(lost)} lost of ${String(FORWARDED * ROUNDS)}, ${String(FORWARDED)} at a time`;
}

async function followers({ client }: Side): Promise<string> {
  const path = '/api/v1/namespaces/default/pods/old/log?container=main&follow=true';
  const lines = 500;
  const wantedLines = Array.from({ length: lines }, (_, at) => `line ${String(at)}`);
  const logs = await Promise.all(Array.from({ length: FOLLOWERS }, () => client.open(path)));
  const texts = logs.map(async (log) => {
    let text = '';
    for await (const chunk of log) {
      text += String(chunk);
      if (text.includes(`line ${String(lines)}\n`)) break;
    }
    const seen = text.split('\n').slice(1, lines + 1);
    const wrong = wantedLines.findIndex((line, at) => seen[at] !== line);
    if (wrong >= 0) {
      console.log(`${String(log.statusCode)}: not line ${String(wrong)}: ${text.slice(-200)}`);
    }
    return seen;
  });
  const wanted = wantedLines.join();
  const whole = (await Promise.all(texts)).filter((one) => one.join() === wanted).length;
  return `${String(whole)} of ${String(FOLLOWERS)} have ${String(lines)} lines in their order`;
}

async function copied({ name: whose, env }: Side): Promise<string> {
  const [from, there, back] = ['from', 'there', 'back'].map((name) => join(folder, whose, name));
  mkdirSync(from ?? '', { recursive: true });
  for (let at = 0; at < FILES; at += 1)
    writeFileSync(join(from ?? '', `file-${String(at)}`), `content ${String(at)}`);
  for (const args of [
    [from, `old:${there ?? ''}`],
    [`old:${there ?? ''}`, back],
  ]) {
    const words = ['cp', ...args.map((one) => one ?? '')];
    const { code, stderr } = await run(kubectl, words, { env, timeoutMs: 600_000 });
    if (code !== 0) throw new Error(stderr);
  }
  const same = readdirSync(back ?? '').filter((name) => {
    return readFileSync(join(back ?? '', name), 'utf8') === `content ${name.slice('file-'.length)}`;
  });
  return `${String(same.length)} of ${String(FILES)} files there and back`;
}

const CASES: Readonly<Record<string, () => Promise<void>>> = {
  floor,
  exec: mebibytes,
  forward: async () => {
    await measured('port-forward by WebSocket', (of) => forwarded(of, {}));
    await measured('port-forward by SPDY', (of) => forwarded(of, SPDY));
  },
  follow: () => measured('followers of a log', followers),
  copy: () => measured('kubectl cp', copied),
};
for (const [name, figures] of Object.entries(CASES)) {
  if (values.only === undefined || name === values.only) await figures();
}
if (values.beside) ratios();
for (const { client, server } of sides) {
  client.close();
  await server.stop();
}
old.stop();
recent.stop();
trust.remove();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
