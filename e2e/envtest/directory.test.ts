/**
 * The directory that `everwatch envtest` prints, as suites with envtest use it: controller-runtime's own
 * environment starts and stops control planes of it, setup-envtest installs it, and a kube-apiserver that
 * ends leaves its state to the next one.
 */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { goModule } from '../support/go-module.ts';
import { at, parseJson } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { eventually } from '../support/eventually.ts';
import { startEtcd, startPlane } from './started-planes.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-envtest-'));
const cache = join(folder, 'cache');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function everwatch(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const all = { ...process.env, XDG_CACHE_HOME: cache, ...env };
  return run(process.execPath, [SERVER_PROGRAM, ...args], { env: all });
}

let directory = '';
beforeAll(async () => {
  const { stdout, stderr, code } = await everwatch(['envtest']);
  expect(code, stderr).toBe(0);
  directory = stdout.trimEnd();
});

describe('the directory', () => {
  it('has programs, which answer what is asked before a start', async () => {
    expect(readdirSync(directory).sort()).toEqual([
      ...['etcd', 'etcdctl', 'etcdutl', 'kube-apiserver', 'kubectl', 'meeting.json'],
    ]);
    const [help, etcdHelp, version, etcdVersion, etcdctl] = await Promise.all([
      run(join(directory, 'kube-apiserver'), ['--help']),
      run(join(directory, 'etcd'), ['--help']),
      run(join(directory, 'kube-apiserver'), ['--version']),
      run(join(directory, 'etcd'), ['--version']),
      run(join(directory, 'etcdctl'), ['get', '/registry']),
    ]);
    expect([help.code, etcdHelp.code]).toEqual([0, 0]);
    expect(help.stdout).toMatch(/^\s*--etcd-servers\b/m);
    expect(help.stdout).not.toMatch(/^\s*--insecure-port\b/m);
    expect(etcdHelp.stdout).toMatch(/^\s*--unsafe-no-fsync\b/m);
    expect(version.stdout).toBe('Kubernetes v1.36.3\n');
    expect(etcdVersion.stdout).toMatch(/^etcd Version: 3\.\d+\.\d+\n/);
    expect([etcdctl.code, etcdctl.stderr]).toEqual([
      1,
      expect.stringContaining('there are no keys of etcd here'),
    ]);
  });

  it('leads to the kubectl of the PATH, or says that there is none', async () => {
    const given = await everwatch(['envtest', '--kubectl', '/bin/echo']);
    expect(given.stdout).toBe(`${directory}\n`);
    expect(readlinkSync(join(directory, 'kubectl'))).toBe('/bin/echo');
    const none = await everwatch(['envtest', '--dir', join(folder, 'none')], { PATH: folder });
    expect(none.stderr).toContain('there is no kubectl on the PATH');
    const kubectl = await run(join(folder, 'none', 'kubectl'), ['get', 'pods']);
    expect(kubectl.code).toBe(127);
    expect(kubectl.stderr).toContain('https://kubernetes.io/docs/tasks/tools/');
  });
});

describe('a control plane', () => {
  it('has its state in the data directory of etcd, from one kube-apiserver to the next', async () => {
    const parts = { directory, folder, env: process.env };
    const etcd = await startEtcd(parts);
    for (const time of [1, 2]) {
      const { client, stop } = await startPlane(parts, etcd);
      const name = `of-${String(time)}`;
      const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      expect((await client.post('/api/v1/namespaces', made)).status).toBe(201);
      expect((await client.get('/api/v1/namespaces/of-1')).status).toBe(200);
      expect(await stop()).toBe(0);
    }
    etcd.running.kill('SIGTERM');
    expect((await etcd.running.ended).code).toBe(0);
  });

  it('is saved and restored by the command lines of etcdctl and etcdutl, uids and versions too', async () => {
    const parts = { directory, folder, env: process.env };
    const etcd = await startEtcd(parts);
    const plane = await startPlane(parts, etcd);
    const path = '/api/v1/namespaces/kept';
    const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kept' } };
    const kept = await plane.client.post('/api/v1/namespaces', made);
    const [flag = ''] = etcd.flags;
    const endpoint = flag.replace('--etcd-servers=http://', '');
    const file = join(folder, 'snapshot.db');
    const save = ['--endpoints', endpoint, 'snapshot', 'save', file];
    const saved = await run(join(directory, 'etcdctl'), save);
    expect(saved.code, saved.stderr).toBe(0);
    expect((await plane.client.delete(path)).status).toBe(200);
    expect(await plane.stop()).toBe(0);
    etcd.running.kill('SIGTERM');
    await etcd.running.ended;

    const dataDir = join(folder, 'restored');
    const restore = ['snapshot', 'restore', file, '--data-dir', dataDir];
    const restored = await run(join(directory, 'etcdutl'), restore);
    expect(restored.code, restored.stderr).toBe(0);
    const again = await run(join(directory, 'etcdutl'), restore);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    const other = await startEtcd(parts, dataDir);
    const { client, stop } = await startPlane(parts, other);
    expect((await client.get(path)).body).toEqual(kept.body);
    expect(await stop()).toBe(0);
    other.running.kill('SIGTERM');
    expect((await other.running.ended).code).toBe(0);
  });

  it('asks no admission plug-in behind an empty --admission-control, as kwokctl has it', async () => {
    const parts = { directory, folder, env: process.env };
    const etcd = await startEtcd(parts);
    const pod = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    };
    // No service account is there for it.
    for (const [flags, status] of [
      [[], 403],
      [['--admission-control='], 201],
    ] as const) {
      const { client, stop } = await startPlane(parts, etcd, flags);
      const answer = await client.post('/api/v1/namespaces/default/pods', pod);
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      expect(await stop()).toBe(0);
    }
    etcd.running.kill('SIGTERM');
    await etcd.running.ended;
  });

  it('does not start beside another etcd, or without one', async () => {
    const other = createServer((_, response) => response.writeHead(404).end()).listen(
      0,
      '127.0.0.1',
    );
    await eventually('the port', () => other.listening || undefined);
    const { port } = other.address() as AddressInfo; // It listens on TCP.
    const server = join(directory, 'kube-apiserver');
    const beside = await run(server, [`--etcd-servers=http://127.0.0.1:${String(port)}`]);
    other.close();
    expect(beside.code).toBe(1);
    expect(beside.stderr).toContain('is not the etcd of `everwatch envtest`');
    const without = await run(server, ['--secure-port=0']);
    expect([without.code, without.stderr]).toEqual([
      1,
      'everwatch: --etcd-servers must be specified\n',
    ]);
  });
});

