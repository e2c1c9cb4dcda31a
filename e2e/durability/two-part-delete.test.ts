/**
 * A server that is killed between both parts of a delete: the pod is there as the first has left it, and the next delete
 * takes it away. A webhook, which is asked about both parts, says when that moment is.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { pod } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { HttpWatch, nameOf } from '../support/http-watch.ts';
import { at, parseJson, textAt } from '../support/json.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';

const PODS = '/api/v1/namespaces/default/pods';
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

let server: RunningServer;
let webhooks: Server;
let caBundle = '';
/** Called when the webhook is asked about a pod, with what it has of a grace period; false: it never answers. */
let asked: (grace: unknown) => boolean = () => true;

beforeAll(async () => {
  const authority = await testAuthority('authority of webhooks');
  const { certificate, key } = await authority.issue('webhooks', ['127.0.0.1']);
  caBundle = Buffer.from(authority.certificate).toString('base64');
  webhooks = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = parseJson(Buffer.concat(chunks).toString());
      const old = at(review, 'request', 'oldObject') ?? null;
      if (!asked(at(old, 'metadata', 'deletionGracePeriodSeconds'))) return;
      const said = { uid: textAt(review, 'request', 'uid'), allowed: true };
      const answer = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: said };
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => webhooks.listen(0, '127.0.0.1', resolve));
  server = await startServer({});
});

afterAll(async () => {
  await server.stop();
  webhooks.close();
  webhooks.closeAllConnections();
});

it('leaves a pod that is on its way, and the next delete removes it', async () => {
  const client = adminClient(server);
  await hook(client);
  expect((await client.post(PODS, pod('p'))).status).toBe(201);
  const before = textAt((await client.get(PODS)).body, 'metadata', 'resourceVersion');
  const killed = new Promise<void>((resolve) => {
    asked = (grace) => {
      if (grace === undefined) return true;
      void server.kill9().then(resolve);
      return false;
    };
  });
  const answer = client.delete(`${PODS}/p`).then(
    ({ status }) => status,
    () => 'broken off',
  );
  await killed;
  expect(await answer).toBe('broken off');
  client.close();

  asked = () => true;
  await server.restart();
  const again = adminClient(server);
  const left = (await again.get(`${PODS}/p`)).body;
  expect(at(left, 'metadata', 'deletionGracePeriodSeconds')).toBe(0);
  expect(textAt(left, 'metadata', 'deletionTimestamp')).not.toBe('');
  expect((await again.delete(`${PODS}/p`)).status).toBe(200);
  expect((await again.get(`${PODS}/p`)).status).toBe(404);
  const watch = await HttpWatch.open(again, `${PODS}?resourceVersion=${before}`);
  await watch.until('its end', ({ type }) => type === 'DELETED');
  watch.close();
  const told = watch.received.map((event) => `${event.type} ${nameOf(event)}`);
  expect(told).toEqual(['MODIFIED p', 'DELETED p']);
  again.close();
});

async function hook(client: AdminClient): Promise<void> {
  const rule = {
    operations: ['DELETE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods'],
  };
  const { port } = webhooks.address() as AddressInfo; // It listens.
  const configured = await client.post(WEBHOOKS, {
    kind: 'ValidatingWebhookConfiguration',
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: 'deletes' },
    webhooks: [
      {
        name: 'deletes.example.com',
        clientConfig: { url: `https://127.0.0.1:${String(port)}/`, caBundle },
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  expect(configured.status).toBe(201);
}
