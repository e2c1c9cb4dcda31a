/**
 * ClusterTrustBundles are not served where nobody turns them on, so a definition of that name stands
 * for them here: the plug-in goes by where objects are stored.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import type { Authorizer } from '../../../authorization/authorizer.ts';
import { givenControlPlane } from '../../../registry/given-registry.fixture.ts';
import { clusterTrustBundleAttest } from './cluster-trust-bundle-attest.ts';

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
  it.each(['example.com/ours', 'example.com/*'])('lets those who may for %s', async (signer) => {
    const { post } = await given(signer);
    expect(await post(BUNDLES, bundle(OURS))).toMatchObject({ code: 201 });
  });

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

  it('asks nobody about a bundle of no signer', async () => {
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
