import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import type { Authorizer } from '../../../authorization/authorizer.ts';
import type { RequestInfo } from '../../../request/request.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { certificateApproval } from './certificate-approval.ts';
import { encodedRequest } from './certificate-request.fixture.ts';
import { certificateSigning } from './certificate-signing.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts';

const URL = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Allows what is said of one name, and says what it was asked. */
function allowing(name: string) {
  const asked: Pick<RequestInfo, 'verb' | 'name' | 'resource' | 'apiGroup'>[] = [];
  const authorizer: Authorizer = {
    authorize({ request }) {
      const { verb, resource, apiGroup } = request;
      asked.push({ verb, name: request.name, resource, apiGroup });
      const isAllowed = request.name === name;
      return isAllowed ? { verdict: 'allow', reason: '' } : { verdict: 'noOpinion', reason: '' };
    },
  };
  return { authorizer, asked };
}

function csr(signerName: string, status: JsonObject = {}, request = encodedRequest('joe')) {
  const spec = { signerName, request, usages: ['client auth'] };
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'c' },
    spec,
    status,
  };
}

describe('CertificateApproval', () => {
  const asking = async (name: string) => {
    const { authorizer, asked } = allowing(name);
    const { admit } = await givenPlugin(certificateApproval, [], { authorizer });
    const oldObject = csr('abc.com/xyz');
    const object = csr('other.com/xyz');
    const url = `${URL}/c/approval`;
    return { ...(await admit({ url, operation: 'UPDATE', object, oldObject })), asked };
  };

  it.each(['abc.com/xyz', 'abc.com/*'])('lets those approve who may for %s', async (name) => {
    expect((await asking(name)).message).toBe('');
  });

  it('refuses all others, and goes by the signer that was there', async () => {
    const { status, asked } = await asking('other.com/*');
    expect(status?.code).toBe(403);
    expect(status?.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "c" is forbidden: user not permitted to approve requests with signerName "abc.com/xyz"',
    );
    const about = { verb: 'approve', resource: 'signers', apiGroup: 'certificates.k8s.io' };
    expect(asked).toEqual([
      { ...about, name: 'abc.com/xyz' },
      { ...about, name: 'abc.com/*' },
    ]);
  });
});

describe('CertificateSigning', () => {
  it.each([
    [
      'a certificate',
      { certificate: 'eA==' },
      'user not permitted to sign requests with signerName "abc.com/xyz"',
    ],
    [
      'a condition',
      { conditions: [{ type: 'Failed', status: 'True' }] },
      'user not permitted to sign',
    ],
    ['nothing', {}, ''],
  ])('asks whether somebody may sign who changes %s', async (_what, status, message) => {
    const { authorizer } = allowing('nobody');
    const { admit } = await givenPlugin(certificateSigning, [], { authorizer });
    const oldObject = csr('abc.com/xyz');
    const object = csr('abc.com/xyz', status);
    const told = await admit({ url: `${URL}/c/status`, operation: 'UPDATE', object, oldObject });
    if (message === '') expect(told.message).toBe('');
    else expect(told.message).toContain(message);
  });

  it('lets those sign who may for the domain', async () => {
    const { authorizer } = allowing('abc.com/*');
    const { admit } = await givenPlugin(certificateSigning, [], { authorizer });
    const oldObject = csr('abc.com/xyz');
    const object = csr('abc.com/xyz', { certificate: 'eA==' });
    const told = await admit({ url: `${URL}/c/status`, operation: 'UPDATE', object, oldObject });
    expect(told.message).toBe('');
  });
});

describe('CertificateSubjectRestriction', () => {
  const SIGNER = 'kubernetes.io/kube-apiserver-client';
  it.each([
    [
      SIGNER,
      encodedRequest('joe', ['dev', 'system:masters']),
      `use of ${SIGNER} signer with system:masters group is not allowed`,
    ],
    [SIGNER, encodedRequest('joe', ['dev']), ''],
    [
      SIGNER,
      Buffer.from('x').toString('base64'),
      'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST',
    ],
    ['kubernetes.io/kubelet-serving', encodedRequest('joe', ['system:masters']), ''],
  ])('%s %#', async (signer, request, message) => {
    const { admit } = await givenPlugin(certificateSubjectRestriction);
    const told = await admit({ url: URL, object: csr(signer, {}, request) });
    expect(told.message).toBe(
      message === ''
        ? ''
        : `certificatesigningrequests.certificates.k8s.io "c" is forbidden: ${message}`,
    );
  });
});
