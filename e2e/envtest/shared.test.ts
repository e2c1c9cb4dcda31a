/**
 * `EVERWATCH_ENVTEST=shared`: control planes of several suites in one process, which nothing of them goes past.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, parseJson, textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import {
  isClosed,
  type PlanesParts,
  startEtcd,
  type StartedEtcd,
  type StartedPlane,
  startPlane,
} from './started-planes.ts';

const folder = mkdtempSync(join(tmpdir(), 'ew-'));
const env = {
  ...process.env,
  XDG_CACHE_HOME: join(folder, 'cache'),
  XDG_RUNTIME_DIR: folder,
  EVERWATCH_ENVTEST: 'shared',
  EVERWATCH_ENVTEST_IDLE_SECONDS: '1',
};
let parts: PlanesParts;
let etcds: readonly [StartedEtcd, StartedEtcd];
let planes: readonly [StartedPlane, StartedPlane];
const RBAC = ['--authorization-mode=RBAC'];
const MAPS = '/api/v1/namespaces/default/configmaps';
const RESET = '/everwatch/v1/reset';

beforeAll(async () => {
  const made = await run(process.execPath, [SERVER_PROGRAM, 'envtest'], { env });
  parts = { directory: made.stdout.trimEnd(), folder, env };
  etcds = await Promise.all([startEtcd(parts), startEtcd(parts)]);
  // In the same moment, so that both find no process.
  planes = await Promise.all([
    startPlane(parts, etcds[0], RBAC),
    startPlane(parts, etcds[1], RBAC),
  ]);
});

afterAll(async () => {
  await Promise.all(planes.map((plane) => plane.stop()));
  for (const { running } of etcds) running.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Processes that control planes share, by their ids. */
function sharedProcesses(): readonly number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    try {
      const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
      const isOne = words.some((word) => word.endsWith('envtest-shared.js'));
      return isOne && words.some((word) => word.startsWith(folder)) ? [Number(id)] : [];
    } catch {
      return [];
    }
  });
}

function configMap(name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

/** What a plane answers to a certificate of another one. */
function askAs(other: StartedEtcd, { kubeconfig }: StartedEtcd): Promise<number | undefined> {
  const { url, ca } = readKubeconfig(kubeconfig);
  const { cert, key } = readKubeconfig(other.kubeconfig);
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ca, cert, key });
    request(`${url}${MAPS}`, { agent }, (response) => {
      response.resume().on('end', () => {
        resolve(response.statusCode);
      });
    })
      .on('error', reject)
      .end();
  });
}

