import { describe, expect, it } from 'vitest';

import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { runtimeClass } from './runtime-class.ts';

const toleration = { key: 'vm', operator: 'Exists' };
const VM = {
  kind: 'RuntimeClass',
  apiVersion: 'node.k8s.io/v1',
  metadata: { name: 'vm' },
  handler: 'h',
  overhead: { podFixed: { memory: '100Mi' } },
  scheduling: { nodeSelector: { vm: 'yes' }, tolerations: [toleration] },
};
const given = () => givenPlugin(runtimeClass, [['/apis/node.k8s.io/v1/runtimeclasses', VM]]);

describe('RuntimeClass', () => {
  it('writes what the runtime costs, and where it is, into its pods', async () => {
    const { admit } = await given();
    const spec = { runtimeClassName: 'vm', nodeSelector: { zone: 'a' } };
    const { object } = await admit({ url: PODS_URL, object: pod('p', spec) });
    expect(object['spec']).toMatchObject({
      overhead: { memory: '100Mi' },
      nodeSelector: { zone: 'a', vm: 'yes' },
      tolerations: [toleration],
    });
  });

  it.each([
    [{ runtimeClassName: 'none' }, 'pod rejected: RuntimeClass "none" not found'],
    [
      { runtimeClassName: 'vm', overhead: { memory: '1Mi' } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      { overhead: { memory: '1Mi' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      { runtimeClassName: 'vm', nodeSelector: { vm: 'no' } },
      'conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
    ],
  ])('refuses a pod with %j', async (spec, why) => {
    const { admit } = await given();
    const { message } = await admit({ url: PODS_URL, object: pod('p', spec) });
    expect(message).toBe(`pods "p" is forbidden: ${why}`);
  });

  it('takes the same amount in other words', async () => {
    const { admit } = await given();
    const spec = { runtimeClassName: 'vm', overhead: { memory: '102400Ki' } };
    expect((await admit({ url: PODS_URL, object: pod('p', spec) })).message).toBe('');
  });
});
