/**
 * A control plane in the process of the etcd that a suite starts before it, which has the server loaded by then.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { isClosed, type PlanesParts, startEtcd, startPlane } from './started-planes.ts';

const folder = mkdtempSync(join(tmpdir(), 'ew-'));
const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') };
let parts: PlanesParts;

beforeAll(async () => {
  const made = await run(process.execPath, [SERVER_PROGRAM, 'envtest'], { env });
  parts = { directory: made.stdout.trimEnd(), folder, env };
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Whether a process has the file of the log open. */
function hasLog(id: number, dataDir: string): boolean {
  return readFileSync(`/proc/${String(id)}/maps`, 'utf8').includes(join(dataDir, 'everwatch'));
}

it('is in that process, shows it, and ends with its stand-in, however that ends', async () => {
  const etcd = await startEtcd(parts);
  const first = await startPlane(parts, etcd);
  expect(hasLog(etcd.running.pid, etcd.dataDir)).toBe(true);
  expect(hasLog(first.running.pid, etcd.dataDir)).toBe(false);
  expect((await first.client.get('/debug/pprof/')).status).toBe(200);
  first.running.kill('SIGKILL');
  first.client.close();
  await eventually('the end', () => isClosed(etcd.port));
  // The directory is free again.
  const next = await startPlane(parts, etcd);
  expect(hasLog(etcd.running.pid, etcd.dataDir)).toBe(true);
  etcd.running.kill('SIGTERM');
  expect((await etcd.running.ended).code).toBe(0);
  expect((await next.running.ended).code).toBe(0);
  next.client.close();
});

it('has its own process where the variable or its flags want one', async () => {
  const etcd = await startEtcd(parts);
  const before = readdirSync(etcd.dataDir);
  const ways = [
    { env: { ...env, EVERWATCH_ENVTEST: 'alone' }, flags: [] },
    { env, flags: ['--workers=1'] },
  ];
  for (const way of ways) {
    const plane = await startPlane({ ...parts, env: way.env }, etcd, way.flags);
    expect(hasLog(plane.running.pid, etcd.dataDir)).toBe(true);
    expect(plane.running.stderr()).not.toContain('process of its own');
    expect(await plane.stop()).toBe(0);
  }
  expect(before.filter((name) => name.startsWith('planes-'))).toHaveLength(1);
  etcd.running.kill('SIGTERM');
  expect((await etcd.running.ended).code).toBe(0);
});

it('says that its etcd has ended', async () => {
  const etcd = await startEtcd(parts);
  const plane = await startPlane(parts, etcd);
  etcd.running.kill('SIGKILL');
  const { code, stderr } = await plane.running.ended;
  plane.client.close();
  expect([code, stderr]).toEqual([1, expect.stringContaining('its etcd has ended')]);
});

it('is said by its etcd that a port is taken', async () => {
  const etcd = await startEtcd(parts);
  const [flag = ''] = etcd.flags;
  const url = flag.replace('--etcd-servers=', '');
  const flags = [`--data-dir=${join(folder, 'other')}`, `--listen-client-urls=${url}`];
  const other = await run(join(parts.directory, 'etcd'), flags, { env });
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringMatching(/^etcd: cannot listen on 127\.0\.0\.1:\d+: the port is already/),
  ]);
  etcd.running.kill('SIGTERM');
  expect((await etcd.running.ended).code).toBe(0);
});
