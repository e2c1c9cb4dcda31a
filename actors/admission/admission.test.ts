import { describe, expect, it } from 'vitest';
import { badRequest } from '../../api/meta/status.ts';
import type { AdmissionPlugin, AdmissionStep } from './admission-plugin.ts';
import { Admission } from './admission.ts';
import { givenAttributes } from './given-attributes.fixture.ts';
import { testMeters } from './test-meters.fixture.ts';

const pass: AdmissionStep = () => undefined;
const late: AdmissionStep = () => Promise.resolve(undefined);
const refuse: AdmissionStep = () => badRequest('no');

function plugin(name: string, mutate?: AdmissionStep, validate?: AdmissionStep): AdmissionPlugin {
  return { name, mutatesAt: () => mutate, validatesAt: () => validate };
}

async function given(...plugins: readonly AdmissionPlugin[]) {
  const attributes = await givenAttributes();
  const meters = testMeters();
  return { admission: new Admission(plugins, meters), attributes, told: meters.told };
}

describe('the phases of admission', () => {
  it('are measured, and so is each plug-in that is asked, also one that has to wait', async () => {
    const { admission, attributes, told } = await given(
      plugin('LimitRanger', pass, pass),
      plugin('ServiceAccount', late),
      plugin('OfOurOwn', pass),
      plugin('ResourceQuota', undefined, refuse),
      plugin('AlwaysDeny', undefined, refuse),
    );
    expect(await admission.mutate(attributes)).toBeUndefined();
    expect(told).toEqual([
      'LimitRanger admit CREATE',
      'ServiceAccount admit CREATE',
      'all admit CREATE',
    ]);
    told.length = 0;
    expect(admission.validate(attributes)).toMatchObject({ message: 'no' });
    expect(told).toEqual([
      'LimitRanger validate CREATE',
      'ResourceQuota validate CREATE rejected',
      'all validate CREATE rejected',
    ]);
  });

  it('count a refusal of a plug-in that has to wait as one', async () => {
    const lateRefusal: AdmissionStep = () => Promise.resolve(badRequest('no'));
    const { admission, attributes, told } = await given(
      plugin('ImagePolicyWebhook', undefined, lateRefusal),
      plugin('AlwaysDeny', undefined, refuse),
    );
    expect(await admission.validate(attributes)).toMatchObject({ message: 'no' });
    expect(told).toEqual([
      'ImagePolicyWebhook validate CREATE rejected',
      'all validate CREATE rejected',
    ]);
  });

  it('ask the first room again where a plug-in wants that, once', async () => {
    const { admission, attributes, told } = await given(
      plugin('Priority', ({ reinvocation }) => {
        reinvocation.ask();
        return undefined;
      }),
    );
    expect(admission.mutate(attributes)).toBeUndefined();
    expect(told).toEqual(['Priority admit CREATE', 'Priority admit CREATE', 'all admit CREATE']);
  });

  it('know where no plug-in has anything to do', async () => {
    const { admission, attributes } = await given(plugin('Priority'));
    expect(admission.concerns(attributes)).toBe(false);
  });
});