await describeWith('envtest-suite', 'a suite with envtest', (suite) => {
  async function play(env: NodeJS.ProcessEnv) {
    const all = { ...process.env, KUBEBUILDER_ASSETS: directory, ...env };
    const { stdout, stderr, code } = await run(suite, [], { env: all });
    expect(at(parseJson(stdout), 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
  }

  it('starts, installs definitions and webhooks, and stops with a hundred open watches', async () => {
    const kubectl = await everwatch(['envtest']);
    expect(kubectl.code).toBe(0);
    await play({ WATCHES: '100' });
  });

  it('has controllers where it asks for them, and leaves a log that tools read', async () => {
    const logs = join(folder, 'logs');
    await play({ EVERWATCH_CONTROLLERS: '*', EVERWATCH_ENVTEST_LOGS: logs, WATCHES: '1' });
    const [name = ''] = readdirSync(logs);
    const dataDir = join(logs, name, 'everwatch', '%2Fregistry');
    const { stdout, stderr } = await everwatch([
      'history',
      'secret',
      'dependent',
      '-n',
      'default',
      '--data-dir',
      dataDir,
      '-o',
      'jsonl',
    ]);
    const users = stdout
      .trimEnd()
      .split('\n')
      .map((line) => at(parseJson(line), 'user'));
    expect(users, stderr).toEqual(['admin', 'system:apiserver']);
  });
});

await describeWith('cluster-suite', 'a suite of controller-runtime, as it is', (suite) => {
  it('passes', async () => {
    const module = await goModule('sigs.k8s.io/controller-runtime@v0.24.1');
    const env = { ...process.env, KUBEBUILDER_ASSETS: directory };
    const { code, stdout, stderr } = await run(suite, ['-ginkgo.no-color'], {
      cwd: join(module, 'pkg', 'cluster'),
      env,
    });
    expect(stdout, stderr).toMatch(/ 15 Passed \| 0 Failed \| 0 Pending \| 0 Skipped/);
    expect(code).toBe(0);
  });
});

await describeWith('setup-envtest', 'setup-envtest', (setup) => {
  const version = '1.36.3';

  it('installs the archive, from its input and by the index', async () => {
    const archives = join(folder, 'archives');
    const server = createServer((request, response) => {
      response.end(readFileSync(join(archives, request.url ?? '')));
    }).listen(0, '127.0.0.1');
    await eventually('the port', () => server.listening || undefined);
    const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // TCP, too.
    const made = await everwatch(['envtest', '--archive', archives, '--base-url', base]);
    expect(made.code, made.stderr).toBe(0);
    const index = ['use', version, '--index', `${base}/envtest-releases.yaml`, '-p', 'path'];
    const used = await run(setup, [...index, '--bin-dir', join(folder, 'used')]);
    server.close();
    const archive = readFileSync(made.stdout.trimEnd()).toString('base64');
    const sideloaded = await run(
      '/bin/sh',
      [
        ...['-c', 'base64 -d | "$0" "$@"', setup, 'sideload', version],
        ...['-p', 'path', '--bin-dir', join(folder, 'sideloaded')],
      ],
      { input: archive },
    );
    for (const { stdout, stderr } of [used, sideloaded]) {
      const answer = await run(join(stdout.trimEnd(), 'kube-apiserver'), ['--version']);
      expect(answer.stdout, stderr).toBe(`Kubernetes v${version}\n`);
      expect(readdirSync(stdout.trimEnd()).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
    }
  });
});
