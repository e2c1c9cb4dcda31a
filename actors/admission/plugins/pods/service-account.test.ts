import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { serviceAccount } from './service-account.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

function account(name = 'default', rest: JsonObject = {}, annotations = {}) {
  const metadata = { name, annotations };
  return [ACCOUNTS, { kind: 'ServiceAccount', apiVersion: 'v1', metadata, ...rest }] as const;
}

describe('ServiceAccount', () => {
  it('gives a pod the default account and a token', async () => {
    const { admit } = await givenPlugin(serviceAccount, [account()]);
    const { object } = await admit({ url: PODS_URL, object: pod('p') });
    const [volume] = (object['spec'] as { volumes: { name: string }[] }).volumes;
    const name = volume?.name ?? '';
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
    expect(object['spec']).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [{ volumeMounts: [{ name, readOnly: true, mountPath }] }],
    });
    expect(volume).toEqual({
      name,
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          {
            downwardAPI: {
              items: [
                {
                  path: 'namespace',
                  fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
                },
              ],
            },
          },
        ],
        defaultMode: 420,
      },
    });
  });

  it('gives each container a token, but not where something is mounted already', async () => {
    const { admit } = await givenPlugin(serviceAccount, [account()]);
    const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
    const own = { name: 'b', image: 'i', volumeMounts: [{ name: 'v', mountPath }] };
    const spec = { initContainers: [{ name: 'a', image: 'i' }], containers: [own] };
    const { object } = await admit({ url: PODS_URL, object: pod('p', spec) });
    expect(object['spec']).toMatchObject({
      initContainers: [{ volumeMounts: [{ mountPath, readOnly: true }] }],
      containers: [{ volumeMounts: [{ name: 'v', mountPath }] }],
    });
  });

  it.each([
    ['the pod', { automountServiceAccountToken: false }, { automountServiceAccountToken: true }],
    ['the account', {}, { automountServiceAccountToken: false }],
  ])('gives none where %s does not want one', async (_, spec, rest) => {
    const { admit } = await givenPlugin(serviceAccount, [account('default', rest)]);
    const { object } = await admit({ url: PODS_URL, object: pod('p', spec) });
    expect(object['spec']).not.toHaveProperty('volumes');
  });

  it('gives the pull secrets of the account to pods that have none', async () => {
    const imagePullSecrets = [{ name: 'registry' }];
    const { admit } = await givenPlugin(serviceAccount, [account('default', { imagePullSecrets })]);
    const without = await admit({ url: PODS_URL, object: pod('p') });
    expect(without.object['spec']).toMatchObject({ imagePullSecrets });
    const own = { imagePullSecrets: [{ name: 'own' }] };
    const having = await admit({ url: PODS_URL, object: pod('p', own) });
    expect(having.object['spec']).toMatchObject(own);
  });

  it('refuses a pod of an account that is not there', async () => {
    const { admit } = await givenPlugin(serviceAccount, [account()]);
    const object = pod('p', { serviceAccountName: 'robot' });
    const { status } = await admit({ url: PODS_URL, object });
    expect(status).toMatchObject({
      code: 403,
      message:
        'pods "p" is forbidden: error looking up service account default/robot: ' +
        'serviceaccount "robot" not found',
    });
  });

  it('waits for the default account of a namespace that is new', async () => {
    const { admit, post, clock } = await givenPlugin(serviceAccount);
    const asked = admit({ url: PODS_URL, object: pod('p') });
    clock.advance(250);
    await post(...account());
    clock.advance(250);
    expect((await asked).object['spec']).toMatchObject({ serviceAccountName: 'default' });
  });

  it('does not wait for ever', async () => {
    const { admit, clock } = await givenPlugin(serviceAccount);
    const asked = admit({ url: PODS_URL, object: pod('p') });
    for (let tries = 0; tries < 10; tries += 1) clock.advance(250);
    expect((await asked).message).toBe(
      'pods "p" is forbidden: error looking up service account default/default: ' +
        'serviceaccount "default" not found',
    );
  });

  it.each([
    ['reference service accounts', { serviceAccountName: 'default' }],
    ['reference secrets', { imagePullSecrets: [{ name: 's' }] }],
    ['reference secrets', { volumes: [{ name: 'v', secret: { secretName: 's' } }] }],
    [
      'use ServiceAccountToken volume projections',
      {
        volumes: [
          { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
        ],
      },
    ],
  ])('lets no mirror pod %s', async (what, spec) => {
    const { admit } = await givenPlugin(serviceAccount, [account()]);
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const object = pod('p', spec, { annotations });
    const { message } = await admit({ url: PODS_URL, object });
    expect(message).toBe(`pods "p" is forbidden: a mirror pod may not ${what}`);
  });

  it('leaves a mirror pod as it is', async () => {
    const { admit } = await givenPlugin(serviceAccount);
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const { object, message } = await admit({
      url: PODS_URL,
      object: pod('p', {}, { annotations }),
    });
    expect(message).toBe('');
    expect(object['spec']).not.toHaveProperty('serviceAccountName');
  });

  describe('of an account that holds pods to its own secrets', () => {
    const enforced = account(
      'default',
      { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'pull' }] },
      { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    );
    const reading = (name: string) => ({
      name: 'c',
      image: 'i',
      env: [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }],
    });
    const taking = (name: string) => ({
      ...{ name: 'c', image: 'i', envFrom: [{ secretRef: { name } }] },
    });
    const inPrefix = { envFrom: [{ prefix: 'P_', configMapRef: { name: 'any' } }] };
    const END = 'because service account default does not reference that secret';

    it.each([
      [
        'volume with secret.secretName="other" is not allowed',
        { volumes: [{ name: 'v', secret: { secretName: 'other' } }] },
      ],
      [
        'container c with envVar E referencing secret.secretName="other" is not allowed',
        { containers: [reading('other')] },
      ],
      [
        'container c with envFrom referencing secret.secretName="other" is not allowed',
        { containers: [taking('other')] },
      ],
      [
        'init container c with envVar E referencing secret.secretName="other" is not allowed',
        { initContainers: [reading('other')] },
      ],
    ])('refuses others: %s', async (what, spec) => {
      const { admit } = await givenPlugin(serviceAccount, [enforced]);
      const { message } = await admit({ url: PODS_URL, object: pod('p', spec) });
      expect(message).toBe(`pods "p" is forbidden: ${what} ${END}`);
    });

    it('refuses other pull secrets', async () => {
      const { admit } = await givenPlugin(serviceAccount, [enforced]);
      const object = pod('p', { imagePullSecrets: [{ name: 'other' }] });
      expect((await admit({ url: PODS_URL, object })).message).toBe(
        'pods "p" is forbidden: imagePullSecrets[0].name="other" is not allowed because ' +
          'service account default does not reference that imagePullSecret',
      );
    });

    it('allows its own', async () => {
      const { admit } = await givenPlugin(serviceAccount, [enforced]);
      const plain = { name: 'd', image: 'i', env: [{ name: 'E', value: 'x' }], ...inPrefix };
      const containers = [reading('mine'), plain, { ...taking('mine'), name: 'e' }];
      const spec = { containers, imagePullSecrets: [{ name: 'pull' }] };
      expect((await admit({ url: PODS_URL, object: pod('p', spec) })).message).toBe('');
    });

    it('refuses an ephemeral container others, with a failure of no class', async () => {
      const { admit } = await givenPlugin(serviceAccount, [enforced]);
      const spec = { serviceAccountName: 'default', ephemeralContainers: [taking('other')] };
      const object = pod('p', spec);
      const url = `${PODS_URL}/p/ephemeralcontainers`;
      const { status } = await admit({ url, operation: 'UPDATE', object, oldObject: pod('p') });
      const what = 'ephemeral container c with envFrom referencing secret.secretName="other"';
      expect(status).toMatchObject({ code: 500, message: `${what} is not allowed ${END}` });
    });
  });
});
