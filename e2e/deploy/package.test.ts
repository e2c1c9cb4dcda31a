/**
 * The package for machines without Node, as `npm run package` makes it but for the compression: it runs where no
 * program can be found, and so do the programs that it makes for test suites.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { packageName, stagePackage } from '../../tools/package-content.ts';
import { startEtcd, startPlane } from '../envtest/started-planes.ts';
import { adminClient } from '../support/admin-client.ts';
import { run, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { untilReady } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'ew-package-'));
const program = join(folder, packageName(), 'bin', 'everwatch');
const assets = join(folder, 'assets');
/** Without a PATH the shell looks in places of its own. */
const env = { PATH: join(folder, 'nothing'), HOME: folder, TMPDIR: folder };

beforeAll(async () => {
  stagePackage(join(folder, packageName()));
  const made = await run(program, ['envtest', '--dir', assets], { env });
  expect(made.code, made.stderr).toBe(0);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('runs without Node, from its folder and from links to it', async () => {
  expect((await run('/bin/sh', ['-c', 'node --version'], { env })).code).toBe(127);
  const version = await run(program, ['version'], { env });
  expect(version.stdout, version.stderr).toMatch(/^everwatch \d+\.\d+\.\d+/i);
  const link = join(folder, 'kube-apiserver');
  symlinkSync(program, link);
  const linked = await run(link, ['--version'], { env: { ...env, PATH: '/usr/bin:/bin' } });
  expect(linked.stdout, linked.stderr).toMatch(/^Kubernetes v1\.\d+\.\d+\n$/);
});

it('serves, and starts again with what was written', async () => {
  const dataDir = join(folder, 'data');
  const kubeconfig = join(dataDir, 'admin.kubeconfig');
  const flags = ['serve', '--data-dir', dataDir, '--secure-port=0', '--bind-address=127.0.0.1'];
  for (const status of [201, 409]) {
    const server = startCommand(program, flags, { env });
    await eventually('the kubeconfig', () => server.stdout().includes(kubeconfig) || undefined);
    const client = adminClient({ kubeconfig });
    await untilReady(client);
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kept' } };
    expect((await client.post('/api/v1/namespaces', space)).status).toBe(status);
    client.close();
    server.kill('SIGTERM');
    expect((await server.ended).code, server.stderr()).toBe(0);
  }
});

it('makes the control plane of test suites', async () => {
  const parts = { directory: assets, folder, env };
  const etcd = await startEtcd(parts);
  const plane = await startPlane(parts, etcd);
  expect((await plane.client.get('/api/v1/namespaces/kube-system')).status).toBe(200);
  expect(await plane.stop()).toBe(0);
  etcd.running.kill('SIGTERM');
  expect((await etcd.running.ended).code).toBe(0);
});

await describeWith('envtest-planes', 'a suite with envtest, on a machine without Node', (suite) => {
  it.each(['', 'shared'])('passes, EVERWATCH_ENVTEST=%s', async (sharing) => {
    const idle = { EVERWATCH_ENVTEST: sharing, EVERWATCH_ENVTEST_IDLE_SECONDS: '1' };
    const all = { ...env, ...idle, KUBEBUILDER_ASSETS: assets };
    const { stdout, stderr, code } = await run(suite, [], { env: all });
    expect(at(parseJson(stdout), 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
  });
});
