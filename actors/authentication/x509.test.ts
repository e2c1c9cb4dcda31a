import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { givenRouted } from '../request/given.fixture.ts';
import type { ClientCertificate } from '../request/request-line.ts';
import { x509Authenticator } from './x509.ts';

const RAW = new Uint8Array([1, 2, 3]);

function certificate(fields: Partial<ClientCertificate> = {}): ClientCertificate {
  return {
    raw: RAW,
    commonName: 'jane',
    organizations: ['dev', 'ops'],
    ...fields,
  };
}

const NONE = { problemOf: () => 'x509: no authority' };
const ALL = { problemOf: () => '' };

describe('x509Authenticator', () => {
  it('takes the common name for the user and the organizations for the groups', () => {
    const { request } = givenRouted({ certificate: certificate() });
    const fingerprint = createHash('sha256').update(RAW).digest('hex');
    expect(x509Authenticator(ALL).authenticate(request)).toEqual({
      verdict: 'identified',
      user: {
        name: 'jane',
        uid: '',
        groups: ['dev', 'ops'],
        extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
      },
    });
  });

  it('takes the uid from where Kubernetes has it', () => {
    const { request } = givenRouted({ certificate: certificate({ uid: 'u-7' }) });
    expect(x509Authenticator(ALL).authenticate(request)).toMatchObject({ user: { uid: 'u-7' } });
  });

  it('works a certificate out once', () => {
    const authenticator = x509Authenticator(ALL);
    const same = certificate();
    const first = authenticator.authenticate(givenRouted({ certificate: same }).request);
    const second = authenticator.authenticate(givenRouted({ certificate: same }).request);
    expect(second).toBe(first);
  });

  it('tells how long a certificate still is good, also where it is not', () => {
    const shown: number[] = [];
    const meters = { certificateShown: (remainingMs: number) => void shown.push(remainingMs) };
    const authenticator = x509Authenticator(NONE, { meters });
    for (const given of [
      givenRouted({ certificate: certificate({ expiry: 5_000 }) }),
      givenRouted({ certificate: certificate({ expiry: 1_000 }) }),
      givenRouted(),
    ]) {
      given.request.received(2_000);
      void authenticator.authenticate(given.request);
    }
    expect(shown).toEqual([3_000, -1_000]);
  });

  it('knows no user without a certificate or without a name in it', () => {
    const authenticator = x509Authenticator(ALL);
    expect(authenticator.authenticate(givenRouted().request)).toEqual({ verdict: 'unknown' });
    const nameless = givenRouted({ certificate: certificate({ commonName: '' }) });
    expect(authenticator.authenticate(nameless.request)).toEqual({ verdict: 'unknown' });
  });

  it('refuses a certificate that does not verify, and one that no longer does', () => {
    let problem = '';
    const authenticator = x509Authenticator({ problemOf: () => problem });
    const { request } = givenRouted({ certificate: certificate() });
    expect(authenticator.authenticate(request)).toMatchObject({ verdict: 'identified' });
    problem = 'x509: certificate has expired or is not yet valid';
    expect(authenticator.authenticate(request)).toEqual({
      verdict: 'refused',
      reason: `verifying the client certificate failed: ${problem}`,
    });
  });
});
