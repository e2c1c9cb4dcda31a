/**
 * Any client as a time machine: `everwatch kubeconfig --at` and `--fork` write a kubeconfig whose server has a
 * place in its path, and unmodified clients live in that place with nothing else.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  V1ConfigMap,
  V1ObjectMeta,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

await describeWith('kubectl', 'a kubeconfig of another place', (program) => {
  const server = serverForThisFile();
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-contexts-'));
  let client: AdminClient;
  let then = '';

  async function put(name: string, n: string): Promise<string> {
    const object = { metadata: { name }, data: { n } };
    const answer = await client.post(MAPS, object);
    const { body } = answer.status === 201 ? answer : await client.put(`${MAPS}/${name}`, object);
    return textAt(body, 'metadata', 'resourceVersion');
  }

  beforeAll(async () => {
    client = adminClient(server());
    await put('one', '1');
    then = await put('two', '1');
    await put('one', '2');
    expect((await client.delete(`${MAPS}/two`)).status).toBe(200);
    await put('three', '1');
    const fork = { metadata: { name: 'try' }, spec: { revision: then } };
    const made = await client.post('/apis/dev.everwatch/v1alpha1/forks', {
      apiVersion: 'dev.everwatch/v1alpha1',
      kind: 'Fork',
      ...fork,
    });
    expect(made.status).toBe(201);
  });

  afterAll(() => {
    client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function kubeconfigOf(...args: string[]): Promise<string> {
    const given = ['--kubeconfig', server().kubeconfig];
    const said = await run(process.execPath, [SERVER_PROGRAM, 'kubeconfig', ...args, ...given]);
    expect(said.stderr).toBe('');
    return said.stdout;
  }

  async function configOf(...args: string[]): Promise<KubeConfig> {
    const config = new KubeConfig();
    config.loadFromString(await kubeconfigOf(...args));
    return config;
  }

  /** Told what an informer is told, from its start on. */
  async function following(config: KubeConfig, query = '') {
    const core = config.makeApiClient(CoreV1Api);
    const asked = { lists: 0, watches: 0, errors: [] as unknown[] };
    const list = () => {
      asked.lists += 1;
      return core.listNamespacedConfigMap({ namespace: 'default' });
    };
    const informer = makeInformer(config, MAPS + query, list);
    const seen: string[] = [];
    informer.on('connect', () => void (asked.watches += 1));
    informer.on('error', (error: unknown) => void asked.errors.push(error));
    for (const type of ['add', 'update', 'delete'] as const) {
      informer.on(type, ({ metadata, data }: V1ConfigMap) => {
        const name = metadata?.name ?? '';
        if (name !== 'kube-root-ca.crt') seen.push(`${type} ${name} ${data?.['n'] ?? ''}`);
      });
    }
    await informer.start();
    return { seen, asked, stop: () => informer.stop() };
  }

  it('has a JavaScript informer begin in the past, live through what came after, and go on', async () => {
    const { seen, stop } = await following(await configOf('--at', then));
    const caughtUp = (last: string) =>
      eventually(
        () => `${last}; seen ${seen.join(', ')}`,
        () => seen.includes(last) || undefined,
      );
    await caughtUp('add three 1');
    await put('three', '2');
    await caughtUp('update three 2');
    await stop();

    expect(seen).toEqual([
      'add one 1',
      'add two 1',
      'update one 2',
      'delete two 1',
      'add three 1',
      'update three 2',
    ]);
  });

  it.each([
    ['in the past', () => ['--at', then, '--still'], ['add one 1', 'add two 1']],
    [
      'in that of a fork',
      () => ['--fork', 'try', '--at', then, '--still'],
      ['add one 1', 'add two 1'],
    ],
  ])('has a JavaScript informer stay %s, however often it begins anew', async (_, args, state) => {
    const began = Date.now();
    const { seen, asked, stop } = await following(await configOf(...args()), '?timeoutSeconds=1');
    for (const n of ['3', '4']) await put('three', n);
    await eventually(
      () => `three watches; there were ${String(asked.watches)}`,
      () => asked.watches > 3 || undefined,
    );
    const { lists, watches, errors } = { ...asked, errors: [...asked.errors] };
    const seconds = (Date.now() - began) / 1_000;
    await stop();

    expect([seen, errors]).toEqual([state, []]);
    expect(lists).toBe(1);
    expect(watches).toBeLessThan(2 + seconds);
  });

  it('has a JavaScript informer live in a fork', async () => {
    const config = await configOf('--fork', 'try');
    const { seen, stop } = await following(config);
    const core = config.makeApiClient(CoreV1Api);
    const body = new V1ConfigMap();
    body.metadata = new V1ObjectMeta();
    body.metadata.name = 'of-fork';
    body.data = { n: '1' };
    await core.createNamespacedConfigMap({ namespace: 'default', body });
    await eventually(
      () => `an object of the fork; seen ${seen.join(', ')}`,
      () => seen.includes('add of-fork 1') || undefined,
    );
    await stop();
    const outside = await client.get(`${MAPS}/of-fork`);

    expect(seen).toEqual(['add one 1', 'add two 1', 'add of-fork 1']);
    expect(outside.status).toBe(404);
  });

  it.each([
    ['a version', () => ['--at', then], ['one', 'two']],
    ['a version in a fork', () => ['--fork', 'try', '--at', then], ['one', 'two']],
    ['now', () => ['--at', 'now'], ['one', 'three']],
  ])('has kubectl list what there is at %s', async (_, args, names) => {
    const file = join(folder, 'place.kubeconfig');
    writeFileSync(file, await kubeconfigOf(...args()), { mode: 0o600 });
    const options = ['get', 'configmaps', '-o', 'name', '--kubeconfig', file];
    const listed = await run(program, options);

    const wanted = names.map((name) => `configmap/${name}`);
    expect(listed.stderr).toBe('');
    expect(
      listed.stdout
        .trim()
        .split('\n')
        .filter((one) => !one.includes('root-ca')),
    ).toEqual(wanted);
  });
});
