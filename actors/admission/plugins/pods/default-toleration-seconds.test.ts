import { expect, it } from 'vitest';

import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';

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
