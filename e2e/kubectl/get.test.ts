/**
 * Every way in which `kubectl get` shows things.
 */
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';

import { eventually } from '../support/eventually.ts';
import { type JsonValue, at, listAt, parseJson, textAt } from '../support/json.ts';
import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { configMap, deployment, pod } from './manifests.ts';

const AGE = expect.stringMatching(/^\d+[smh]/) as string;

await describeWith('kubectl', 'kubectl get', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);

  beforeAll(async () => {
    await kubectl('create namespace shown');
    await kubectl('create namespace other');
    const maps = [
      configMap('one', { a: '3' }, { number: '1', odd: 'yes' }),
      configMap('two', { a: '1', b: '1' }, { number: '2' }),
      configMap('three', { a: '2' }, { number: '3', odd: 'yes' }),
    ];
    await kubectl('create -n shown -f -', { input: maps.join('\n---\n') });
    await kubectl('create -n other -f -', { input: configMap('one', {}) });
    await kubectl('create -n shown -f -', { input: deployment('web', { replicas: 3 }) });
    await kubectl('create -n shown -f -', { input: pod('here', { nodeName: 'some-node' }) });
    await kubectl('create -n shown -f -', { input: pod('waiting') });
  });

  it('tables: the usual columns', async () => {
    expect(rowsOf(await kubectl('get configmaps -n shown'))).toEqual([
      ['NAME', 'DATA', 'AGE'],
      ['one', '1', AGE],
      ['three', '1', AGE],
      ['two', '2', AGE],
    ]);
    expect(rowsOf(await kubectl('get deployments -n shown'))).toEqual([
      ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'],
      ['web', '0/3', '0', '0', AGE],
    ]);
    expect(rowsOf(await kubectl('get pods -n shown'))).toEqual([
      ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
      ['here', '0/1', 'Pending', '0', AGE],
      ['waiting', '0/1', 'Pending', '0', AGE],
    ]);
    expect(rowsOf(await kubectl('get namespaces'))).toEqual([
      ['NAME', 'STATUS', 'AGE'],
      ...['default', 'kube-node-lease', 'kube-public', 'kube-system', 'other', 'shown'].map(
        (name) => [name, 'Active', AGE],
      ),
    ]);
  });

  it('tables: --show-labels, --label-columns, --show-kind, --no-headers', async () => {
    expect(rowsOf(await kubectl('get cm one -n shown --show-labels'))).toEqual([
      ['NAME', 'DATA', 'AGE', 'LABELS'],
      ['one', '1', AGE, 'number=1,odd=yes'],
    ]);
    expect(rowsOf(await kubectl('get cm one -n shown -L number --show-kind --no-headers'))).toEqual(
      [['configmap/one', '1', AGE, '1']],
    );
  });

  it('-o wide', async () => {
    expect(rowsOf(await kubectl('get deployment web -n shown -o wide'))).toEqual([
      ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'],
      ['web', '0/3', '0', '0', AGE, 'main', 'example/main:1', 'app=web'],
    ]);
    const [, row] = rowsOf(await kubectl('get pod here -n shown -o wide'));
    expect(row).toEqual([
      'here',
      '0/1',
      'Pending',
      '0',
      AGE,
      '<none>',
      'some-node',
      '<none>',
      '<none>',
    ]);
  });

  it('-o json and yaml: one object, and a List of several', async () => {
    const one = parseJson(await kubectl('get cm one -n shown -o json'));
    expect(one).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'one', namespace: 'shown', labels: { number: '1' } },
      data: { a: '3' },
    });
    expect(parse(await kubectl('get cm one -n shown -o yaml')) as JsonValue).toEqual(one);
    const all = parse(await kubectl('get cm -n shown -o yaml')) as JsonValue;
    expect([textAt(all, 'kind'), textAt(all, 'items', 0, 'kind')]).toEqual(['List', 'ConfigMap']);
    expect(listAt(all, 'items')).toHaveLength(3);
  });

  it('-o name, jsonpath, custom-columns, go-template', async () => {
    const names = await kubectl('get cm -n shown -o name');
    expect(names).toBe('configmap/one\nconfigmap/three\nconfigmap/two\n');
    const path = "get cm -n shown -o 'jsonpath={.items[*].data.a}'";
    expect(await kubectl(path)).toBe('3 2 1');
    const columns = 'get cm -n shown -o custom-columns=NAME:.metadata.name,FIRST:.data.a';
    expect(rowsOf(await kubectl(columns))).toEqual([
      ['NAME', 'FIRST'],
      ['one', '3'],
      ['three', '2'],
      ['two', '1'],
    ]);
    const template = "get cm one -n shown -o 'go-template={{.metadata.name}}'";
    expect(await kubectl(template)).toBe('one');
  });

  it('--sort-by', async () => {
    const sorted = await kubectl('get cm -n shown --sort-by=.data.a');
    expect(rowsOf(sorted).map(([name]) => name)).toEqual(['NAME', 'two', 'three', 'one']);
    const byTime = await kubectl('get cm -n shown --sort-by=.metadata.creationTimestamp -o name');
    expect(byTime.trim().split('\n')).toHaveLength(3);
  });

  it('--chunk-size: pages that add up to the whole', async () => {
    const { stdout, stderr } = await kubectl.attempt('get cm -n shown --chunk-size=2 -v=6 -o name');
    expect(stdout).toBe('configmap/one\nconfigmap/three\nconfigmap/two\n');
    expect(stderr.match(/configmaps\?(\S*&)?limit=2/g)).toHaveLength(2);
    expect(stderr.match(/configmaps\?continue=[^&]+&limit=2/g)).toHaveLength(1);
  });

  it('-l and --field-selector', async () => {
    expect(await kubectl('get cm -n shown -l odd=yes,number!=1 -o name')).toBe('configmap/three\n');
    expect(await kubectl("get cm -n shown -l 'number in (1,2),!odd' -o name")).toBe(
      'configmap/two\n',
    );
    expect(await kubectl('get cm -A --field-selector metadata.name=one -o name')).toBe(
      'configmap/one\nconfigmap/one\n',
    );
    expect(await kubectl('get pods -A --field-selector spec.nodeName=some-node -o name')).toBe(
      'pod/here\n',
    );
    expect(await kubectl('get pods -A --field-selector status.phase!=Pending -o name')).toBe('');
    const unknown = await kubectl.attempt('get cm --field-selector data.a=1');
    expect(unknown.stderr).toContain(
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    const unselectable = await kubectl.attempt('get pods --field-selector spec.hostname=a');
    expect(unselectable.stderr).toContain('field label not supported: spec.hostname');
  });

  it('-A', async () => {
    const rows = rowsOf(await kubectl('get configmaps -A'));
    expect(rows[0]).toEqual(['NAMESPACE', 'NAME', 'DATA', 'AGE']);
    expect(
      rows.slice(1).map(([namespace, name]) => `${String(namespace)}/${String(name)}`),
    ).toEqual([
      'kube-system/extension-apiserver-authentication',
      'kube-system/kube-apiserver-legacy-service-account-token-tracking',
      ...['other/one', 'shown/one', 'shown/three', 'shown/two'],
    ]);
  });

  it('several resources at once, and names that are missing', async () => {
    expect(await kubectl('get deploy,po -n shown -o name')).toBe(
      'deployment.apps/web\npod/here\npod/waiting\n',
    );
    const { code, stdout, stderr } = await kubectl.attempt('get cm one absent -n shown -o name');
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: 'configmap/one\n',
      stderr: 'Error from server (NotFound): configmaps "absent" not found\n',
    });
  });

  it('--subresource', async () => {
    expect(rowsOf(await kubectl('get deployment web -n shown --subresource=scale'))).toEqual([
      ['NAME', 'DESIRED', 'AVAILABLE', 'AGE'],
      ['web', '3', '0', AGE],
    ]);
    const scale = parseJson(await kubectl('get deploy web -n shown --subresource=scale -o json'));
    expect(scale).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 3 },
      status: { replicas: 0, selector: 'app=web' },
    });
    const status = parseJson(await kubectl('get deploy web -n shown --subresource=status -o json'));
    expect(at(status, 'kind')).toBe('Deployment');
  });

  it('-w: what is there, then every change', async () => {
    const watching = kubectl.start('get configmaps -n shown -w --output-watch-events');
    const lines = () => watching.stdout().trimEnd().split('\n');
    const seen = (count: number) =>
      eventually(
        () => `${String(count)} lines, have ${watching.stdout()}${watching.stderr()}`,
        () => (lines().length >= count ? true : undefined),
      );
    await seen(4);
    await kubectl('create configmap later -n shown');
    await seen(5);
    await kubectl(`patch configmap later -n shown --type=merge -p '{"data":{"a":"1"}}'`);
    await seen(6);
    await kubectl('delete configmap later -n shown');
    await seen(7);
    watching.kill();
    await watching.ended;
    expect(lines().map((line) => line.split(/ +/).slice(0, 3))).toEqual([
      ['EVENT', 'NAME', 'DATA'],
      ['ADDED', 'one', '1'],
      ['ADDED', 'three', '1'],
      ['ADDED', 'two', '2'],
      ['ADDED', 'later', '0'],
      ['MODIFIED', 'later', '1'],
      ['DELETED', 'later', '1'],
    ]);
  });

  it('--watch-only of one object, as JSON', async () => {
    const watching = kubectl.start('get cm two -n shown --watch-only -o jsonpath={.data.a},');
    await eventually('the first words', async () => {
      await kubectl(
        `patch cm two -n shown --type=merge -p '{"data":{"a":"${String(Date.now())}"}}'`,
      );
      return watching.stdout() === '' ? undefined : true;
    });
    watching.kill();
    await watching.ended;
    expect(watching.stdout()).toMatch(/^(\d+,)+$/);
  });
});
