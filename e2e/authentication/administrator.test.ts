/**
 * What an administrator does with kubectl about users: rights that are put right,
 * certificates that are approved, tokens that lie in secrets, and a look at how the server is.
 */
import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { at, listAt, parseJson, textAt } from '../support/json.ts';
import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { callerOf } from './caller.ts';

const ROLE = (verbs: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: keeper, namespace: default}
rules: [{apiGroups: [""], resources: [configmaps], verbs: ${verbs}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: keepers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: keeper}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: kim}]
`;

const TOKEN_SECRET = `
apiVersion: v1
kind: Secret
metadata: {name: till-token, annotations: {kubernetes.io/service-account.name: till}}
type: kubernetes.io/service-account-token
`;

await describeWith('kubectl', 'kubectl of an administrator', (program) => {
  const server = serverForThisFile({ args: ['--authorization-mode=RBAC'], controllers: '*' });
  const kubectl = kubectlFor(program, server);

  it('auth whoami and can-i: he may do everything', async () => {
    const rows = rowsOf(await kubectl('auth whoami'));
    expect(rows).toContainEqual(['Username', 'kubernetes-admin']);
    expect(rows.some(([what = '']) => what.startsWith('Groups'))).toBe(true);
    expect(await kubectl('auth can-i * *')).toBe('yes\n');
  });

  it('auth reconcile: makes what is missing, adds what is missing, and takes nothing away', async () => {
    const reconcile = (verbs: string, ...more: string[]) =>
      kubectl.words(['auth', 'reconcile', '-f', '-', ...more], { input: ROLE(verbs) });
    expect(await reconcile('[get, list]')).toContain('keeper reconciled');
    expect(await kubectl('auth can-i list configmaps --as=kim')).toBe('yes\n');
    expect((await kubectl.attempt('auth can-i delete configmaps --as=kim')).stdout).toBe('no\n');
    expect(await reconcile('[delete]')).toContain('keeper reconciled');
    expect(await kubectl('auth can-i delete configmaps --as=kim')).toBe('yes\n');
    expect(await kubectl('auth can-i list configmaps --as=kim')).toBe('yes\n');
    await reconcile('[delete]', '--remove-extra-permissions');
    expect((await kubectl.attempt('auth can-i list configmaps --as=kim')).stdout).toBe('no\n');
  });

  it('certificate approve and deny', async () => {
    const request = Buffer.from(await signingRequest()).toString('base64');
    for (const name of ['kim', 'mallory']) {
      const spec = {
        request,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      };
      const csr = {
        kind: 'CertificateSigningRequest',
        apiVersion: 'certificates.k8s.io/v1',
        metadata: { name },
        spec,
      };
      await kubectl('create -f -', { input: JSON.stringify(csr) });
    }
    expect(await kubectl('certificate approve kim')).toContain('kim approved');
    expect(await kubectl('certificate deny mallory')).toContain('mallory denied');
    const conditions = rowsOf(await kubectl('get csr --no-headers')).map((row) => row.at(-1));
    expect(conditions).toEqual(['Approved', 'Denied']);
    const again = await kubectl.attempt('certificate deny kim');
    expect(again.code).toBe(1);
    const approved = parseJson(await kubectl('get csr kim -o json'));
    expect(listAt(approved, 'status', 'conditions')).toMatchObject([
      { type: 'Approved', status: 'True', reason: 'KubectlApprove' },
    ]);
  });

  it('get --raw: health and metrics', async () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect(await kubectl(`get --raw ${path}`)).toBe('ok');
    }
    const checks = await kubectl('get --raw /readyz?verbose');
    expect(checks).toContain('[+]poststarthook/start-legacy-token-tracking-controller ok');
    expect(await kubectl('get --raw /metrics')).toContain('# TYPE authentication_attempts counter');
  });

  it('a secret of the right type gets a token, which is good as long as it lies there', async () => {
    await kubectl('create serviceaccount till');
    await kubectl('create -f -', { input: TOKEN_SECRET });
    const secret = await eventually('it has a token', async () => {
      const found = parseJson(await kubectl('get secret till-token -o json'));
      return at(found, 'data', 'token') === undefined ? undefined : found;
    });
    const textIn = (key: string) => Buffer.from(textAt(secret, 'data', key), 'base64').toString();
    expect(textIn('namespace')).toBe('default');
    const token = textIn('token');
    const caller = callerOf(server(), { token });
    const path = '/api/v1/namespaces/default/secrets';
    const { status, body } = await caller.get(path);
    expect([status, textAt(body, 'message')]).toEqual([
      403,
      expect.stringContaining('User "system:serviceaccount:default:till" cannot list'),
    ]);
    const today = await eventually('its use is noted', async () => {
      const found = parseJson(await kubectl('get secret till-token -o json'));
      const day = textAt(found, 'metadata', 'labels', 'kubernetes.io/legacy-token-last-used');
      return day === '' ? undefined : day;
    });
    expect(today).toMatch(/^\d{4}-\d\d-\d\d$/);
    const map = 'kube-apiserver-legacy-service-account-token-tracking';
    const tracking = parseJson(await kubectl(`get configmap ${map} -n kube-system -o json`));
    expect(textAt(tracking, 'data', 'since')).toMatch(/^\d{4}-\d\d-\d\d$/);
    const metrics = await kubectl('get --raw /metrics');
    expect(metrics).toMatch(/^serviceaccount_legacy_manual_token_uses_total 1$/m);
    await kubectl('delete secret till-token');
    expect((await caller.get(path)).status).toBe(401);
    expect(server().logs()).not.toContain(token);
  });
});

async function signingRequest(): Promise<string> {
  x509.cryptoProvider.set(webcrypto);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=kim, O=keepers',
    keys,
    signingAlgorithm: algorithm,
  });
  return made.toString('pem');
}
