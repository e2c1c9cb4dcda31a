/** Definitions that name a resource which is there without them; kube-apiserver was asked the same. */
import { afterEach, describe, expect, it } from 'vitest';
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

describe('a definition of a group that is built in', () => {
  const group = 'networking.k8s.io';
  // In Kubernetes' own test of discovery: CRDBuiltinOverlapPrecence.
  const path = (version: string): string => `/apis/${group}/${version}/namespaces/default/bars`;
  const bar = { kind: 'Bar', apiVersion: `${group}/v7`, metadata: { name: 'a' } };

  async function givenBars(storage: 'v1' | 'v7') {
    const given = await givenDefinitions();
    await given.start();
    const made = definition('bars', {}, group);
    made.metadata['annotations'] = { 'api-approved.kubernetes.io': 'unapproved, a test' };
    const [first] = made.spec.versions;
    made.spec.versions = ['v1', 'v7'].map((name) => ({
      ...first,
      name,
      storage: name === storage,
    }));
    expect((await given.post(CRDS, made)).code).toBe(201);
    await given.says(`bars.${group}`, 'Established', 'True');
    return given;
  }

  it('adds no resource to a version that is built in as well', async () => {
    const { get, post, served } = await givenBars('v7');
    expect((await post(path('v7'), bar)).code).toBe(201);
    expect((await get(`${path('v1')}/a`)).code).toBe(404);
    const facts = served.custom?.established().flatMap((one) => one.facts) ?? [];
    expect(facts.map(({ version }) => version)).toEqual(['v7']);
  });

  it.each(['v1', 'v7'] as const)('goes with its objects, which lie in %s', async (storage) => {
    const { del, get, post, objects, until } = await givenBars(storage);
    expect((await post(path('v7'), bar)).code).toBe(201);
    expect(objects.of(`${group}/bars`).size).toBe(1);
    await del(`${CRDS}/bars.${group}`);
    await until(async () => (await get(`${CRDS}/bars.${group}`)).code === 404);
    expect(objects.of(`${group}/bars`).size).toBe(0);
  });
});
