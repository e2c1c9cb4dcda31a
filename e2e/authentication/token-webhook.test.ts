/** A webhook over TLS that knows whose tokens are: what it gets to see, and how often it is asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, listAt, parseJson, textAt } from '../support/json.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { testWebhook, type TestWebhook } from '../support/test-webhook.ts';
import { callerOf } from './caller.ts';

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW: JsonObject = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
const JANE = { username: 'jane', uid: '7', groups: ['dev'], extra: { team: ['blue'] } };

describe('--authentication-token-webhook-config-file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-token-webhook-'));
  const asked: { readonly review: JsonValue; readonly credential: string }[] = [];
  let busy = 0;
  let webhook: TestWebhook;
  let server: RunningServer;

  beforeAll(async () => {
    webhook = await testWebhook((body, request, response) => {
      const review = parseJson(body);
      asked.push({ review, credential: request.headers.authorization ?? '' });
      busy -= 1;
      response.statusCode = busy >= 0 ? 500 : 200;
      response.setHeader('content-type', 'application/json');
      const kind = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1' };
      response.end(JSON.stringify({ ...kind, status: answerTo(review) }));
    });
    const kubeconfig = join(directory, 'webhook.yaml');
    writeFileSync(join(directory, 'ca.pem'), webhook.authority);
    writeFileSync(kubeconfig, webhook.kubeconfig('/tokens', 'ours', 'ca.pem'));
    server = await startServer({
      args: [
        `--authentication-token-webhook-config-file=${kubeconfig}`,
        '--authentication-token-webhook-version=v1',
        '--authentication-token-webhook-cache-ttl=10m',
        '--api-audiences=us,home',
      ],
    });
  });

  afterAll(async () => {
    await server.stop();
    webhook.close();
    rmSync(directory, { recursive: true });
  });

  async function userOf(token: string): Promise<JsonValue> {
    const { status, body } = await callerOf(server, { token }).post(WHO, REVIEW);
    return status === 201 ? (at(body, 'status', 'userInfo') ?? null) : status;
  }

  it('lets in whom the webhook knows, and asks once in a while', async () => {
    const user = { ...JANE, groups: ['dev', 'system:authenticated'] };
    expect(await userOf('token-of-jane')).toEqual(user);
    expect(await userOf('token-of-jane')).toEqual(user);
    expect(asked).toEqual([
      {
        credential: 'Bearer ours',
        review: {
          kind: 'TokenReview',
          apiVersion: 'authentication.k8s.io/v1',
          metadata: {},
          spec: { token: 'token-of-jane', audiences: ['us', 'home'] },
          status: { user: {} },
        },
      },
    ]);
  });

  it('lets in no other client, and remembers that too', async () => {
    const before = asked.length;
    expect([await userOf('unknown'), await userOf('unknown')]).toEqual([401, 401]);
    expect(asked.length).toBe(before + 1);
    expect(await userOf('of-others')).toBe(401);
    expect([await userOf('broken'), await userOf('broken')]).toEqual([401, 401]);
    // Once for the token of others, and twice for the one that it could not decide.
    expect(asked.length).toBe(before + 4);
    expect(server.logs()).toContain('cannot look');
    for (const token of ['unknown', 'token-of-jane', 'of-others']) {
      expect(server.logs()).not.toContain(token);
    }
  });

  it('asks again where the webhook is busy', async () => {
    const before = asked.length;
    busy = 1;
    expect(await userOf('token-of-jim')).toMatchObject({ username: 'jim' });
    expect(asked.length).toBe(before + 2);
  });

  it('answers a TokenReview with what the webhook says, for the audiences that are asked for', async () => {
    const client = adminClient(server);
    const apiVersion = 'authentication.k8s.io/v1';
    const spec = { token: 'token-of-jane', audiences: ['home', 'elsewhere'] };
    const review = { kind: 'TokenReview', apiVersion, spec };
    const { body } = await client.post(`/apis/${apiVersion}/tokenreviews`, review);
    client.close();
    const user = { ...JANE, groups: ['dev', 'system:authenticated'] };
    expect(at(body, 'status')).toEqual({ authenticated: true, user, audiences: ['home'] });
  });

  it('shows how often it was asked', async () => {
    const client = adminClient(server);
    const text = textAt((await client.get('/metrics')).body);
    client.close();
    expect(text).toMatch(/^authentication_token_cache_fetch_total\{status="error"\} 2$/m);
    expect(text).toMatch(/^authentication_token_cache_request_total\{status="hit"\} [2-9]$/m);
    expect(text).toMatch(/^authentication_attempts\{result="error"\} [1-9]\d*$/m);
    expect(text).toMatch(/^authenticated_user_requests\{username="other"\} [1-9]\d*$/m);
  });
});

function answerTo(review: JsonValue): JsonObject {
  const token = textAt(review, 'spec', 'token');
  if (token === 'broken') return { error: 'cannot look' };
  const wanted = listAt(review, 'spec', 'audiences');
  const audiences =
    token === 'of-others' ? ['others'] : wanted.filter((one) => one !== 'elsewhere');
  const user = token === 'token-of-jim' ? { username: 'jim' } : JANE;
  return token === 'unknown' ? { authenticated: false } : { authenticated: true, user, audiences };
}