describe('control planes that begin in the same moment', () => {
  it('share one process', () => {
    expect(sharedProcesses()).toHaveLength(1);
  });

  it('see nothing of each other: objects, users, rights, webhooks', async () => {
    const [{ client: one }, { client: other }] = planes;
    const watch = await other.open(`${MAPS}?watch=1`);
    let seen = '';
    watch.setEncoding('utf8').on('data', (text: string) => (seen += text));
    expect((await one.post(MAPS, configMap('only-here'))).status).toBe(201);
    expect((await other.get(`${MAPS}/only-here`)).status).toBe(404);

    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    const ROLES = '/apis/rbac.authorization.k8s.io/v1';
    const metadata = { name: 'readers' };
    await one.post(`${ROLES}/clusterroles`, { ...role, metadata, rules });
    await one.post(`${ROLES}/clusterrolebindings`, {
      ...{ apiVersion: role.apiVersion, kind: 'ClusterRoleBinding', metadata },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'readers' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const jane = { 'impersonate-user': 'jane' };
    expect((await one.get(MAPS, jane)).status).toBe(200);
    expect((await other.get(MAPS, jane)).status).toBe(403);
    expect([await askAs(etcds[0], etcds[1]), await askAs(etcds[1], etcds[1])]).toEqual([401, 200]);

    await one.post(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      refusing(),
    );
    expect((await one.post(MAPS, configMap('judged'))).status).toBe(500);
    expect((await other.post(MAPS, configMap('judged'))).status).toBe(201);
    await eventually('the event', () => seen.includes('"judged"') || undefined);
    expect(seen).not.toContain('only-here');
    watch.destroy();
  });

  it('are reset, each for itself, by users that may do everything', async () => {
    const [{ client: one }, { client: other }] = planes;
    const marked = await one.get('/api/v1/namespaces?limit=1');
    const to = textAt(marked.body, 'metadata', 'resourceVersion');
    await one.delete('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/all');
    await one.post(MAPS, configMap('of-a-test'));
    const jane = { 'impersonate-user': 'jane' };
    expect((await one.send('POST', RESET, { headers: jane })).status).toBe(403);
    const back = await one.send('POST', `${RESET}?to=${to}`);
    expect(back.body).toMatchObject({ to, dataDirectory: dirname(etcds[0].kubeconfig) });
    expect((await one.get(`${MAPS}/of-a-test`)).status).toBe(404);
    expect((await one.get(`${MAPS}/only-here`)).status).toBe(200);
    // The webhook is back, and asked.
    expect((await one.post(MAPS, configMap('judged'))).status).toBe(500);
    const all = await one.send('POST', RESET);
    expect(all).toMatchObject({ status: 200 });
    expect((await one.get(`${MAPS}/only-here`)).status).toBe(404);
    expect((await other.get(`${MAPS}/judged`)).status).toBe(200);
  });
});

/** A webhook that must be asked and cannot be. */
function refusing() {
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'all' },
    webhooks: [
      {
        ...{ name: 'all.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
        rules: [{ ...rule, operations: ['CREATE'] }],
        clientConfig: { url: 'https://127.0.0.1:1/none' },
      },
    ],
  };
}

describe('a control plane in a shared process', () => {
  it('says on its own standard error what it cannot do, and others go on', async () => {
    const [{ port }] = etcds;
    const third = await startEtcd(parts);
    const flags = third.flags.filter((flag) => !flag.startsWith('--secure-port'));
    const server = join(parts.directory, 'kube-apiserver');
    const taken = await run(server, [...flags, `--secure-port=${String(port)}`], { env });
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringContaining(`cannot listen on 127.0.0.1:${String(port)}: the port is already`),
    ]);
    const wrong = await run(server, [...flags, '--authorization-mode=Unknown'], { env });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Unknown')]);
    expect((await planes[0].client.get('/healthz')).status).toBe(200);
    expect(sharedProcesses()).toHaveLength(1);
    third.running.kill('SIGKILL');
  });

  it('needs no etcd where it is told where its data lie', async () => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const flags = [`--data-dir=${dataDir}`, '--secure-port=0', '--bind-address=127.0.0.1'];
    const kubeconfig = join(dataDir, 'admin.kubeconfig');
    const plane = await startPlane(parts, { flags, kubeconfig });
    expect((await plane.client.send('POST', RESET)).status).toBe(200);
    expect(await plane.stop()).toBe(0);
    expect(sharedProcesses()).toHaveLength(1);
  });

  it('has a process of its own where its flags want one', async () => {
    const third = await startEtcd(parts);
    const alone = await startPlane(parts, third, ['--profiling=true']);
    expect(alone.running.stderr()).toContain('has a process of its own: --profiling: it shows');
    expect((await alone.client.get('/debug/pprof/')).status).toBe(200);
    expect((await planes[0].client.get('/debug/pprof/')).status).toBe(404);
    expect(await alone.stop()).toBe(0);
    third.running.kill('SIGKILL');
  });

  it('ends with its stand-in, however that ends', async () => {
    const third = await startEtcd(parts);
    const { running, client } = await startPlane(parts, third);
    running.kill('SIGKILL');
    await eventually('the end', () => isClosed(third.port));
    client.close();
    // The directory is free again, so the next one finds what is there.
    const next = await startPlane(parts, third);
    expect(await next.stop()).toBe(0);
    third.running.kill('SIGKILL');
  });

  it('dies with its process, which is replaced', async () => {
    const [id = 0] = sharedProcesses();
    const [{ client: one }, { client: other }] = planes;
    await other.post(MAPS, configMap('written'));
    process.kill(id, 'SIGKILL');
    const ended = await Promise.all(planes.map(({ running }) => running.ended));
    for (const { code, stderr } of ended) {
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('the process that control planes share has ended (see '),
      ]);
    }
    one.close();
    other.close();
    planes = await Promise.all([startPlane(parts, etcds[0]), startPlane(parts, etcds[1])]);
    expect(sharedProcesses()).toHaveLength(1);
    expect(sharedProcesses()).not.toContain(id);
    expect((await planes[1].client.get(`${MAPS}/written`)).status).toBe(200);
  });
});

