/** Definitions that name a resource which is there without them; kube-apiserver was asked the same. */
import { afterEach, expect, it } from 'vitest';
import {
  CRDS,
  definition,
  givenDefinitions,
  stopCrdControllers,
} from './given-definitions.fixture.ts';

afterEach(stopCrdControllers);

const APPROVAL = 'https://github.com/kubernetes/kubernetes/pull/78458';

it.each([
  ['leases', 'coordination.k8s.io', 'v1', 'default/a'],
  ['forks', 'dev.everwatch', 'v1alpha1', '/a'],
])('%s of %s stay what they are', async (plural, group, builtIn, path) => {
  const plane = await givenDefinitions();
  const { post, get, del, objects, served } = plane;
  await plane.start();
  await plane.elsewhere(`${group}/${plural}`, path, (object) => {
    object.metadata = { name: 'a', uid: 'a' };
    return undefined;
  });
  const made = definition(plural, { kind: 'Other' }, group);
  const name = `${plural}.${group}`;
  made.metadata['annotations'] = { 'api-approved.kubernetes.io': APPROVAL };
  const [version] = made.spec.versions;
  made.spec.versions = [
    { ...version, name: 'v9' },
    { ...version, name: builtIn, storage: false },
  ];
  expect((await post(CRDS, made)).code).toBe(201);
  await plane.says(name, 'Established', 'True');

  expect((await get(`/apis/${group}/v9/namespaces/default/${plural}`)).code).toBe(404);
  const found = served.lookup({ apiGroup: group, apiVersion: builtIn, resource: plural });
  expect(found?.facts.kind).not.toBe('Other');
  expect(served.custom?.established().flatMap(({ facts }) => facts)).toEqual([]);

  expect((await del(`${CRDS}/${name}`)).code).toBe(200);
  await plane.until(async () => (await get(`${CRDS}/${name}`)).code === 404);
  expect(objects.of(`${group}/${plural}`).size).toBe(1);
});
