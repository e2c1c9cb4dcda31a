/**
 * ClusterTrustBundles are not served where no flag turns them on, so a definition of that name stands
 * for them here: the plug-in goes by where objects are stored.
 */
import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { RequestInfo } from '../../request/request.ts';
import { givenPlugin } from '../given-plugin.fixture.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from './certificates.ts';
import { encodedRequest } from './certificate-request.fixture.ts';
import { givenControlPlane } from '../../registry/given-registry.fixture.ts';

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

  it.each(['abc.com/xyz', 'abc.com/*'])('lets a user approve that may for %s', async (name) => {
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

describe('the signer of a pod’s certificate', () => {
  const flags = [
    '--feature-gates=PodCertificateRequest=true',
    '--runtime-config=certificates.k8s.io/v1beta1=true',
  ];
  const url =
    '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests/c/status';
  const request = (status: JsonObject): JsonObject => ({
    ...{ apiVersion: 'certificates.k8s.io/v1beta1', kind: 'PodCertificateRequest' },
    ...{ metadata: { name: 'c' }, spec: { signerName: 'abc.com/xyz' }, status },
  });
  const writing = async (name: string, status: JsonObject) => {
    const { authorizer } = allowing(name);
    const { admit } = await givenPlugin(podCertificateSigning, [], { authorizer, flags });
    const [oldObject, object] = [request({}), request(status)];
    const user = { name: 'joe' };
    return admit({ url, operation: 'UPDATE', oldObject, object, user });
  };
  const denied = { conditions: [{ type: 'Denied', status: 'True' }] };

  it.each(['abc.com/xyz', 'abc.com/*'])(
    'may write where the user may sign for %s',
    async (name) => {
      expect((await writing(name, denied)).status).toBeUndefined();
    },
  );

  it('is refused as what is not valid where the user may not', async () => {
    const { status } = await writing('other.com/*', denied);
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status?.message).toBe(
      'PodCertificateRequest.certificates.k8s.io "c" is invalid: spec.signerName: Forbidden: User "joe" is not permitted to "sign" for signer "abc.com/xyz"',
    );
  });

  it('is not asked for where the status stays what it is', async () => {
    expect((await writing('nobody', {})).status).toBeUndefined();
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
  ])('asks whether a user that changes %s may sign', async (_what, status, message) => {
    const { authorizer } = allowing('nobody');
    const { admit } = await givenPlugin(certificateSigning, [], { authorizer });
    const oldObject = csr('abc.com/xyz');
    const object = csr('abc.com/xyz', status);
    const told = await admit({ url: `${URL}/c/status`, operation: 'UPDATE', object, oldObject });
    if (message === '') expect(told.message).toBe('');
    else expect(told.message).toContain(message);
  });

  it('lets a user sign that may for the domain', async () => {
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

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAME = 'clustertrustbundles.certificates.k8s.io';
const BUNDLES = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles';
const names = {
  plural: 'clustertrustbundles',
  singular: 'clustertrustbundle',
  kind: 'ClusterTrustBundle',
  listKind: 'ClusterTrustBundleList',
};

function definition(): JsonObject {
  const text = { type: 'string' };
  const spec = { type: 'object', properties: { signerName: text, trustBundle: text } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const version = { name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: {
      name: NAME,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: { group: 'certificates.k8s.io', scope: 'Cluster', names, versions: [version] },
  };
}

/** A control plane in which one may attest for signers of these names alone. */
async function given(...signers: readonly string[]) {
  const allowed = new Set(signers);
  const asked: string[] = [];
  const authorizer: Authorizer = {
    authorize({ request: { verb, apiGroup, resource, name } }) {
      asked.push([verb, apiGroup, resource, name].join(' '));
      const isAllowed = verb === 'attest' && resource === 'signers' && allowed.has(name);
      return isAllowed ? { verdict: 'allow', reason: '' } : { verdict: 'noOpinion', reason: '' };
    },
  };
  const plane = await givenControlPlane({
    authorizer,
    plugins: (world) => [clusterTrustBundleAttest(world)],
  });
  const made = await plane.post(CRDS, definition());
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({
    ...{ type, status: 'True', reason: 'Given', message: '' },
    lastTransitionTime: '2026-11-21T09:00:00Z',
  }));
  const status = { acceptedNames: names, storedVersions: ['v1beta1'], conditions };
  const told = await plane.put(`${CRDS}/${NAME}/status`, { ...made.object, status });
  expect(told.code, told.message).toBe(200);
  return { ...plane, asked, forbid: (signer: string) => allowed.delete(signer) };
}

function bundle(spec: JsonObject): JsonObject {
  const metadata = { name: 'b' };
  return { kind: 'ClusterTrustBundle', apiVersion: 'certificates.k8s.io/v1beta1', metadata, spec };
}

const OURS = { signerName: 'example.com/ours', trustBundle: 'x' };

describe('ClusterTrustBundleAttest', () => {
  it.each(['example.com/ours', 'example.com/*'])(
    'lets a user attest that may for %s',
    async (signer) => {
      const { post } = await given(signer);
      expect(await post(BUNDLES, bundle(OURS))).toMatchObject({ code: 201 });
    },
  );

  it('refuses all others, and asks about the signer and then about all of its domain', async () => {
    const { post, asked } = await given('example.com/theirs');
    const { code, message } = await post(BUNDLES, bundle(OURS));
    expect(code).toBe(403);
    expect(message).toBe(
      'clustertrustbundles.certificates.k8s.io "b" is forbidden: user not permitted to attest for signerName "example.com/ours"',
    );
    const about = 'attest certificates.k8s.io signers';
    expect(asked).toEqual([`${about} example.com/ours`, `${about} example.com/*`]);
  });

  it('asks no authorizer about a bundle of no signer', async () => {
    const { post, asked } = await given();
    expect(await post(BUNDLES, bundle({ trustBundle: 'x' }))).toMatchObject({ code: 201 });
    expect(asked).toEqual([]);
  });

  it('judges updates too, but for those that only tidy up', async () => {
    const { post, put, forbid } = await given('example.com/ours');
    const { object } = await post(BUNDLES, bundle(OURS));
    forbid('example.com/ours');
    const url = `${BUNDLES}/b`;
    const changed = { ...object, spec: { ...OURS, trustBundle: 'y' } };
    expect(await put(url, changed)).toMatchObject({ code: 403 });
    const metadata = { ...object.metadata, finalizers: ['example.com/x'] };
    expect(await put(url, { ...object, metadata })).toMatchObject({ code: 200 });
  });
});
