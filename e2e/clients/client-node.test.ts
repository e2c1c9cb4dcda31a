/**
 * The official JavaScript client: list, watch, patch and its informer.
 */
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  V1ConfigMap,
  V1ObjectMeta,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';
import { beforeAll, expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const NAMESPACE = 'default';
const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

const server = serverForThisFile();
const config = new KubeConfig();
let core: CoreV1Api;

beforeAll(() => {
  config.loadFromFile(server().kubeconfig);
  core = config.makeApiClient(CoreV1Api);
});

it('reads the version', async () => {
  const { gitVersion } = await config.makeApiClient(VersionApi).getCode();
  expect(gitVersion).toMatch(/^v1\.36\.\d+\+everwatch/);
});

it('lists in pages, with selectors', async () => {
  for (const number of [0, 1, 2, 3, 4]) await create(`listed-${String(number)}`, { suite: 'list' });
  const first = await core.listNamespacedConfigMap({
    namespace: NAMESPACE,
    labelSelector: 'suite=list',
    limit: 3,
  });
  const rest = await core.listNamespacedConfigMap({
    namespace: NAMESPACE,
    labelSelector: 'suite=list',
    limit: 3,
    _continue: first.metadata?._continue ?? '',
  });
  const one = await core.listConfigMapForAllNamespaces({ fieldSelector: 'metadata.name=listed-2' });

  expect(namesOf(first.items)).toEqual(['listed-0', 'listed-1', 'listed-2']);
  expect(namesOf(rest.items)).toEqual(['listed-3', 'listed-4']);
  expect(rest.metadata?._continue ?? '').toBe('');
  expect(namesOf(one.items)).toEqual(['listed-2']);
  expect(one.items[0]?.metadata?.creationTimestamp).toBeInstanceOf(Date);
});

it('patches in all three ways', async () => {
  await create('patched', {});
  const target = { name: 'patched', namespace: NAMESPACE };
  const operations = [{ op: 'replace', path: '/data/a', value: '2' }];
  await core.patchNamespacedConfigMap({ ...target, body: operations }, by(PatchStrategy.JsonPatch));
  const merge = { data: { b: 'merge' } };
  await core.patchNamespacedConfigMap({ ...target, body: merge }, by(PatchStrategy.MergePatch));
  const strategic = { data: { c: 'strategic' } };
  const patched = await core.patchNamespacedConfigMap(
    { ...target, body: strategic },
    by(PatchStrategy.StrategicMergePatch),
  );
  expect(patched.data).toEqual({ a: '2', b: 'merge', c: 'strategic' });
});

it('turns failures into errors with a Status', async () => {
  const failure = core.readNamespacedConfigMap({ name: 'absent', namespace: NAMESPACE });
  await expect(failure).rejects.toMatchObject({
    code: 404,
    body: expect.stringContaining('configmaps \\"absent\\" not found') as string,
  });
});

it('watches', async () => {
  const list = await core.listNamespacedConfigMap({ namespace: NAMESPACE });
  const seen: string[] = [];
  const query = {
    labelSelector: 'suite=watch',
    resourceVersion: list.metadata?.resourceVersion ?? '',
    allowWatchBookmarks: true,
  };
  const abort = await new Watch(config).watch(
    PATH,
    query,
    (phase, object: V1ConfigMap) => seen.push(`${phase} ${object.metadata?.name ?? ''}`),
    () => undefined,
  );
  await create('watched', { suite: 'watch' });
  await core.patchNamespacedConfigMap(
    { name: 'watched', namespace: NAMESPACE, body: { data: { a: '2' } } },
    by(PatchStrategy.MergePatch),
  );
  await core.deleteNamespacedConfigMap({ name: 'watched', namespace: NAMESPACE });
  const isComplete = () => seen.includes('DELETED watched') || undefined;
  await eventually(() => `a deletion; seen ${seen.join(', ')}`, isComplete);
  abort.abort();
  expect(seen).toEqual(['ADDED watched', 'MODIFIED watched', 'DELETED watched']);
});

it('keeps an informer equal to the list', async () => {
  const labelSelector = 'suite=informer';
  const list = () => core.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector });
  await create('informed-before', { suite: 'informer' });
  const informer = makeInformer(config, PATH, list, labelSelector);
  const seen: string[] = [];
  informer.on('add', (object) => seen.push(`add ${object.metadata?.name ?? ''}`));
  informer.on('delete', (object) => seen.push(`delete ${object.metadata?.name ?? ''}`));
  await informer.start();
  await create('informed-after', { suite: 'informer' });
  await core.deleteNamespacedConfigMap({ name: 'informed-before', namespace: NAMESPACE });
  const isComplete = () => seen.includes('delete informed-before') || undefined;
  await eventually(() => `a deletion; seen ${seen.join(', ')}`, isComplete);
  expect(seen).toEqual(['add informed-before', 'add informed-after', 'delete informed-before']);
  expect(namesOf(informer.list(NAMESPACE))).toEqual(namesOf((await list()).items));
  await informer.stop();
});

function create(name: string, labels: Record<string, string>): Promise<V1ConfigMap> {
  const body = new V1ConfigMap();
  body.metadata = new V1ObjectMeta();
  body.metadata.name = name;
  body.metadata.labels = labels;
  body.data = { a: '1' };
  return core.createNamespacedConfigMap({ namespace: NAMESPACE, body });
}

function by(strategy: PatchStrategy) {
  return setHeaderOptions('Content-Type', strategy);
}

function namesOf(objects: readonly V1ConfigMap[]): (string | undefined)[] {
  return objects.map((object) => object.metadata?.name);
}
