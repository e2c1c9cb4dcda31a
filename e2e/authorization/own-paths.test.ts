/**
 * The law of the log: no path below `/everwatch`, with whatever query and place, and no other path
 * that is no resource, shows a user what is in a Secret that he may not read through the API. In
 * particular `nonResourceURLs: ["*"]`, which roles for monitoring often have, reads no Secret.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { configMap, created } from '../api/objects.ts';
import { makeFork } from '../forks/fork-client.ts';
import { as } from '../security/real-and-broken.ts';
import { type AdminClient, adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, listAt, parseJson, textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { everwatchWith } from '../tools/everwatch.ts';
import { type Asked, type Asker, askerOf } from './asker.ts';
import { grant } from './grants.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-own-paths-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, 'one-token,one,1\nall-token,all,2\n');
const server = serverForThisFile({
  args: ['--authorization-mode=RBAC', '--token-auth-file', tokens],
});
const everwatch = everwatchWith();

const LOG = '/everwatch/v1/log';
const SECRETS = '/api/v1/namespaces/default/secrets';
/** Base64 of `the value of NAME`, as a Secret has it. */
const marker = (name: string): string => Buffer.from(`the value of ${name}`).toString('base64');
/** One that is there, one that was deleted, one that only a fork has. */
const NAMES = ['there', 'gone', 'forked'];

const PATHS: JsonObject = { nonResourceURLs: ['*'], verbs: ['*'] };
const LOGS = rule('dev.everwatch', 'logs', 'get');
const USERS: Readonly<Record<string, readonly JsonObject[]>> = {
  paths: [PATHS],
  'paths-and-log': [PATHS, LOGS],
  'log-and-lists': [LOGS, rule('*', '*', 'list')],
  maps: [PATHS, LOGS, rule('', 'configmaps', 'list', 'get')],
  secrets: [PATHS, LOGS, rule('', 'secrets', 'list', 'get')],
  'secrets-without-log': [PATHS, rule('', 'secrets', 'list', 'get')],
  all: [PATHS, rule('*', '*', 'get', 'list')],
  one: [{ ...rule('', 'secrets', 'get'), resourceNames: ['there'] }],
  'paths-and-one': [PATHS, LOGS, { ...rule('', 'secrets', 'get'), resourceNames: ['there'] }],
};

function rule(group: string, resource: string, ...verbs: string[]): JsonObject {
  return { apiGroups: [group], resources: [resource], verbs };
}

let asker: Asker;
let client: AdminClient;
let version = '';

beforeAll(async () => {
  client = adminClient(server());
  asker = await askerOf(server());
  for (const [user, rules] of Object.entries(USERS)) await grant(client, user, rules);
  await created(client, SECRETS, secret('there'));
  await created(client, SECRETS, secret('gone'));
  await client.delete(`${SECRETS}/gone`);
  await makeFork(client, 'f');
  const forked = await created(client, `/forks/f${SECRETS}`, secret('forked'));
  version = textAt(forked, 'metadata', 'resourceVersion');
  // Both logs reach so far, so that a follower of one comes to an end there.
  await created(client, '/api/v1/namespaces/default/configmaps', configMap('later'));
});
afterAll(() => {
  asker.close();
  client.close();
  rmSync(folder, { recursive: true });
});

function secret(name: string): JsonObject {
  return { kind: 'Secret', apiVersion: 'v1', metadata: { name }, data: { key: marker(name) } };
}

describe('what a user may not read', () => {
  it('is shown by no path', async () => {
    const users = Object.keys(USERS);
    const asked = [...ownRequests(users), ...(await otherRequests())];
    const answers = await asker.askAll(asked);
    const may = await readable(users);
    const shown = asked.flatMap(({ path, as: user }, index) => {
      const text = answers[index]?.text ?? '';
      const names = NAMES.filter((name) => text.includes(marker(name)));
      return names.map((name) => ({ user: String(user['impersonate-user']), path, name }));
    });
    expect(shown.filter(({ user, name }) => !may.has(`${user} ${name}`))).toEqual([]);
    // Else the law would hold for a server that shows nothing.
    const readers = ['all', 'one', 'paths-and-one', 'secrets', 'secrets-without-log'];
    expect([...new Set(shown.map(({ user }) => user))].sort()).toEqual(readers);
    expect(new Set(shown.map(({ name }) => name))).toEqual(new Set(NAMES));
  });

  it('is told by the first right that lacks', async () => {
    const told = async (user: string, path: string): Promise<string> => {
      const { status, text } = await asker.ask({ method: 'GET', path, as: as(user) });
      return status === 200 ? '' : textAt(parseJson(text), 'message');
    };
    const of = `${LOG}?resource=core/secrets`;
    expect(await told('one', LOG)).toBe(
      'forbidden: User "one" cannot get path "/everwatch/v1/log"',
    );
    expect(await told('paths', LOG)).toContain('User "paths" cannot get resource "logs"');
    expect(await told('secrets', LOG)).toContain('User "secrets" cannot list resource "*"');
    expect(await told('maps', of)).toContain('User "maps" cannot list resource "secrets"');
    expect(await told('secrets', of)).toBe('');
    expect(await told('paths-and-log', '/everwatch/v1/status')).toBe('');
    expect(await told('paths', '/everwatch/v1/status')).toContain('cannot get resource "logs"');
  });
});

