/**
 * Logins with tokens of a real issuer: by flags, and by an AuthenticationConfiguration that changes
 * while the server runs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { at, type JsonObject } from '../support/json.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';
import { callerOf } from './caller.ts';
import { type OpenIdIssuer, startIssuer } from './openid-issuer.ts';

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW: JsonObject = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };

const directory = mkdtempSync(join(tmpdir(), 'everwatch-openid-'));
const authority = await testAuthority('issuers');
const caFile = join(directory, 'ca.pem');
writeFileSync(caFile, authority.certificate);
let issuer: OpenIdIssuer;

beforeAll(async () => {
  issuer = await startIssuer(authority);
});
afterAll(async () => {
  await issuer.close();
  rmSync(directory, { recursive: true });
});

async function userOf(server: RunningServer, token: string): Promise<JsonObject | number> {
  const { status, body } = await callerOf(server, { token }).post(WHO, REVIEW);
  return status === 201 ? (at(body, 'status', 'userInfo') as JsonObject) : status;
}

/** The issuer's keys are asked for after the start. */
function loggedIn(server: RunningServer, token: string): Promise<JsonObject> {
  return eventually('the token lets in', async () => {
    const user = await userOf(server, token);
    return typeof user === 'number' ? undefined : user;
  });
}

describe('--oidc flags', () => {
  it('let in clients with a token of the issuer, for us, with the claims', async () => {
    const server = await startServer({
      args: [
        `--oidc-issuer-url=${issuer.url}`,
        '--oidc-client-id=everwatch',
        `--oidc-ca-file=${caFile}`,
        '--oidc-username-claim=login',
        '--oidc-groups-claim=teams',
        '--oidc-groups-prefix=team:',
        '--oidc-required-claim=tier=gold',
      ],
    });
    try {
      const claims = { login: 'jane', teams: ['dev', 'ops'], tier: 'gold' };
      const user = await loggedIn(server, await issuer.token('everwatch', claims));
      expect(user).toMatchObject({
        username: `${issuer.url}#jane`,
        groups: ['team:dev', 'team:ops', 'system:authenticated'],
      });
      expect(await userOf(server, await issuer.token('others', claims))).toBe(401);
      const tin = await issuer.token('everwatch', { ...claims, tier: 'tin' });
      expect(await userOf(server, tin)).toBe(401);
      const good = await issuer.token('everwatch', claims);
      const elsewhere = await startDirectory(await issuer.token('everwatch', { teams: ['far'] }));
      try {
        const { login, tier } = claims;
        const { url } = elsewhere;
        const distributed = (key: string) => ({
          ...{ login, tier },
          _claim_names: { teams: 'there' },
          _claim_sources: { there: { endpoint: url, access_token: key } },
        });
        const far = await issuer.token('everwatch', distributed('key-of-jane'));
        expect(await userOf(server, far)).toMatchObject({
          groups: ['team:far', 'system:authenticated'],
        });
        const wrong = await issuer.token('everwatch', distributed('wrong'));
        expect(await userOf(server, wrong)).toBe(401);
        expect(server.logs()).toContain('could not expand distributed claims');
        expect(server.logs()).not.toContain('key-of-jane');
      } finally {
        elsewhere.close();
      }
      const [header = '', , signature = ''] = good.split('.');
      const forged = Buffer.from(JSON.stringify({ ...claims, iss: issuer.url, aud: 'everwatch' }));
      const changed = `${header}.${forged.toString('base64url')}.${signature}`;
      expect(await userOf(server, changed)).toBe(401);
      expect(server.logs()).not.toContain(good);
    } finally {
      await server.stop();
    }
  });
});

/** Has one document, for clients that show the key. */
async function startDirectory(document: string) {
  const { certificate: cert, key } = await authority.issue('directory', ['127.0.0.1']);
  const holder = createServer({ cert, key }, (request, response) => {
    response.statusCode = request.headers.authorization === 'Bearer key-of-jane' ? 200 : 403;
    response.end(response.statusCode === 200 ? document : '');
  });
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as AddressInfo; // It listens on TCP.
  return {
    url: `https://127.0.0.1:${String(port)}/teams/jane`,
    close() {
      holder.close();
      holder.closeAllConnections();
    },
  };
}

describe('--authentication-config', () => {
  const path = join(directory, 'authentication.yaml');
  const configuration = (prefix: string): string =>
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: {
            url: issuer.url,
            certificateAuthority: authority.certificate,
            audiences: ['everwatch', 'elsewhere'],
            audienceMatchPolicy: 'MatchAny',
          },
          claimValidationRules: [{ expression: 'claims.level > 2.0', message: 'too low' }],
          claimMappings: {
            username: { expression: `'${prefix}' + claims.login` },
            groups: { expression: 'dyn(claims.teams).filter(t, t != "ghosts")' },
            uid: { expression: 'string(claims.number)' },
            extra: [{ key: 'example.org/level', valueExpression: 'string(claims.level)' }],
          },
          userValidationRules: [
            { expression: '!user.username.startsWith("system:")', message: 'reserved' },
          ],
        },
      ],
      anonymous: { enabled: true, conditions: [{ path: '/readyz' }] },
    });

  it('maps claims by expressions, and changes while the server runs', async () => {
    writeFileSync(path, configuration('a:'));
    const server = await startServer({ args: [`--authentication-config=${path}`] });
    try {
      const claims = { login: 'jane', teams: ['dev', 'ghosts'], number: 'n1', level: 3 };
      const token = await issuer.token('elsewhere', claims);
      expect(await loggedIn(server, token)).toMatchObject({
        username: 'a:jane',
        uid: 'n1',
        groups: ['dev', 'system:authenticated'],
        extra: { 'example.org/level': ['3'] },
      });
      const low = await issuer.token('elsewhere', { ...claims, level: 1 });
      expect(await userOf(server, low)).toBe(401);
      const nobody = callerOf(server, {});
      expect((await nobody.get('/readyz')).status).toBe(200);
      expect((await nobody.get('/livez')).status).toBe(401);

      writeFileSync(path, 'kind: nonsense');
      await eventually('the new file is refused', () =>
        Promise.resolve(server.logs().includes('the old one stays') || undefined),
      );
      expect(await userOf(server, token)).toMatchObject({ username: 'a:jane' });

      writeFileSync(path, configuration('b:'));
      await eventually('the new file is in force', async () => {
        const user = await userOf(server, await issuer.token('elsewhere', claims));
        return typeof user !== 'number' && user['username'] === 'b:jane' ? true : undefined;
      });
    } finally {
      await server.stop();
    }
  });
});
