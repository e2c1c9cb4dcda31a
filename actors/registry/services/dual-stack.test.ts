import { describe, expect, it } from 'vitest';
import { type JsonObject } from '../../../api/json/json.ts';
import { DUAL, URL, givenServices } from './given-services.fixture.ts';

describe('a cluster of two families', () => {
  it('gives both where they are preferred or required', async () => {
    const { make, specOf, addresses } = await givenServices(DUAL);
    await make('one');
    await make('two', { ipFamilyPolicy: 'PreferDualStack' });
    await make('six', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] });
    expect(await specOf('one')).toMatchObject({ ipFamilies: ['IPv4'] });
    expect(await specOf('two')).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'] });
    const six = await specOf('six');
    expect(six['ipFamilies']).toEqual(['IPv6', 'IPv4']);
    expect(six['clusterIP']).toBe((six['clusterIPs'] as string[])[0]);
    expect(await addresses()).toHaveLength(5);
  });

  it('takes the second address and releases it again, as the policy says', async () => {
    const { make, specOf, patch, addresses } = await givenServices(DUAL);
    await make('a');
    const to = (spec: JsonObject) => patch(`${URL}/a`, 'merge', { spec });
    expect(await to({ ipFamilyPolicy: 'RequireDualStack' })).toMatchObject({ code: 200 });
    expect(await specOf('a')).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'] });
    expect(await addresses()).toHaveLength(2);
    const [first = ''] = (await specOf('a'))['clusterIPs'] as string[];
    expect((await to({ clusterIPs: [first], ipFamilies: ['IPv4'] })).message).toBe(
      'Service "a" is invalid: [spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary cluster IP, ' +
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary IP family]',
    );
    expect(await to({ ipFamilyPolicy: 'SingleStack' })).toMatchObject({ code: 200 });
    expect(await specOf('a')).toMatchObject({ clusterIPs: [first], ipFamilies: ['IPv4'] });
    expect(await addresses()).toEqual([first]);
  });

  it('gives the second address before the rules are asked, also to a service that says None', async () => {
    const { make, specOf, patch, del, addresses } = await givenServices(DUAL);
    for (const selector of [{ app: 'web' }, null]) {
      await make('a', { clusterIP: '10.0.0.2', selector });
      for (const ipFamilyPolicy of ['PreferDualStack', 'RequireDualStack']) {
        const spec = { clusterIP: 'None', ipFamilyPolicy };
        const tried = await patch(`${URL}/a?dryRun=All`, 'merge', { spec });
        const told = await patch(`${URL}/a`, 'merge', { spec });
        const [shown] = /\["None","fd00::[0-9a-f]+"\]/.exec(told.message) ?? [];
        const said = (ips: string) =>
          `Service "a" is invalid: [spec.clusterIPs[0]: Invalid value: ${ips}: may not change once set, ` +
          `spec.clusterIPs: Invalid value: ${ips}: 'None' must be the first and only value]`;
        expect(told).toMatchObject({ code: 422, message: said(shown ?? 'two of them') });
        expect(tried).toMatchObject({ code: 422, message: said('["None","fd00::"]') });
      }
      expect(await specOf('a')).toMatchObject({ clusterIPs: ['10.0.0.2'] });
      expect(await addresses()).toEqual(['10.0.0.2']);
      await del(`${URL}/a`);
    }
  });

  it('is not had by a cluster of one, where an update that says None is refused for that', async () => {
    const { make, patch } = await givenServices();
    await make('a', { clusterIP: '10.0.0.2' });
    const spec = { clusterIP: 'None', ipFamilyPolicy: 'RequireDualStack' };
    // kube-apiserver breaks the connection off: it asks an allocator that it has not.
    expect(await patch(`${URL}/a`, 'merge', { spec })).toMatchObject({
      code: 422,
      message:
        'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
    });
  });

  it('is not had by a cluster of one', async () => {
    const { make, specOf } = await givenServices();
    expect((await make('a', { ipFamilyPolicy: 'RequireDualStack' })).message).toBe(
      'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    );
    expect((await make('a', { ipFamilies: ['IPv6'] })).message).toBe(
      'Service "a" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    );
    await make('a', { ipFamilyPolicy: 'PreferDualStack' });
    expect(await specOf('a')).toMatchObject({ ipFamilies: ['IPv4'] });
  });
});
