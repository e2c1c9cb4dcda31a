/**
 * kubectl finds out what the server is and serves: version, resources, versions, explain, --raw.
 */
import { expect, it } from 'vitest';

import { kubectlFor } from '../support/kubectl.ts';
import { at, listAt, parseJson, textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { OTHER_RESOURCES, RESOURCES } from './resources.ts';

await describeWith('kubectl', 'kubectl and discovery', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);

  it('version: the server is a 1.36, and no skew is warned of', async () => {
    const { code, stdout, stderr } = await kubectl.attempt('version');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Client Version: v1\.36\.3$/m);
    expect(stdout).toMatch(/^Server Version: v1\.36\.\d+\+everwatch\S*$/m);
    expect(stderr).toBe('');
  });

  it('version -o json', async () => {
    const said = parseJson(await kubectl('version -o json'));
    expect(at(said, 'serverVersion', 'major')).toBe('1');
    expect(at(said, 'serverVersion', 'minor')).toBe('36');
  });

  it('cluster-info names the address', async () => {
    const said = await kubectl('cluster-info');
    expect(said).toContain('Kubernetes control plane');
    expect(said).toContain(server().url);
  });

  it('api-resources: every row as upstream has it, and none that upstream has not', async () => {
    const [head, ...rows] = (await kubectl('api-resources')).trimEnd().split('\n');
    expect(head?.split(/ +/)).toEqual(['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND']);
    const squeezed = rows.map((row) => row.replaceAll(/ +/g, ' '));
    expect(squeezed).toEqual(expect.arrayContaining([...RESOURCES]));
    const unknown = squeezed.filter((row) => !RESOURCES.includes(row));
    expect(OTHER_RESOURCES).toEqual(expect.arrayContaining(unknown));
  });

  it('api-resources: verbs and categories', async () => {
    const wide = await kubectl('api-resources --api-group=apps -o wide --no-headers');
    const verbs = 'create,delete,deletecollection,get,list,patch,update,watch';
    const ofDeployments = wide.split('\n').find((row) => row.startsWith('deployments '));
    expect(ofDeployments?.trim().split(/ +/).slice(-2)).toEqual([verbs, 'all']);
  });

  it('api-resources: filters', async () => {
    const cluster = await kubectl('api-resources --namespaced=false --api-group= -o name');
    expect(cluster.trim().split('\n').sort()).toEqual([
      'componentstatuses',
      'namespaces',
      'nodes',
      'persistentvolumes',
    ]);
    const inAll = await kubectl('api-resources --categories=all -o name');
    expect(inAll.trim().split('\n').sort()).toEqual([
      'cronjobs.batch',
      'daemonsets.apps',
      'deployments.apps',
      'horizontalpodautoscalers.autoscaling',
      'jobs.batch',
      'pods',
      'replicasets.apps',
      'replicationcontrollers',
      'services',
      'statefulsets.apps',
    ]);
  });

  it('api-versions: the served GA versions', async () => {
    const versions = (await kubectl('api-versions')).trim().split('\n');
    expect(versions).toEqual(expect.arrayContaining(versionsOf(RESOURCES)));
    expect(versions).toContain('autoscaling/v1');
    // Our own group is the only one that is not upstream's.
    const notGa = versions.filter((version) => /alpha|beta/.test(version));
    expect(notGa).toEqual(['dev.everwatch/v1alpha1']);
  });

  it('explain: a kind with its fields and their descriptions', async () => {
    const said = await kubectl('explain configmaps');
    expect(said).toMatch(/^KIND: +ConfigMap\nVERSION: +v1\n/);
    expect(said).toContain('ConfigMap holds configuration data for pods to consume.');
    expect(said).toMatch(/^ {2}data\t<map\[string\]string>\n {4}\S.+/m);
    expect(said).toMatch(/^ {2}immutable\t<boolean>\n {4}\S.+/m);
  });

  it('explain: a field deep inside, required and enumerated fields marked', async () => {
    const strategy = await kubectl('explain deployment.spec.strategy.rollingUpdate.maxSurge');
    expect(strategy).toMatch(/^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n/);
    expect(strategy).toMatch(/^FIELD: maxSurge <IntOrString>$/m);
    const seconds = await kubectl('explain deployment.spec.minReadySeconds');
    expect(seconds).toContain('Minimum number of seconds for which a newly created pod should be');
    const spec = await kubectl('explain deployments.spec');
    expect(spec).toMatch(/^ {2}selector\t<LabelSelector> -required-$/m);
    const container = await kubectl('explain pod.spec.containers');
    expect(container).toMatch(/^ {2}name\t<string> -required-$/m);
    expect(container).toMatch(
      /^ {2}imagePullPolicy\t<string>\n {2}enum: Always, IfNotPresent, Never$/m,
    );
  });

  it('explain --recursive, and of a version', async () => {
    const recursive = await kubectl('explain hpa --api-version=autoscaling/v1 --recursive');
    expect(recursive).toMatch(/^VERSION: +v1$/m);
    expect(recursive).toMatch(/^ {4}targetCPUUtilizationPercentage\t<integer>$/m);
    const missing = await kubectl.attempt('explain pod.spec.nothing');
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('field "nothing" does not exist');
  });

  it('--raw: paths that are resources, and paths that are none', async () => {
    const version = parseJson(await kubectl('get --raw /version'));
    expect(textAt(version, 'gitVersion')).toMatch(/^v1\.36\.\d+\+everwatch/);
    expect(await kubectl('get --raw /healthz')).toBe('ok');
    expect(await kubectl('get --raw /readyz?verbose')).toMatch(
      /\[\+\]ping ok\n[^]*readyz check passed/,
    );
    const namespace = parseJson(await kubectl('get --raw /api/v1/namespaces/default'));
    expect(textAt(namespace, 'metadata', 'name')).toBe('default');
    const groups = parseJson(await kubectl('get --raw /apis'));
    expect(listAt(groups, 'groups').map((group) => textAt(group, 'name'))).toContain('apps');
    const paths = listAt(parseJson(await kubectl('get --raw /')), 'paths');
    expect(paths).toEqual(expect.arrayContaining(['/api', '/api/v1', '/apis', '/version']));
  });

  it('--raw: a path that does not exist', async () => {
    const { code, stderr } = await kubectl.attempt('get --raw /nowhere');
    expect(code).toBe(1);
    expect(stderr).toContain('the server could not find the requested resource');
  });

  it('says what it does not know as with any server', async () => {
    const { code, stderr } = await kubectl.attempt('get nonsense');
    expect(code).toBe(1);
    expect(stderr).toBe('error: the server doesn\'t have a resource type "nonsense"\n');
  });

  it('knows resources by short name, singular, kind and group', async () => {
    await kubectl('create configmap known');
    for (const spelling of ['cm', 'configmap', 'ConfigMap', 'configmaps.v1.']) {
      const found = await kubectl(`get ${spelling} known -o name`);
      expect(found).toBe('configmap/known\n');
    }
  });
});

function versionsOf(resources: readonly string[]): string[] {
  const versions = resources.map((row) => row.split(' ').at(-3) ?? '');
  return [...new Set(versions)];
}
