import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import type { StringMap } from '../../../api/meta/object-meta.ts';
import { givenControlPlane } from '../given-registry.fixture.ts';

describe('a create', () => {
  describe('of a job', () => {
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const job = (labels?: StringMap): JsonObject => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', ...(labels && { labels }) },
      spec: {
        template: {
          metadata: { labels: { app: 'x' } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
        },
      },
    });

    it('labels it as its pods, where it has no labels of its own', async () => {
      const { post } = await givenControlPlane();
      const { object } = await post(jobs, job());
      const { uid = '', labels } = object.metadata;
      expect(labels).toEqual({
        app: 'x',
        'controller-uid': uid,
        'batch.kubernetes.io/controller-uid': uid,
        'job-name': 'j',
        'batch.kubernetes.io/job-name': 'j',
      });
      expect(object['spec']).toMatchObject({ template: { metadata: { labels } } });
      const generated = { ...job(), metadata: { generateName: 'j-' } };
      expect((await post(jobs, generated)).object.metadata.labels).toEqual({ app: 'x' });
    });

    it('leaves its own labels alone, even where its pods have the same', async () => {
      const { post } = await givenControlPlane();
      const { object } = await post(jobs, job({ app: 'x' }));
      expect(object.metadata.labels).toEqual({ app: 'x' });
    });
  });

  it('tells what is wrong with the metadata of some kinds where the rest is right', async () => {
    const { post } = await givenControlPlane();
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const fieldsOf = async (minAvailable: number): Promise<unknown> => {
      const { status } = await post(budgets, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'a', labels: { app: 'no label' } },
        spec: { minAvailable, selector: { matchLabels: { app: 'x' } } },
      });
      return status?.details?.causes?.map(({ field }) => field);
    };
    expect(await fieldsOf(-1)).toEqual(['spec.minAvailable']);
    expect(await fieldsOf(1)).toEqual(['metadata.labels']);
  });
});

describe('what protobuf cannot say', () => {
  it.each<[string, JsonObject, string]>([
    [
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      { kind: 'EndpointSlice', addressType: 'IPv4', endpoints: [], ports: [] },
      '"endpoints":null,"ports":null',
    ],
    [
      '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
      { kind: 'Role', rules: [] },
      '"rules":null',
    ],
    [
      '/api/v1/namespaces/default/secrets',
      { kind: 'Secret', data: { a: null, b: 'eA==' } },
      '"data":{"a":"","b":"eA=="}',
    ],
    [
      '/api/v1/namespaces/default/configmaps',
      { kind: 'ConfigMap', binaryData: { a: null } },
      '"binaryData":{"a":""}',
    ],
  ])('is not stored, as behind the store of upstream: %s', async (url, object, text) => {
    const { post, put, get } = await givenControlPlane();
    const apiVersion = url.startsWith('/api/') ? 'v1' : url.split('/').slice(2, 4).join('/');
    const sent = { ...object, apiVersion, metadata: { name: 'a' } };
    expect(JSON.stringify((await post(url, sent)).object)).toContain(text);
    expect(JSON.stringify((await put(`${url}/a`, sent)).object)).toContain(text);
    expect(JSON.stringify((await get(`${url}/a`)).object)).toContain(text);
  });
});
