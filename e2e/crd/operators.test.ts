/**
 * The definitions that well-known operators ship, installed as their users install them; objects
 * that they give as examples are taken, and those that they give as bad examples are refused.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { goModule } from '../support/go-module.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const MODULES = {
  gateway: 'sigs.k8s.io/gateway-api@v1.4.1',
  certificates: 'github.com/cert-manager/cert-manager@v1.19.1',
  prometheus: 'github.com/prometheus-operator/prometheus-operator@v0.82.2',
  clusters: 'sigs.k8s.io/cluster-api@v1.11.3',
};

await describeWith('kubectl', 'definitions of operators', (program) => {
  const server = serverForThisFile({ controllers: '*' });
  const kubectl = kubectlFor(program, server);

  /** Creates all of a folder, and waits until they are served. */
  async function install(module: string, folder: string): Promise<string[]> {
    const path = join(await goModule(module), folder);
    const files = readdirSync(path).filter((name) => /^[a-z-]+\..*_.*\.yaml$/.test(name));
    expect(files.length).toBeGreaterThan(3);
    const words = files.flatMap((file) => ['-f', join(path, file)]);
    const made = await kubectl.words(['create', ...words, '-o', 'name']);
    const names = made.trim().split('\n');
    await kubectl.words(['wait', '--for=condition=Established', '--timeout=240s', ...names]);
    return names.map((name) => name.slice(name.indexOf('/') + 1));
  }

  it('of Gateway API are installed, explained, used, and used wrongly', async () => {
    const root = await goModule(MODULES.gateway);
    await install(MODULES.gateway, 'config/crd/standard');
    const explained = await kubectl('explain httproute.spec.rules.matches.path.type');
    expect(explained).toContain('FIELD: type <string>');
    expect(explained).toContain('ENUM:');
    await kubectl.words(['apply', '-f', join(root, 'examples/standard/0-namespaces.yaml')]);
    const examples = ['-R', '-f', join(root, 'examples/standard')];
    const applied = await kubectl.words(['apply', ...examples]);
    expect(applied.match(/httproute\S+ created/g)?.length ?? 0).toBeGreaterThan(20);
    const again = await kubectl.words(['apply', '--server-side', '--force-conflicts', ...examples]);
    expect(again).toMatch(/httproute\S+ serverside-applied/);
    expect(await kubectl('get httproutes -A')).toContain('HOSTNAMES');

    const folder = join(root, 'hack/invalid-examples/standard');
    const taken: string[] = [];
    for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!entry.endsWith('.yaml')) continue;
      const { code, stderr } = await kubectl.attempt(['create', '-f', join(folder, entry)]);
      if (code === 0) taken.push(entry);
      else expect(stderr, entry).toMatch(/is invalid|strict decoding error/);
    }
    expect(taken).toEqual([]);
  });

  it('of cert-manager are installed and used', async () => {
    const names = await install(MODULES.certificates, 'deploy/crds');
    expect(names).toContain('certificates.cert-manager.io');
    const samples = join(await goModule(MODULES.certificates), 'test/fixtures');
    await kubectl.words(['apply', '-f', join(samples, 'cert-manager-resources.yaml')]);
    expect(await kubectl('get certificates')).toMatch(/^NAME +READY +SECRET +AGE\n/);
    const bad = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', spec: { dnsNames: 'a' } };
    const input = JSON.stringify({ ...bad, metadata: { name: 'bad' } });
    const { stderr } = await kubectl.attempt('create --validate=false -f -', { input });
    expect(stderr).toContain('spec.dnsNames in body must be of type array: "string"');
    expect(stderr).toContain('spec.secretName: Required value');
  });

  it('of the Prometheus operator are installed, large as they are, and used', async () => {
    const names = await install(MODULES.prometheus, 'example/prometheus-operator-crd');
    expect(names).toContain('prometheuses.monitoring.coreos.com');
    const guides = join(await goModule(MODULES.prometheus), 'example/user-guides');
    const files = ['alerting/prometheus-example-rules.yaml', 'alerting/alertmanager-example.yaml'];
    for (const file of files) await kubectl.words(['apply', '-f', join(guides, file)]);
    expect(await kubectl('get alertmanagers')).toContain('example');
    await kubectl('scale alertmanager example --replicas=5');
    const replicas = 'get alertmanager example -o jsonpath={.spec.replicas}';
    expect(await kubectl(replicas)).toBe('5');
    expect(await kubectl('explain prometheus.spec.alerting.alertmanagers')).toContain('required');
  });

  it('of Cluster API are installed, and go again with what was made of them', async () => {
    const names = await install(MODULES.clusters, 'config/crd/bases');
    expect(names).toContain('clusters.cluster.x-k8s.io');
    const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
    const spec = { paused: true, infrastructureRef: { apiGroup: 'x.io', kind: 'Y', name: 'z' } };
    const input = JSON.stringify({ ...cluster, metadata: { name: 'one' }, spec });
    await kubectl('create -f -', { input });
    await kubectl.words(['delete', 'crd', '--timeout=240s', ...names]);
    const { stderr } = await kubectl.attempt('get clusters.cluster.x-k8s.io');
    expect(stderr).toContain('the server doesn\'t have a resource type "clusters"');
  });
});
