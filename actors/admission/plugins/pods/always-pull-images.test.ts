import { expect, it } from 'vitest';

import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { alwaysPullImages } from './always-pull-images.ts';

const never = (image: string) => ({ name: 'c', image, imagePullPolicy: 'Never' });

it('AlwaysPullImages has all images pulled', async () => {
  const { admit } = await givenPlugin(alwaysPullImages);
  const volumes = [{ name: 'v', image: { reference: 'r', pullPolicy: 'Never' } }];
  const spec = { containers: [never('a')], initContainers: [never('b')], volumes };
  expect((await admit({ url: PODS_URL, object: pod('p', spec) })).object['spec']).toMatchObject({
    containers: [{ imagePullPolicy: 'Always' }],
    initContainers: [{ imagePullPolicy: 'Always' }],
    volumes: [{ image: { pullPolicy: 'Always' } }],
  });
});

it('AlwaysPullImages leaves a pod alone that was there before, as long as it keeps to its images', async () => {
  const { admit } = await givenPlugin(alwaysPullImages);
  const old = pod('p', { containers: [never('a')] });
  const update = { url: `${PODS_URL}/p`, operation: 'UPDATE', oldObject: old } as const;
  const same = await admit({ ...update, object: old });
  expect(same.object['spec']).toMatchObject({ containers: [{ imagePullPolicy: 'Never' }] });
  const other = await admit({ ...update, object: pod('p', { containers: [never('b')] }) });
  expect(other.object['spec']).toMatchObject({ containers: [{ imagePullPolicy: 'Always' }] });
});

it('AlwaysPullImages refuses what another plug-in has changed behind it', async () => {
  const { admit } = await givenPlugin(() => {
    const { validatesAt } = alwaysPullImages();
    return { name: 'validating phase', validatesAt };
  });
  const spec = { containers: [never('a'), { ...never('b'), name: 'd' }] };
  const { status } = await admit({ url: PODS_URL, object: pod('p', spec) });
  const at = (index: number) =>
    `pods "p" is forbidden: spec.containers[${String(index)}].imagePullPolicy: ` +
    'Unsupported value: "Never": supported values: "Always"';
  expect(status).toMatchObject({ code: 500, message: `[${at(0)}, ${at(1)}]` });
  const volume = { name: 'v', image: { reference: 'r', pullPolicy: 'Never' } };
  const plain = { name: 'w', emptyDir: {} };
  const pulled = { name: 'c', image: 'a', imagePullPolicy: 'Always' };
  const object = pod('p', { containers: [pulled], volumes: [plain, volume] });
  expect((await admit({ url: PODS_URL, object })).message).toBe(
    'pods "p" is forbidden: spec.volumes[1].image.pullPolicy: ' +
      'Unsupported value: "Never": supported values: "Always"',
  );
});
