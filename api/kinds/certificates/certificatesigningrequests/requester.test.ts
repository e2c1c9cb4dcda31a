import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { ManualClock } from '../../../meta/manual-clock.fixture.ts';
import { certificateSigningRequests } from './definition.ts';

const { strategy } = certificateSigningRequests(new ManualClock());

function given(spec: KubeObject['spec']): KubeObject {
  return {
    kind: 'CertificateSigningRequest',
    apiVersion: 'certificates.k8s.io/v1',
    metadata: { name: 'a' },
    spec,
  };
}

describe('a certificate signing request', () => {
  it('is named as authenticated, whatever the client wrote there', () => {
    const request = given({ request: 'x', username: 'system:admin', groups: ['system:masters'] });
    const extra = { scopes: ['a', 'b'] };
    strategy.prepareForCreate(request, { name: 'jane', uid: '7', groups: ['dev'], extra });

    expect(request['spec']).toEqual({
      request: 'x',
      username: 'jane',
      uid: '7',
      groups: ['dev'],
      extra,
    });
  });

  it('leaves out what is not known of it', () => {
    const request = given({ request: 'x', uid: 'forged' });
    strategy.prepareForCreate(request, { name: 'jane', uid: '', groups: [], extra: {} });

    expect(request['spec']).toEqual({ request: 'x', username: 'jane' });
  });
});
