import { describe, expect, it } from 'vitest';

import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { defaultTolerationSeconds, podTolerationRestriction } from './toleration-plugins.ts';
import type { JsonObject } from '../../../../api/json/json.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import { PluginConfigurationError } from '../../plugin-configuration.ts';

const added = (key: string, tolerationSeconds: number) => ({
  ...{ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute' },
  tolerationSeconds,
});

it('DefaultTolerationSeconds lets a pod stay for five minutes, or as long as it was told', async () => {
  const usual = await givenPlugin(() => defaultTolerationSeconds({}));
  const { object } = await usual.admit({ url: PODS_URL, object: pod('p') });
  const tolerations = [added('not-ready', 300), added('unreachable', 300)];
  expect(object['spec']).toMatchObject({ tolerations });
  const told = { notReadySeconds: 1, unreachableSeconds: 2 };
  const { admit } = await givenPlugin(() => defaultTolerationSeconds({ tolerationSeconds: told }));
  expect((await admit({ url: PODS_URL, object: pod('p') })).object['spec']).toMatchObject({
    tolerations: [added('not-ready', 1), added('unreachable', 2)],
  });
});

it('DefaultTolerationSeconds leaves a pod as it is that tolerates both', async () => {
  const { admit } = await givenPlugin(() => defaultTolerationSeconds({}));
  const tolerations = [added('unreachable', 7), added('not-ready', 7)];
  const { object } = await admit({ url: PODS_URL, object: pod('p', { tolerations }) });
  expect(object['spec']).toMatchObject({ tolerations });
});

it.each([
  [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' }, 3],
  [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }, 2],
  [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists' }, 2],
  [{ operator: 'Exists' }, 1],
])('DefaultTolerationSeconds beside %j', async (toleration, count) => {
  const { admit } = await givenPlugin(() => defaultTolerationSeconds({}));
  const object = pod('p', { tolerations: [toleration] });
  const { tolerations } = (await admit({ url: PODS_URL, object })).object['spec'] as {
    tolerations: unknown[];
  };
  expect(tolerations).toHaveLength(count);
});

const PODS = '/api/v1/namespaces/ns/pods';
const PREFIX = 'scheduler.alpha.kubernetes.io/';
const GPU = { key: 'gpu', operator: 'Exists' };
const DISK = { key: 'disk', operator: 'Equal', value: 'ssd' };

function given(annotations: StringMap = {}, lists?: JsonObject, kind = 'Configuration') {
  const apiVersion = 'podtolerationrestriction.admission.k8s.io/v1alpha1';
  const configuration = lists && { content: { kind, apiVersion, ...lists }, file: 'f' };
  const metadata = { name: 'ns', annotations };
  return givenPlugin(
    (world) => podTolerationRestriction(world, configuration),
    [['/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata }]],
  );
}

const CONFLICT =
  'pod tolerations (possibly merged with namespace default tolerations) conflict with its';

describe('PodTolerationRestriction', () => {
  it('gives pods what their namespace tolerates', async () => {
    const { admit } = await given({ [`${PREFIX}defaultTolerations`]: JSON.stringify([GPU]) });
    const { object } = await admit({ url: PODS, object: pod('p', { tolerations: [DISK] }) });
    expect(object['spec']).toMatchObject({ tolerations: [DISK, GPU] });
  });

  it('gives pods what the cluster tolerates where the namespace says nothing', async () => {
    const { admit } = await given({}, { default: [GPU] });
    const { object } = await admit({ url: PODS, object: pod('p') });
    expect(object['spec']).toMatchObject({ tolerations: [GPU] });
    const silent = await given({ [`${PREFIX}defaultTolerations`]: '' }, { default: [GPU] });
    const left = await silent.admit({ url: PODS, object: pod('p') });
    expect(left.object['spec']).not.toHaveProperty('tolerations');
  });

  it('lets pods that ask for something stay when memory is short', async () => {
    const { admit } = await given();
    const resources = { requests: { cpu: '1' } };
    const object = pod('p', { containers: [{ name: 'c', image: 'i', resources }] });
    const key = 'node.kubernetes.io/memory-pressure';
    expect((await admit({ url: PODS, object })).object['spec']).toMatchObject({
      tolerations: [{ key, operator: 'Exists', effect: 'NoSchedule' }],
    });
  });

  it.each([
    [{ [`${PREFIX}tolerationsWhitelist`]: JSON.stringify([GPU]) }, undefined, 'namespace'],
    [{}, { whitelist: [GPU] }, 'cluster'],
  ])('refuses what is not in the list', async (annotations, lists, scope) => {
    const { admit } = await given(annotations, lists);
    const allowed = await admit({ url: PODS, object: pod('p', { tolerations: [GPU] }) });
    expect(allowed.message).toBe('');
    const { status } = await admit({ url: PODS, object: pod('p', { tolerations: [DISK] }) });
    expect(status).toMatchObject({ code: 500, message: `${CONFLICT} ${scope} whitelist` });
  });

  it('does not begin with something else', async () => {
    await expect(given({}, {}, 'Other')).rejects.toThrow(PluginConfigurationError);
  });
});
