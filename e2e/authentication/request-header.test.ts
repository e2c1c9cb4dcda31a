/**
 * A proxy in front of the server names the user; and whose certificates are believed, of
 * proxies and of clients, changes while the server runs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { testAuthority } from '../support/test-authority.ts';
import { callerOf } from './caller.ts';

const directory = mkdtempSync(join(tmpdir(), 'everwatch-proxy-'));
const authority = await testAuthority('front-proxies');
const clients = await testAuthority('clients');
writeFileSync(join(directory, 'proxies.pem'), authority.certificate);
writeFileSync(join(directory, 'clients.pem'), clients.certificate);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const server = serverForThisFile({
  args: [
    `--client-ca-file=${join(directory, 'clients.pem')}`,
    `--requestheader-client-ca-file=${join(directory, 'proxies.pem')}`,
    '--requestheader-allowed-names=front',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ],
});

const HEADERS = {
  'X-Remote-User': 'omar',
  'X-Remote-Group': ['ops', 'a, b'],
  'X-Remote-Extra-Example.org%2fteam': 'x',
};

it('is believed if its certificate is good, and no other client is', async () => {
  const front = callerOf(server(), { identity: await authority.issue('front') });
  const { body } = await front.get('/apis/authentication.k8s.io/v1', HEADERS);
  expect(body['kind']).toBe('APIResourceList');
  const other = callerOf(server(), { identity: await authority.issue('other') });
  expect((await other.get('/api', HEADERS)).status).toBe(401);
  const stranger = await testAuthority('front-proxies');
  const forged = callerOf(server(), { identity: await stranger.issue('front') });
  expect((await forged.get('/api', HEADERS)).status).toBe(401);
  const review: JsonObject = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  expect((await callerOf(server(), {}).post(path, review, HEADERS)).status).toBe(401);
  const user = await front.post(path, review, HEADERS);
  expect(at(user.body, 'status', 'userInfo')).toEqual({
    username: 'omar',
    groups: ['ops', 'a, b', 'system:authenticated'],
    extra: { 'example.org/team': ['x'] },
  });
});

it('is believed no more when its authority is exchanged, and neither are clients', async () => {
  const [proxies, others] = [await testAuthority('new-proxies'), await testAuthority('others')];
  const front = callerOf(server(), { identity: await authority.issue('front') });
  const fresh = callerOf(server(), { identity: await proxies.issue('front') });
  const { certificate: cert, key } = await clients.issue('kim');
  const agent = new Agent({ keepAlive: true, maxSockets: 1, cert, key, rejectUnauthorized: false });
  const codeOf = () => codeOver(agent, `${server().url}/api`);
  expect([(await front.get('/api', HEADERS)).status, await codeOf()]).toEqual([200, 200]);
  const map = await published('extension-apiserver-authentication');
  expect(textAt(map, 'data', 'requestheader-client-ca-file').trim()).toBe(
    authority.certificate.trim(),
  );
  expect(textAt(map, 'data', 'client-ca-file')).toContain(clients.certificate.trim());

  writeFileSync(join(directory, 'proxies.pem'), proxies.certificate);
  writeFileSync(join(directory, 'clients.pem'), others.certificate);
  await eventually('the other proxy is believed', async () =>
    (await fresh.get('/api', HEADERS)).status === 200 ? true : undefined,
  );
  expect((await front.get('/api', HEADERS)).status).toBe(401);
  // The connection is used all the time, so it is never one that rests.
  await eventually('the client is not known any more', async () =>
    (await codeOf()) === 401 ? true : undefined,
  );
  await eventually('others are told', async () => {
    const data = at(await published('extension-apiserver-authentication'), 'data');
    const isNew =
      textAt(data, 'requestheader-client-ca-file').includes(proxies.certificate.trim()) &&
      textAt(data, 'client-ca-file').includes(others.certificate.trim());
    return isNew ? true : undefined;
  });
  agent.destroy();
});

async function published(name: string): Promise<JsonObject> {
  const client = adminClient(server());
  const { body } = await client.get(`/api/v1/namespaces/kube-system/configmaps/${name}`);
  client.close();
  return body as JsonObject;
}

function codeOver(agent: Agent, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => {
        resolve(response.statusCode ?? 0);
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
