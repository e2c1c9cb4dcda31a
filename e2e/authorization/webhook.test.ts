/**
 * A server that asks a webhook over TLS, by kubeconfig files: whether a user may do
 * something, in front of RBAC, and whether the images of a pod may run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, parseJson, textAt } from '../support/json.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { testWebhook, type TestWebhook } from '../support/test-webhook.ts';

describe('a webhook by kubeconfig', () => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-webhook-'));
  const asked: JsonValue[] = [];
  const askedOfImages: JsonValue[] = [];
  let webhook: TestWebhook;
  let server: RunningServer;

  beforeAll(async () => {
    webhook = await testWebhook((body, _request, response) => {
      const review = parseJson(body);
      const kind = textAt(review, 'kind');
      const isOfImages = kind === 'ImageReview';
      (isOfImages ? askedOfImages : asked).push(review);
      const status = isOfImages ? judgementOf(review) : answerTo(review);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ kind, status }));
    });
    const kubeconfig = join(directory, 'webhook.yaml');
    writeFileSync(kubeconfig, webhook.kubeconfig('/authorize', 'ours'));
    const configuration = join(directory, 'authorization.yaml');
    writeFileSync(configuration, configurationWith(kubeconfig));
    const admission = join(directory, 'admission.yaml');
    writeFileSync(admission, admissionWith(kubeconfig));
    server = await startServer({
      args: [
        ...['--authorization-config', configuration],
        ...['--admission-control-config-file', admission],
        '--enable-admission-plugins=ImagePolicyWebhook',
        '--disable-admission-plugins=ServiceAccount',
      ],
    });
  });

  afterAll(async () => {
    await server.stop();
    webhook.close();
    rmSync(directory, { recursive: true });
  });

  async function asBob(path: string): Promise<{ code: number; message: string }> {
    const client = adminClient(server);
    const { status, body } = await client.get(path, {
      'impersonate-user': 'bob',
      'impersonate-group': 'dev',
    });
    client.close();
    return { code: status, message: status === 200 ? '' : textAt(body, 'message') };
  }

  it('allows, denies, and leaves the rest to RBAC', async () => {
    expect(await asBob('/api/v1/namespaces/default/configmaps')).toMatchObject({ code: 200 });
    const denied = await asBob('/api/v1/namespaces/default/secrets');
    expect(denied).toEqual({
      code: 403,
      message:
        'secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" ' +
        'in the namespace "default": never secrets',
    });
    expect(await asBob('/api/v1/namespaces/default/pods')).toMatchObject({ code: 403 });
    expect(await asBob('/version')).toMatchObject({ code: 200 });
    expect(at(asked[0], 'spec')).toMatchObject({
      user: 'bob',
      groups: ['dev', 'system:authenticated'],
      resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'default' },
    });
  });

  it('is not asked again soon, nor what its conditions leave out', async () => {
    const before = asked.length;
    await asBob('/api/v1/namespaces/default/configmaps');
    await asBob('/apis');
    expect(asked.length).toBe(before);
    expect(asked.every((review) => at(review, 'spec', 'nonResourceAttributes') === undefined)).toBe(
      true,
    );
  });

  it('shows in its figures which authorizer decided, and which was asked', async () => {
    const client = adminClient(server);
    const { body } = await client.get('/metrics', { accept: 'text/plain' });
    client.close();
    const asks = `apiserver_authorization_webhook_evaluations_total{name="ours",result="success"}`;
    expect(typeof body === 'string' ? body.split('\n') : []).toEqual(
      expect.arrayContaining([
        `${asks} ${String(asked.length)}`,
        'apiserver_authorization_decisions_total{decision="allowed",name="ours",type="Webhook"} 2',
        'apiserver_authorization_decisions_total{decision="denied",name="ours",type="Webhook"} 1',
        'apiserver_authorization_decisions_total{decision="allowed",name="rbac",type="RBAC"} 2',
        'authorization_attempts_total{result="denied"} 1',
        'apiserver_authorization_match_condition_exclusions_total{name="ours",type="Webhook"} 2',
      ]),
    );
  });

  it('judges the images of pods, and those that are run beside them later', async () => {
    const client = adminClient(server);
    const pods = '/api/v1/namespaces/default/pods';
    const refused = await client.post(pods, pod('bad', 'evil:1'));
    expect(textAt(refused.body, 'message')).toBe(
      'pods "bad" is forbidden: image policy webhook backend denied one or more images: never evil',
    );
    const made = await client.post(pods, pod('good', 'fine:1'));
    expect(made.status).toBe(201);
    const ephemeralContainers = [{ name: 'e', image: 'evil:2' }];
    const beside = await client.patch(
      `${pods}/good/ephemeralcontainers`,
      { spec: { ephemeralContainers } },
      'strategic-merge-patch',
    );
    client.close();
    expect(textAt(beside.body, 'message')).toContain('denied one or more images: never evil');
    expect(askedOfImages.map((review) => at(review, 'spec', 'containers'))).toEqual([
      [{ image: 'evil:1' }],
      [{ image: 'fine:1' }],
      [{ image: 'evil:2' }],
    ]);
  });
});

function judgementOf(review: JsonValue): JsonObject {
  const isEvil = JSON.stringify(at(review, 'spec', 'containers')).includes('evil');
  return { allowed: !isEvil, ...(isEvil ? { reason: 'never evil' } : {}) };
}

function pod(name: string, image: string): JsonObject {
  const spec = { containers: [{ name: 'a', image }] };
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec };
}

function admissionWith(kubeConfigFile: string): string {
  const imagePolicy = { kubeConfigFile, allowTTL: 60, denyTTL: 60 };
  return JSON.stringify({
    kind: 'AdmissionConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1',
    plugins: [{ name: 'ImagePolicyWebhook', configuration: { imagePolicy } }],
  });
}

function answerTo(review: JsonValue): JsonObject {
  switch (textAt(review, 'spec', 'resourceAttributes', 'resource')) {
    case 'configmaps':
      return { allowed: true };
    case 'secrets':
      return { allowed: false, denied: true, reason: 'never secrets' };
    default:
      return { allowed: false };
  }
}

function configurationWith(kubeconfig: string): string {
  return `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: Webhook
  name: ours
  webhook:
    timeout: 10s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: "${kubeconfig}"}
    matchConditions:
    - expression: has(request.resourceAttributes)
- type: RBAC
  name: rbac
`;
}