await describeWith('envtest-planes', 'suites with envtest', (suite) => {
  it('start, reset and stop beside each other', async () => {
    const counts = { STARTS: '3', PLANES: '3', TESTS: '3' };
    const all = { ...env, KUBEBUILDER_ASSETS: parts.directory, ...counts };
    const { stdout, stderr, code } = await run(suite, [], { env: all });
    expect(at(parseJson(stdout), 'failures'), stderr).toEqual([]);
    expect(code).toBe(0);
  });

  it('leave the log of a test that failed, which is played again by its name', async () => {
    const name = "TestPlanes/doesn't_(once)";
    const all = { ...env, KUBEBUILDER_ASSETS: parts.directory, TESTS: '1', FAILS: name };
    const { stdout, stderr } = await run(suite, [], { env: all });
    const told = parseJson(stdout);
    expect(at(told, 'failures'), stderr).toEqual([]);
    // As a shell reads it.
    const shown = String.raw`'TestPlanes/doesn'\''t_(once)'`;
    expect(at(told, 'logged')).toEqual([`everwatch replay ${shown} --serve --wait`]);

    const [{ client }] = planes;
    const to = ['--to', etcds[0].kubeconfig, '--speed', 'max', '-o', 'json'];
    const played = await run(process.execPath, [SERVER_PROGRAM, 'replay', name, ...to], { env });
    expect(played.stderr).toMatch(
      /^TestPlanes\/doesn't_\(once\) failed: revisions \d+ to \d+ of /m,
    );
    // That it has begun is written down before anything of it happens.
    const [, log = ''] = / to \d+ of (.*)/.exec(played.stderr) ?? [];
    const [begun = ''] = readFileSync(join(log, 'tests.jsonl'), 'utf8').split('\n');
    const { from } = parseJson(begun) as JsonObject;
    expect(Number(from)).toBeGreaterThan(0);
    expect(parseJson(begun)).toEqual({ test: name, failed: true, from });
    expect(parseJson(played.stdout)).toMatchObject({ errors: 0 });
    // What it made is there, and what the one before it made is not.
    expect((await client.get(`${MAPS}/of-a-failed-test`)).status).toBe(200);
    expect((await client.get('/api/v1/namespaces/of-a-test')).status).toBe(404);
    const other = await run(process.execPath, [SERVER_PROGRAM, 'replay', 'TestNone', ...to], {
      env,
    });
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('the name of a test')]);
  });
});

describe('a process without control planes', () => {
  it('ends, also where one never began, and another one is started when it is needed', async () => {
    const wrong = [...etcds[0].flags, '--authorization-mode=Unknown'];
    expect((await run(join(parts.directory, 'kube-apiserver'), wrong, { env })).code).toBe(1);
    for (const plane of planes) expect(await plane.stop()).toBe(0);
    await eventually('the end', () => sharedProcesses().length === 0 || undefined);
    // Control planes that no suite has taken leave nothing.
    const left = readdirSync(folder).filter((name) => name.startsWith('everwatch-envtest-'));
    expect(left.filter((name) => readdirSync(join(folder, name)).includes('planes-data'))).toEqual(
      [],
    );
    planes = await Promise.all([startPlane(parts, etcds[0]), startPlane(parts, etcds[1])]);
    expect(sharedProcesses()).toHaveLength(1);
  });
});
