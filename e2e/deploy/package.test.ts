/**
 * The package for machines without Node, as `npm run package` makes it but for the compression: it runs where no
 * program can be found, and so do the programs that it makes for test suites.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { packageName, stagePackage } from '../../tools/package-content.ts';
import { adminClient } from '../support/admin-client.ts';
import { run, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { untilReady } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-package-'));
const program = join(folder, packageName(), 'bin', 'everwatch');
/** Without a PATH the shell looks in places of its own. */
const env = { PATH: join(folder, 'nothing'), HOME: folder };

beforeAll(() => {
  stagePackage(join(folder, packageName()));
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

it('makes the control plane of test suites', async () => {
  const assets = join(folder, 'assets');
  const made = await run(program, ['envtest', '--dir', assets], { env });
  expect(made.code, made.stderr).toBe(0);
  const [port = 0, secure = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${String(port)}`;
  const dataDir = join(folder, 'etcd');
  const etcdFlags = [`--data-dir=${dataDir}`, `--listen-client-urls=${url}`];
  const etcd = startCommand(join(assets, 'etcd'), etcdFlags, { env });
  await eventually('/health of etcd', async () => {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
  const flags = [`--etcd-servers=${url}`, `--secure-port=${String(secure)}`];
  const server = startCommand(
    join(assets, 'kube-apiserver'),
    [...flags, '--bind-address=127.0.0.1'],
    {
      env,
    },
  );
  const kubeconfig = join(dataDir, 'everwatch', '%2Fregistry', 'admin.kubeconfig');
  await eventually('the kubeconfig', () => server.stdout().includes(kubeconfig) || undefined);
  const client = adminClient({ kubeconfig });
  await untilReady(client);
  expect((await client.get('/api/v1/namespaces/kube-system')).status).toBe(200);
  client.close();
  for (const running of [server, etcd]) {
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
  }
});
