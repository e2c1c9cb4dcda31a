/**
 * Webhooks and issuers of tokens that are reached through konnectivity: the first by gRPC, the second by
 * CONNECT. Its proxy server and its agent are the real ones.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { callerOf } from '../authentication/caller.ts';
import { startIssuer, type OpenIdIssuer } from '../authentication/openid-issuer.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, parseJson, textAt, type JsonObject } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';
import { testWebhook, type TestWebhook } from '../support/test-webhook.ts';
import { startKonnectivity, type Konnectivity } from './konnectivity.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW: JsonObject = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };

function map(name: string, value: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
}

await describeWith('konnectivity', 'what is reached through konnectivity', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-konnectivity-'));
  const authority = testAuthority('issuers');
  let byGrpc: Konnectivity;
  let byConnect: Konnectivity;
  let issuer: OpenIdIssuer;
  let webhook: TestWebhook;
  let server: RunningServer;
  let client: AdminClient;
  const seen: string[] = [];

  beforeAll(async () => {
    [byGrpc, byConnect, issuer, webhook] = await Promise.all([
      startKonnectivity(program, 'grpc', mkdtempSync(join(folder, 'g-'))),
      startKonnectivity(program, 'http-connect', mkdtempSync(join(folder, 'h-'))),
      startIssuer(await authority),
      testWebhook((body, _, response) => {
        const review = parseJson(body);
        const name = textAt(review, 'request', 'name');
        seen.push(`${name} ${String(textAt(review, 'request', 'object', 'data', 'value').length)}`);
        const answer = { uid: at(review, 'request', 'uid'), allowed: name !== 'bad' };
        const kind = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
        response.end(JSON.stringify({ ...kind, response: answer }));
      }),
    ]);
    await Promise.all([byGrpc.startAgent(), byConnect.startAgent()]);
    server = await startServer({ args: await settings() });
    client = adminClient(server);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    webhook.close();
    await issuer.close();
    await Promise.all([byGrpc.stop(), byConnect.stop()]);
    rmSync(folder, { recursive: true });
  });

  async function settings(): Promise<string[]> {
    const write = (name: string, content: JsonObject): string => {
      writeFileSync(join(folder, name), JSON.stringify(content));
      return join(folder, name);
    };
    const through = (name: string, proxyProtocol: string, { socket: udsName }: Konnectivity) => {
      return { name, connection: { proxyProtocol, transport: { uds: { udsName } } } };
    };
    const egress = write('egress.json', {
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [
        through('controlplane', 'GRPC', byGrpc),
        through('cluster', 'HTTPConnect', byConnect),
      ],
    });
    const { certificate } = await authority;
    const from = {
      ...{ url: issuer.url, audiences: ['everwatch'], egressSelectorType: 'cluster' },
      certificateAuthority: certificate,
    };
    const login = { username: { claim: 'login', prefix: '' } };
    const authentication = write('authentication.json', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [{ issuer: from, claimMappings: login }],
    });
    return [`--egress-selector-config-file=${egress}`, `--authentication-config=${authentication}`];
  }

  async function figure(name: string): Promise<number> {
    const { body } = await client.get('/metrics');
    const text = typeof body === 'string' ? body : '';
    const line = text.split('\n').find((one) => one.startsWith(name));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  it('is a webhook, asked through gRPC, with much to say', async () => {
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
    ];
    const { status } = await client.post(HOOKS, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'far' },
      webhooks: [
        {
          ...{ name: 'far.example.com', rules, sideEffects: 'None' },
          clientConfig: { url: `${webhook.origin}/check`, caBundle: webhook.caBundle },
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    expect(status).toBe(201);
    await eventually('the webhook is asked', async () => {
      const { status: answered } = await client.post(MAPS, map('bad', 'x'));
      return answered === 403 || answered === 400 || undefined;
    });
    const made = await client.post(MAPS, map('large', 'y'.repeat(900_000)));
    expect(made.status).toBe(201);
    expect(seen.at(-1)).toBe('large 900000');
    const labels = '{protocol="grpc",transport="uds"}';
    expect(await figure(`apiserver_egress_dialer_dial_start_total${labels}`)).toBeGreaterThan(0);
  });

  it('is an issuer of tokens, asked through CONNECT', async () => {
    const token = await issuer.token('everwatch', { login: 'jane' });
    const user = await eventually('the token lets in', async () => {
      const { status, body } = await callerOf(server, { token }).post(REVIEWS, REVIEW);
      return status === 201 ? textAt(body, 'status', 'userInfo', 'username') : undefined;
    });
    expect(user).toBe('jane');
    const labels = '{protocol="http_connect",transport="uds"}';
    const dials = 'apiserver_egress_dialer_dial_duration_seconds_count';
    expect(await figure(`${dials}${labels}`)).toBeGreaterThan(0);
  });

  it('is not reached without an agent, and is again when one is back', async () => {
    await byGrpc.stopAgent();
    const refused = await eventually('the webhook is not reached', async () => {
      const answer = await client.post(MAPS, map(`away-${String(Math.random()).slice(2)}`, 'x'));
      return answer.status === 500 ? answer : undefined;
    });
    expect(textAt(refused.body, 'message')).toContain('failed calling webhook "far.example.com"');
    await byGrpc.startAgent();
    await eventually('the webhook is reached', async () => {
      const { status } = await client.post(
        MAPS,
        map(`back-${String(Math.random()).slice(2)}`, 'x'),
      );
      return status === 201 || undefined;
    });
  });
});
