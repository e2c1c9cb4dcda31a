/**
 * Webhooks as a way in: where they may send the server, what they are shown, and what they must be
 * asked about.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { configMap, created, pod } from '../api/objects.ts';
import { at, textAt } from '../support/json.ts';
import { type Attacked, realAndBroken } from './real-and-broken.ts';
import { INTRUDER, spyingWebhook, type SpyingWebhook } from './spying-webhook.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';
const SECRET = 'a-word-that-no-log-may-hold';

const directory = mkdtempSync(join(tmpdir(), 'everwatch-webhooks-'));
const admission = join(directory, 'admission.json');
const kubeconfig = join(directory, 'images.kubeconfig');
let webhook: SpyingWebhook;

// Before the servers, which read it when they start.
beforeAll(async () => {
  webhook = await spyingWebhook();
  writeFileSync(kubeconfig, webhook.kubeconfig);
  const configuration = { imagePolicy: { kubeConfigFile: kubeconfig, allowTTL: -1, denyTTL: -1 } };
  const plugins = [{ name: 'ImagePolicyWebhook', configuration }];
  const head = { kind: 'AdmissionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' };
  writeFileSync(admission, JSON.stringify({ ...head, plugins }));
});

afterAll(() => {
  webhook.close();
  rmSync(directory, { recursive: true });
});

const ASKING = 'gateway/outbound/https-webhooks.ts';
const { onBoth } = realAndBroken(
  [
    {
      file: ASKING,
      text: "sent.on('response', (response) => {",
      instead: `sent.on('response', (response) => {
        const elsewhere = response.headers.location;
        if (elsewhere !== undefined) {
          secureRequest({ ca: options.ca, agent }, elsewhere)
            .on('response', (other) => this.#read(other))
            .end();
          return;
        }`,
    },
    {
      file: ASKING,
      text: 'sent.end(body);',
      instead: 'console.log(String(body)); sent.end(body);',
    },
    {
      file: 'actors/admission/webhooks/admission-review.ts',
      text: 'oldObject: oldObject ?? null,',
      instead: 'oldObject: (oldObject && object) ?? null,',
    },
    {
      file: 'actors/admission/plugins/pods/image-policy-webhook.ts',
      text: "images.judge(write, ['ephemeralContainers']),",
      instead: 'undefined,',
    },
  ],
  {
    args: [
      '--enable-admission-plugins=ImagePolicyWebhook',
      `--admission-control-config-file=${admission}`,
    ],
  },
);

/** Has a webhook asked about writes to a resource of the core group, and forgets what was. */
async function givenWebhook({ client }: Attacked, resource: string, path: string): Promise<void> {
  webhook.forget();
  const operations = ['CREATE', 'UPDATE'];
  const rule = { operations, apiGroups: [''], apiVersions: ['v1'], resources: [resource] };
  await created(client, CONFIGURATIONS, {
    kind: 'ValidatingWebhookConfiguration',
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: resource },
    webhooks: [
      {
        name: `${resource}.example.com`,
        clientConfig: { url: `${webhook.origin}${path}`, caBundle: webhook.caBundle },
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

it('CVE-2020-8561: no webhook sends the server elsewhere, or what it is shown to the log', async () => {
  const outcomes = await onBoth(async (attacked) => {
    await givenWebhook(attacked, 'configmaps', '/redirect');
    const map = configMap('shown', { data: { key: SECRET } });
    await attacked.client.post('/api/v1/namespaces/default/configmaps', map);
    return { paths: [...webhook.paths], isLogged: attacked.server.logs().includes(SECRET) };
  });
  expect(outcomes).toEqual({
    real: { paths: ['/redirect'], isLogged: false },
    broken: { paths: ['/redirect', '/private'], isLogged: true },
  });
});

it('CVE-2021-25735: a webhook is shown the node as it was, whatever the update says', async () => {
  const outcomes = await onBoth(async (attacked) => {
    const { client } = attacked;
    const metadata = { name: 'shown', labels: { zone: 'locked' } };
    const spec = { unschedulable: true };
    await created(client, NODES, { kind: 'Node', apiVersion: 'v1', metadata, spec });
    await givenWebhook(attacked, 'nodes', '/allow');
    const change = { metadata: { labels: { zone: 'open' } }, spec: { unschedulable: null } };
    const { status } = await client.patch(`${NODES}/shown`, change);
    const old = at(webhook.reviews[0], 'request', 'oldObject');
    const seen = [at(old, 'metadata', 'labels', 'zone'), at(old, 'spec', 'unschedulable')];
    return { status, seen };
  });
  expect(outcomes).toEqual({
    real: { status: 200, seen: ['locked', true] },
    broken: { status: 200, seen: ['open', undefined] },
  });
});

it('CVE-2023-2727: no ephemeral container runs an image that was not looked at', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const whole = pod('intruded', { containers: [{ name: 'main', image: INTRUDER }] });
    const { status } = await client.post(PODS, whole);
    await created(client, PODS, pod('looked-at'));
    const patch = { spec: { ephemeralContainers: [{ name: 'debug', image: INTRUDER }] } };
    const path = `${PODS}/looked-at/ephemeralcontainers`;
    const added = await client.patch(path, patch, 'strategic-merge-patch');
    return { whole: status, added: added.status === 200 ? 'taken' : textAt(added.body, 'message') };
  });
  expect(outcomes).toEqual({
    real: {
      whole: 403,
      added: expect.stringContaining('one or more images rejected by webhook backend') as unknown,
    },
    broken: { whole: 403, added: 'taken' },
  });
});
