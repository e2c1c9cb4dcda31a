/**
 * An unmodified kubectl in the past: `--server https://HOST/at/…` with the kubeconfig's
 * certificates, and nothing else.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { configMap, deployment, pod } from '../kubectl/manifests.ts';
import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { listAt, textAt, type JsonValue } from '../support/json.ts';
import { kubectlFor, rowsOf, type KubectlOptions } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const READ_ONLY = /the control plane as of \S+ is read-only: below \/at\/ nothing can be written/;

await describeWith('kubectl', 'kubectl in the past', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);
  /** When there were three ConfigMaps and no Deployment: a version and the time of day. */
  let then = '';
  let time = '';
  let podUid = '';

  const below = (moment: string, args: string): string =>
    `${args} --server=${server().url}/at/${moment}`;
  const past = (args: string, options?: KubectlOptions) => kubectl(below(then, args), options);
  const attempt = (args: string, options?: KubectlOptions) =>
    kubectl.attempt(below(then, args), options);
  const newest = async (): Promise<string> =>
    textAt(
      JSON.parse(await kubectl('get --raw /api/v1/pods')) as JsonValue,
      'metadata',
      'resourceVersion',
    );

  beforeAll(async () => {
    await kubectl('create namespace shown');
    const maps = ['one', 'two', 'three'].map((name) =>
      configMap(name, { was: 'first' }, { odd: String(name !== 'two') }),
    );
    await kubectl('apply -n shown -f -', { input: maps.join('\n---\n') });
    await kubectl('create -n shown -f -', { input: pod('waiting') });
    podUid = await kubectl("get pod waiting -n shown -o 'jsonpath={.metadata.uid}'");
    await event('Scheduled', 'at first');
    then = await newest();
    // The next record is at least a millisecond later, so the time means the same moment.
    const now = Date.now();
    await eventually('a later millisecond', () => (Date.now() > now + 1 ? true : undefined));
    time = new Date(now + 1).toISOString();
    await kubectl('apply -n shown -f -', { input: configMap('two', { was: 'second' }) });
    await kubectl('delete configmap one -n shown');
    await kubectl('create -n shown -f -', { input: deployment('web') });
    await kubectl('delete pod waiting -n shown --force');
    await event('Killed', 'later');
  });

  async function event(reason: string, message: string): Promise<void> {
    const client = adminClient(server());
    const involvedObject = {
      kind: 'Pod',
      apiVersion: 'v1',
      namespace: 'shown',
      name: 'waiting',
      uid: podUid,
    };
    const { status } = await client.post('/api/v1/namespaces/shown/events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `waiting.${reason.toLowerCase()}`, namespace: 'shown' },
      involvedObject,
      reason,
      message,
      type: 'Normal',
    });
    expect(status).toBe(201);
    client.close();
  }

  describe('reads', () => {
    it('tables, by a version and by a time', async () => {
      for (const moment of [then, time, time.replace('Z', '+00:00')]) {
        const rows = rowsOf(await kubectl(below(moment, 'get configmaps -n shown')));
        expect(rows.map(([name]) => name)).toEqual(['NAME', 'one', 'three', 'two']);
      }
      const now = rowsOf(await kubectl('get configmaps -n shown'));
      expect(now.map(([name]) => name)).toEqual(['NAME', 'three', 'two']);
      expect(rowsOf(await past('get pods -A')).map(([, name]) => name)).toEqual([
        'NAME',
        'waiting',
      ]);
      expect((await attempt('get deployments -n shown')).stderr).toContain('No resources found');
    });

    it('ages are as they were', async () => {
      const table = await past('get pod waiting -n shown --no-headers');
      const age = Number(/(\d+)s$/.exec(table.trim())?.[1]);
      const client = adminClient(server());
      const path = `/at/${then}/api/v1/namespaces/shown/pods/waiting`;
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      // However much time passes, it is the same table.
      const cells = async () => JSON.stringify((await client.get(path, { accept })).body);
      const first = await cells();
      await eventually('a second later', () =>
        Date.now() > Date.parse(time) + 1_500 ? true : undefined,
      );
      expect(await cells()).toBe(first);
      expect(age).toBeLessThan(60);
      client.close();
    });

    it('one object, as YAML and by name', async () => {
      const yaml = parse(await past('get configmap two -n shown -o yaml')) as JsonValue;
      expect(textAt(yaml, 'data', 'was')).toBe('first');
      expect(await past('get configmap one -n shown -o name')).toBe('configmap/one\n');
      const { code, stderr } = await attempt('get deployment web -n shown');
      expect([code, stderr.trim()]).toEqual([
        1,
        'Error from server (NotFound): deployments.apps "web" not found',
      ]);
    });

    it('selectors, chunks, and several kinds', async () => {
      expect(await past('get cm -n shown -l odd=true -o name')).toBe(
        'configmap/one\nconfigmap/three\n',
      );
      expect(await past('get cm -n shown --field-selector=metadata.name=one -o name')).toBe(
        'configmap/one\n',
      );
      expect(await past('get cm -n shown --chunk-size=1 -o name')).toBe(
        'configmap/one\nconfigmap/three\nconfigmap/two\n',
      );
      expect(await past('get cm,pods -n shown -o name')).toContain('pod/waiting');
      const all = parse(await past('get cm -A -o yaml')) as JsonValue;
      const namespaces = listAt(all, 'items').map((item) => textAt(item, 'metadata', 'namespace'));
      // Beside them those in which the server says how it knows users.
      expect(namespaces.filter((one) => one !== 'kube-system')).toHaveLength(3);
      expect(namespaces).toContain('kube-system');
    });

    it('describe, with the events of then', async () => {
      const said = await past('describe pod waiting -n shown');
      expect(said).toMatch(/^Name:\s+waiting$/m);
      expect(said).toContain('at first');
      expect(said).not.toContain('later');
    });

    it('api-resources, api-versions, explain, version', async () => {
      expect(await past('api-resources')).toBe(await kubectl('api-resources'));
      expect(await past('api-versions')).toBe(await kubectl('api-versions'));
      const explained = await past('explain deployment.spec.replicas');
      expect(explained).toBe(await kubectl('explain deployment.spec.replicas'));
      expect(explained).toContain('integer');
      expect(await past('version')).toMatch(/Server Version: v1\.36/);
    });

    it('auth: the user and the rights of today, and none to write', async () => {
      expect(await past('auth whoami')).toBe(await kubectl('auth whoami'));
      expect(await past('auth can-i list pods')).toBe('yes\n');
      expect(await past('auth can-i --list')).toBe(await kubectl('auth can-i --list'));
      const { code, stdout } = await attempt('auth can-i delete pods');
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^no - the past is read-only/)]);
    });

    it('raw paths: health, and what has no past', async () => {
      const raw = (path: string) => kubectl(`get --raw /at/${then}${path}`);
      expect(await raw('/readyz')).toBe('ok');
      expect(await past('get componentstatuses --no-headers')).toContain('etcd-0');
    });
  });

  describe('diff', () => {
    it('shows what a manifest would change in what was there', async () => {
      const second = { input: configMap('two', { was: 'second' }, { odd: 'false' }) };
      const { code, stdout } = await attempt('diff -n shown -f -', second);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^-\s+was: first$/m)]);
      expect(stdout).toMatch(/^\+\s+was: second$/m);
      const first = { input: configMap('two', { was: 'first' }, { odd: 'false' }) };
      expect(await attempt('diff -n shown -f -', first)).toMatchObject({ code: 0, stdout: '' });
    });

    it('shows what did not exist then as new', async () => {
      const { code, stdout } = await attempt('diff -n shown -f -', { input: deployment('web') });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^\+kind: Deployment$/m);
    });
  });

  describe('writes', () => {
    it.each([
      ['apply -n shown -f -', configMap('two', { was: 'changed' })],
      ['create -n shown -f -', configMap('four', {})],
      ['replace -n shown -f -', configMap('two', {})],
      ['delete configmap two -n shown', undefined],
      ['delete configmap two -n shown --dry-run=server', undefined],
      ['delete configmap --all -n shown', undefined],
      ['label configmap two -n shown a=b', undefined],
      ['create namespace nine', undefined],
    ])('%s says that the past is read-only', async (args, input) => {
      const before = await newest();
      const { code, stderr } = await attempt(args, input === undefined ? {} : { input });
      expect(code).toBe(1);
      expect(stderr).toMatch(READ_ONLY);
      expect(stderr).toContain('MethodNotAllowed');
      expect(await newest()).toBe(before);
    });
  });

  it('says what is wrong with a moment', async () => {
    const wrong = async (moment: string) =>
      (await kubectl.attempt(below(moment, 'get configmap two -n shown'))).stderr;
    expect(await wrong('yesterday')).toContain(
      'behind /at/ must stand a resourceVersion like 1234',
    );
    expect(await wrong('2999-01-01T00:00:00Z')).toContain('it lies in the future');
    expect(await wrong('99999999')).toContain('it lies in the future, the newest version is');
  });

  it('get -w replays what came after the moment, and goes on in the present; or it stays', async () => {
    const watch = 'get configmaps -n shown -w --output-watch-events --no-headers';
    const watching = kubectl.start(below(then, watch));
    const staying = kubectl.start(below(`${then}/still`, watch));
    const seen = ({ stdout } = watching): string[] =>
      rowsOf(stdout()).map(([type = '', name = '']) => `${type} ${name}`);
    const state = ['ADDED one', 'ADDED three', 'ADDED two'];
    await eventually('the state', () => (seen(staying).length === state.length ? true : undefined));
    const until = (line: string) =>
      eventually(
        () => `${line}; ${watching.stdout()}${watching.stderr()}`,
        () => (seen().includes(line) ? true : undefined),
      );
    await until('DELETED one');
    await kubectl('create configmap live -n shown');
    await until('ADDED live');
    for (const one of [watching, staying]) {
      one.kill();
      await one.ended;
    }
    expect([seen(staying), staying.stderr()]).toEqual([state, '']);
    expect(seen()).toEqual([...state, 'MODIFIED two', 'DELETED one', 'ADDED live']);
  });
});
