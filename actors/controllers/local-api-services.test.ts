import { beforeEach, describe, expect, it } from 'vitest';
import { serviceUnavailable } from '../../api/meta/status.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { statusAnswer } from '../request/answer.ts';
import { givenControlPlane, type ControlPlane } from '../registry/given-registry.fixture.ts';
import { registerBuiltInGroups, type GroupVersion } from './local-api-services.ts';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const LABEL = 'kube-aggregator.kubernetes.io/automanaged';
const BUILT_IN: readonly GroupVersion[] = [
  { group: '', version: 'v1' },
  { group: '', version: 'v1' },
  { group: 'apps', version: 'v1' },
  { group: 'autoscaling', version: 'v2' },
  { group: 'apiregistration.k8s.io', version: 'v1' },
  { group: 'everwatch.dev', version: 'v1alpha1' },
];

let plane: ControlPlane;
beforeEach(async () => {
  plane = await givenControlPlane();
});

function register(groupVersions = BUILT_IN): Promise<void> {
  const { loopback, objects } = plane;
  return registerBuiltInGroups({ loopback, objects, groupVersions });
}

async function find(name: string): Promise<KubeObject> {
  const { code, object } = await plane.get(`${SERVICES}/${name}`);
  expect(code).toBe(200);
  return object;
}

async function names(): Promise<(string | undefined)[]> {
  return (await plane.get(SERVICES)).items.map(({ metadata }) => metadata.name);
}

describe('built-in group versions', () => {
  it('are registered with their priorities, and available', async () => {
    await register();
    expect(await names()).toEqual(['v1.', 'v1.apps', 'v2.autoscaling']);
    expect(await find('v2.autoscaling')).toMatchObject({
      metadata: { labels: { [LABEL]: 'onstart' } },
      spec: {
        group: 'autoscaling',
        version: 'v2',
        groupPriorityMinimum: 17_500,
        versionPriority: 30,
      },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    expect((await find('v1.'))['spec']).toEqual({
      ...{ version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 },
    });
  });

  it('cost nothing at the next start, where a webhook may refuse every write', async () => {
    await register();
    const loopback = () => Promise.reject(new Error('asked'));
    const { objects } = plane;
    await registerBuiltInGroups({ loopback, objects, groupVersions: BUILT_IN });
  });

  it('are put right at the next start, unless the label was taken away', async () => {
    await register();
    const spec = { versionPriority: 77 };
    await plane.patch(`${SERVICES}/v1.apps`, 'merge', { spec });
    const metadata = { labels: { [LABEL]: null } };
    await plane.patch(`${SERVICES}/v2.autoscaling`, 'merge', { metadata, spec });
    await plane.del(`${SERVICES}/v1.`);
    await register();
    expect(await find('v1.apps')).toMatchObject({ spec: { versionPriority: 15 } });
    expect(await find('v2.autoscaling')).toMatchObject({ spec: { versionPriority: 77 } });
    expect(await names()).toContain('v1.');
  });

  it('go when they are not served any more, and others stay', async () => {
    await register();
    await plane.post(SERVICES, {
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      metadata: { name: 'v1.example.com', labels: { [LABEL]: 'true' } },
      spec: {
        ...{ group: 'example.com', version: 'v1' },
        ...{ groupPriorityMinimum: 1000, versionPriority: 100 },
      },
    });
    await register([{ group: '', version: 'v1' }]);
    expect(await names()).toEqual(['v1.', 'v1.example.com']);
  });

  it('are registered once, whichever of several servers is first', async () => {
    await Promise.all([register(), register(), register()]);
    expect(await names()).toHaveLength(3);
  });

  it('are tried again where nothing can be written', async () => {
    const loopback = () => Promise.resolve(statusAnswer(serviceUnavailable('no log')));
    const { objects } = plane;
    await expect(
      registerBuiltInGroups({ loopback, objects, groupVersions: BUILT_IN }),
    ).rejects.toThrow('an APIService could not be written: no log');
  });
});