describe('the tools', () => {
  const as1 = (user: string): string[] => ['--kubeconfig', kubeconfigOf(user)];

  it('history and blame of an object need that it may be got, and nothing else', async () => {
    for (const range of [[], ['--to', 'now'], ['--from', '1h']]) {
      expect(await everwatch('history', 'secret/there', ...range, ...as1('one'))).toContain(
        'created',
      );
    }
    expect(await everwatch('blame', 'secret/there', ...as1('one'))).toContain('kubernetes-admin');
    const other = await everwatch.attempt('history', 'secret/gone', ...as1('one'));
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('User "one" cannot get resource "secrets"');
  });

  it('know a custom resource by what is served, where its definition may not be read', async () => {
    const group = 'tools.example.com';
    const definition = resourceDefinition({ group, plural: 'things', kind: 'Thing' });
    await created(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const path = `/apis/${group}/v1/namespaces/default/things`;
    await eventually('things', async () => (await client.get(path)).status === 200 || undefined);
    await created(client, path, {
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      metadata: { name: 'a' },
    });
    await grant(client, 'one', [rule(group, 'things', 'get')], 'default');
    expect(await everwatch('history', 'thing/a', ...as1('one'))).toContain('created');
  });

  it('tail, diff, status and verify work with the rights to everything', async () => {
    const tail = await everwatch('tail', '--from', '0', '--no-follow', ...as1('all'));
    expect(tail).toContain(marker('there'));
    expect(await everwatch('diff', '--from', '1', ...as1('all'))).toContain('secrets/there');
    expect(await everwatch('status', ...as1('all'))).toContain('embedded');
    expect(await everwatch('verify', ...as1('all'))).toContain('agrees with its log');
    expect((await everwatch.attempt('verify', ...as1('one'))).code).toBe(1);
  });
});

/** All that is served below `/everwatch`, narrowed in every way and in no way. */
function ownRequests(users: readonly string[]): Asked[] {
  const queries = ownQueries();
  const some = queries.filter((_, index) => index % 4 === 1);
  const paths = [
    ...queries.map((query) => `${LOG}?${query}`),
    ...some.flatMap((query) => [`${LOG}/bounds?${query}`, `${LOG}/version-at?${query}`]),
  ];
  const others = ['/everwatch/v1/status', '/everwatch/v1/shred', '/everwatch/v1/new', '/everwatch'];
  const odd = ['//everwatch/v1/log', '/everwatch/v1/%6cog', '/everwatch%2Fv1/log'];
  const whole = [LOG, `${LOG}/state`, `${LOG}/`, ...others, ...odd].map(
    (path) => `${path}?to=${version}&version=${version}`,
  );
  // Which rights are needed does not depend on the place, so there some are enough.
  const elsewhere = ['/forks/f', `/at/${version}`, `/forks/f/at/${version}`].flatMap((place) =>
    [...whole, ...paths.filter((_, index) => index % 5 === 0)].map((path) => place + path),
  );
  const all = [...paths, ...whole, ...elsewhere];
  return users.flatMap((user) => all.map((path) => ({ method: 'GET', path, as: as(user) })));
}

function ownQueries(): string[] {
  const resources = ['', 'core/secrets', 'core/configmaps', 'secrets', '*/*'];
  const paths = ['', 'default/there', 'default/gone', '/there'];
  const ways = ['', 'effectiveOnly=true', 'follow=true', 'effectiveOnly=true&follow=true'];
  const end = `to=${version}`;
  const narrowed = resources.flatMap((resource) =>
    paths.flatMap((path) => ways.map((way) => `${end}&resource=${resource}&path=${path}&${way}`)),
  );
  const [mine, other] = ['resource=core/configmaps', 'resource=core/secrets'];
  return [...narrowed, `${end}&${mine}&${other}`, `${end}&${mine};&${other}&effectiveOnly=true`];
}

/** Whatever else is served and no resource. */
async function otherRequests(): Promise<Asked[]> {
  const { body } = await client.get('/');
  const paths = listAt(body, 'paths').filter((path) => typeof path === 'string');
  expect(paths.length).toBeGreaterThan(30);
  return paths.map((path) => ({
    method: 'GET',
    path: path.includes('pprof') ? `${path}?seconds=0.05` : path,
    as: as('paths-and-log'),
  }));
}

/** Which Secrets a user may read, as `USER NAME`: where he may list them, all. */
async function readable(users: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const user of users) {
    const isLister = (await client.get('/api/v1/secrets', as(user))).status === 200;
    for (const name of NAMES) {
      const { status } = await client.get(`${SECRETS}/${name}`, as(user));
      if (isLister || status !== 403) found.add(`${user} ${name}`);
    }
  }
  return found;
}

function kubeconfigOf(user: string): string {
  const file = join(folder, `${user}.kubeconfig`);
  const { url, ca } = readKubeconfig(server().kubeconfig);
  const authority = Buffer.from(ca).toString('base64');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token: `${user}-token` } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
