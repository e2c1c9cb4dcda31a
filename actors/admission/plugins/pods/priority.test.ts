import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { priority } from './priority.ts';

const URL = '/apis/scheduling.k8s.io/v1/priorityclasses';

function priorityClass(name: string, value: number, rest: JsonObject = {}) {
  const typed = { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1' };
  return [URL, { ...typed, metadata: { name }, value, ...rest }] as const;
}

describe('Priority', () => {
  it('writes the value and the policy of its class into a pod', async () => {
    const never = { preemptionPolicy: 'Never' };
    const { admit } = await givenPlugin(priority, [priorityClass('high', 1000, never)]);
    const { object } = await admit({
      url: PODS_URL,
      object: pod('p', { priorityClassName: 'high' }),
    });
    expect(object['spec']).toMatchObject({ priority: 1000, ...never });
  });

  it('takes the default class for a pod that names none, else 0', async () => {
    const { admit, post, del } = await givenPlugin(priority);
    const asked = { url: PODS_URL, object: pod('p') };
    const lower = { priority: 0, preemptionPolicy: 'PreemptLowerPriority' };
    const none = (await admit(asked)).object['spec'];
    expect(none).toMatchObject(lower);
    expect(none).not.toHaveProperty('priorityClassName');
    await post(...priorityClass('usual', 7, { globalDefault: true }));
    const usual = { priorityClassName: 'usual', priority: 7 };
    expect((await admit(asked)).object['spec']).toMatchObject(usual);
    await del(`${URL}/usual`);
    expect((await admit(asked)).object['spec']).not.toHaveProperty('priorityClassName');
  });

  it('takes the least of several defaults', async () => {
    const isDefault = { globalDefault: true };
    const classes = [priorityClass('b', 20, isDefault), priorityClass('a', 10, isDefault)];
    const { admit } = await givenPlugin(priority, classes);
    const { object } = await admit({ url: PODS_URL, object: pod('p') });
    expect(object['spec']).toMatchObject({ priorityClassName: 'a', priority: 10 });
  });

  it('refuses a class that is not there', async () => {
    const { admit } = await givenPlugin(priority);
    const object = pod('p', { priorityClassName: 'none' });
    const why = 'no PriorityClass with name none was found';
    expect((await admit({ url: PODS_URL, object })).message).toBe(`pods "p" is forbidden: ${why}`);
  });

  it('refuses a value that the class does not have', async () => {
    const { admit } = await givenPlugin(priority, [priorityClass('high', 1000)]);
    const object = pod('p', { priorityClassName: 'high', priority: 1 });
    expect((await admit({ url: PODS_URL, object })).message).toBe(
      'pods "p" is forbidden: the integer value of priority (1) must not be provided in pod ' +
        'spec; priority admission controller computed 1000 from the given PriorityClass name',
    );
  });

  it('refuses a policy that the class does not have', async () => {
    const never = { preemptionPolicy: 'Never' };
    const { admit } = await givenPlugin(priority, [priorityClass('high', 1000, never)]);
    const spec = { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' };
    expect((await admit({ url: PODS_URL, object: pod('p', spec) })).message).toBe(
      'pods "p" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must ' +
        'not be provided in pod spec; priority admission controller computed Never ' +
        'from the given PriorityClass name',
    );
  });

  it('keeps what was written into a pod when it is updated without it', async () => {
    const { admit } = await givenPlugin(priority);
    const old = pod('p', { priority: 5, preemptionPolicy: 'Never' });
    const asked = { url: `${PODS_URL}/p`, operation: 'UPDATE', object: pod('p') } as const;
    const { object } = await admit({ ...asked, oldObject: old });
    expect(object['spec']).toMatchObject({ priority: 5, preemptionPolicy: 'Never' });
  });

  it('allows one default class', async () => {
    const first = priorityClass('a', 1, { globalDefault: true });
    const { admit } = await givenPlugin(priority, [first]);
    const [, second] = priorityClass('b', 2, { globalDefault: true });
    const { message } = await admit({ url: URL, object: second });
    expect(message).toBe(
      'priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as ' +
        'default. Only one default can exist',
    );
    const again = { url: `${URL}/a`, operation: 'UPDATE', object: first[1] } as const;
    expect((await admit({ ...again, oldObject: first[1] })).message).toBe('');
  });
});
