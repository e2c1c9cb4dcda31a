/** As whom webhooks are asked, beside Kubernetes' own code, and what the files of a user are good for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { testClock } from '../../actors/request/given.fixture.ts';
import { goOracle, seededDice, type Dice } from '../../api/patch/go-oracle.fixture.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { kubeconfigUsers } from './webhook-users.ts';

const oracle = await goOracle('admission-matching');
const seed = Number(process.env['EVERWATCH_SEED'] ?? 20_261_123);
const COUNT = 600;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-users-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function usersOf(content: JsonObject | string, clock = testClock()) {
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return kubeconfigUsers(file, 'MutatingAdmissionWebhook', clock);
}

/** A webhook there. */
function at443(server: string) {
  return { url: `https://${server}/hook`, service: undefined, caBundle: '' };
}

function withUser(name: string, user: JsonObject): JsonObject {
  return { users: [{ name, user }] };
}

interface TheirUser {
  readonly token: string;
  readonly username: string;
  readonly password: string;
  readonly cert: string;
  readonly key: string;
  readonly as: string;
  readonly groups: readonly string[] | null;
  readonly extra: Readonly<Record<string, readonly string[]>> | null;
}

interface Answer {
  readonly error: string;
  readonly user?: TheirUser;
}

describe.skipIf(oracle === undefined)('the user for a webhook’s server, beside Go', () => {
  it(`is the same for every server (EVERWATCH_SEED=${String(seed)})`, async () => {
    const dice = seededDice(seed);
    const asked = Array.from({ length: COUNT }, () => ({
      content: someKubeconfig(dice),
      server: someServer(dice),
    }));
    const theirs =
      oracle?.<Answer>(
        asked.map(({ content, server }) => ({
          User: { Kubeconfig: JSON.stringify(content), Server: server },
        })),
      ) ?? [];
    let found = 0;
    for (const [at, { content, server }] of asked.entries()) {
      const answer = await usersOf(content).credentialsFor(at443(server));
      const mine = answer.ok ? (answer.credentials ?? { headers: {} }) : answer.message;
      const their = theirs[at];
      const shown = their?.user === undefined ? their?.error : asCredentials(their.user);
      expect(mine, `${server} ${JSON.stringify(content)}`).toEqual(shown);
      if (answer.ok && answer.credentials !== undefined) found += 1;
    }
    expect(found).toBeGreaterThan(COUNT / 3);
    expect(found).toBeLessThan(COUNT);
  });
});

function asCredentials({ token, username, password, cert, key, ...rest }: TheirUser) {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const extra = Object.entries(rest.extra ?? {});
  return {
    ...(cert === '' ? {} : { cert, key }),
    headers: {
      ...(username === '' ? {} : { Authorization: `Basic ${basic}` }),
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      ...(rest.as === '' ? {} : { 'Impersonate-User': rest.as }),
      ...(rest.as === '' || rest.groups === null ? {} : { 'Impersonate-Group': rest.groups }),
      ...Object.fromEntries(extra.map(([key_, values]) => [`Impersonate-Extra-${key_}`, values])),
    },
  };
}

const SERVERS = [
  'check.shop.svc:443',
  'check.shop.svc:8443',
  'example.com:443',
  'a.example.com:443',
  '10.0.0.1:443',
  'localhost:9443',
  'nowhere:443',
];
const NAMES = [
  ...SERVERS,
  'check.shop.svc',
  '*.shop.svc',
  '*.shop.svc:8443',
  '*.svc',
  '*.com',
  '*.example.com:443',
  'example.com',
  '10.0.0.1',
  '*.0.0.1',
  'localhost',
  '*',
  'usual',
];

function someServer(dice: Dice): string {
  return SERVERS[dice(SERVERS.length)] ?? '';
}

function someKubeconfig(dice: Dice): JsonObject {
  const chosen = NAMES.filter(() => dice(6) === 0);
  return {
    users: chosen.map((name) => ({ name, user: someUser(name, dice) })),
    contexts: [{ name: 'it', context: { user: 'usual' } }],
    ...(dice(2) === 0 ? { 'current-context': 'it' } : {}),
  };
}

function someUser(name: string, dice: Dice): JsonObject {
  switch (dice(5)) {
    case 0:
      return { username: name, password: 'secret' };
    case 1:
      return {
        'client-certificate-data': Buffer.from(`cert of ${name}`).toString('base64'),
        'client-key-data': Buffer.from(`key of ${name}`).toString('base64'),
      };
    case 2:
      return { token: name, as: 'jane', 'as-groups': ['a', 'b'], 'as-user-extra': { x: ['1'] } };
    case 3:
      return { 'auth-provider': { name: 'oidc' } };
    default:
      return { token: name };
  }
}

describe('what a user’s files say', () => {
  it('counts for a minute, and for more than a token that stands beside them', async () => {
    const clock = testClock();
    writeFileSync(join(folder, 'token'), 'first\n');
    const users = usersOf(withUser('*', { token: 'inline', tokenFile: 'token' }), clock);
    const header = async (): Promise<unknown> => {
      const found = await users.credentialsFor(at443('a:443'));
      return found.ok ? found.credentials?.headers['Authorization'] : found.message;
    };
    expect(await header()).toBe('Bearer first');
    writeFileSync(join(folder, 'token'), 'second\n');
    expect(await header()).toBe('Bearer first');
    clock.advance(60_000);
    expect(await header()).toBe('Bearer second');
    rmSync(join(folder, 'token'));
    clock.advance(60_000);
    expect(await header()).toBe('Bearer inline');
  });

  it('is missed where there is nothing else', async () => {
    const users = usersOf(withUser('*', { tokenFile: 'nowhere' }));
    const message = `open ${join(folder, 'nowhere')}: no such file or directory`;
    expect(await users.credentialsFor(at443('a:443'))).toEqual({ ok: false, message });
  });

  it('may be a token or a password, not both', async () => {
    const users = usersOf(withUser('*', { token: 'a', username: 'b' }));
    const message = 'username/password or bearer token may be set, but not both';
    expect(await users.credentialsFor(at443('a:443'))).toEqual({ ok: false, message });
  });

  it('refuses the start where there is no file, or none that could be used', () => {
    const start = 'couldn\'t init admission plugin "MutatingAdmissionWebhook": ';
    expect(() => kubeconfigUsers('/nowhere', 'MutatingAdmissionWebhook', testClock())).toThrow(
      `${start}stat /nowhere: no such file or directory`,
    );
    expect(() => usersOf('[')).toThrow(start);
    expect(() => usersOf('[]')).toThrow('not a kubeconfig');
  });
});
