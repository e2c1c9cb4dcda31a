/**
 * kubectl makes tokens and comes in with them: as a service account, as a node that joins the
 * cluster, and as another user, by impersonation.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { at, listAt, parseJson, textAt } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { callerOf } from './caller.ts';

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

await describeWith('kubectl', 'kubectl with tokens', (program) => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-authn-'));
  const tokens = join(directory, 'tokens.csv');
  writeFileSync(tokens, 'secret-of-bob,bob,7,"dev,ops"\n');
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  const server = serverForThisFile({
    args: ['--token-auth-file', tokens, '--enable-bootstrap-token-auth=true'],
  });
  const kubectl = kubectlFor(program, server);
  const callerWith = (token: string) => callerOf(server(), { token });

  it('create token: the account, until it is gone', async () => {
    await kubectl('create serviceaccount till');
    const token = (await kubectl('create token till --duration=20m')).trim();
    const caller = callerWith(token);
    const review = await caller.post(WHO, {
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
    });
    expect(at(review.body, 'status', 'userInfo', 'username')).toBe(
      'system:serviceaccount:default:till',
    );
    expect(at(review.body, 'status', 'userInfo', 'groups')).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
    await kubectl('delete serviceaccount till');
    expect((await caller.get('/api/v1/namespaces')).status).toBe(401);
  });

  it('a token that is bound to a pod ends with the pod, and not with one of its name', async () => {
    await kubectl('create serviceaccount worker');
    const manifest = JSON.stringify({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'job' },
      spec: { serviceAccountName: 'worker', containers: [{ name: 'c', image: 'i' }] },
    });
    await kubectl('create -f -', { input: manifest });
    const bound = '--bound-object-kind=Pod --bound-object-name=job';
    const caller = callerWith((await kubectl(`create token worker ${bound}`)).trim());
    expect((await caller.get('/api/v1/namespaces')).status).toBe(200);
    await kubectl('delete pod job --grace-period=0 --force');
    expect((await caller.get('/api/v1/namespaces')).status).toBe(401);
    await kubectl('create -f -', { input: manifest });
    expect((await caller.get('/api/v1/namespaces')).status).toBe(401);
  });

  it('tells others how to check its tokens, and checks them for them', async () => {
    await kubectl('create serviceaccount vaulted');
    const token = (await kubectl('create token vaulted --audience=vault')).trim();
    expect((await callerWith(token).get('/api/v1/namespaces')).status).toBe(401);
    const asked = JSON.stringify({
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { token, audiences: ['vault', 'bank'] },
    });
    const review = await kubectl(`create --raw ${REVIEWS} -f -`, { input: asked });
    expect(at(parseJson(review), 'status')).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
    });
    const found = parseJson(await kubectl('get --raw /.well-known/openid-configuration'));
    expect(textAt(found, 'issuer')).toBe('https://kubernetes.default.svc.cluster.local');
    const keySet = parseJson(await kubectl('get --raw /openid/v1/jwks'));
    const [header = ''] = token.split('.');
    const kid = textAt(parseJson(Buffer.from(header, 'base64url').toString()), 'kid');
    expect(listAt(keySet, 'keys').map((key) => textAt(key, 'kid'))).toEqual([kid]);
  });

  it('keeps its key when it starts again', async () => {
    await kubectl('create serviceaccount lasting');
    const token = (await kubectl('create token lasting')).trim();
    await server().restart();
    expect((await callerWith(token).get('/api/v1/namespaces')).status).toBe(200);
  });

  it('lets in a node that joins with a bootstrap token', async () => {
    const secret = {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
      },
    };
    await kubectl('create -f -', { input: JSON.stringify(secret) });
    const caller = callerWith('abcdef.0123456789abcdef');
    const review = await caller.post(WHO, {
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
    });
    expect(at(review.body, 'status', 'userInfo', 'username')).toBe('system:bootstrap:abcdef');
    await kubectl('delete secret bootstrap-token-abcdef -n kube-system');
    expect((await caller.get('/api/v1/namespaces')).status).toBe(401);
  });

  it('--as and --as-group, several of them, and commas in one', async () => {
    const as = ['--as=omar', '--as-group=ops', '--as-group=a, b', '--as-uid=7'];
    const told = await kubectl.words(['auth', 'whoami', '-o', 'json', ...as]);
    expect(at(parseJson(told), 'status', 'userInfo')).toEqual({
      username: 'omar',
      uid: '7',
      groups: ['ops', 'a, b', 'system:authenticated'],
    });
    const bob = callerOf(server(), { token: 'secret-of-bob' });
    const bare = await bob.get('/api/v1/namespaces', { 'Impersonate-Group': 'ops' });
    expect(bare.status).toBe(400);
  });

  it('says nothing secret in its logs', async () => {
    const wrong = ['guessed-token', 'a.b.c', 'abcdef.fedcba9876543210'];
    for (const token of wrong) {
      expect((await callerWith(token).get('/api')).status).toBe(401);
    }
    const logs = server().logs();
    expect(logs).toContain('unable to authenticate the request');
    for (const token of [...wrong, 'secret-of-bob', '0123456789abcdef', 'eyJ']) {
      expect(logs).not.toContain(token);
    }
  });
});
