/**
 * As whom a server asks webhooks: by the users in the kubeconfig file of the plug-in, which are
 * named after the servers they are for.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import type { JsonObject } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { testAuthority } from '../support/test-authority.ts';

const EXEC = 'client.authentication.k8s.io';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

interface Visit {
  readonly path: string;
  /** The Common Name of the client's certificate; '' for none. */
  readonly certificate: string;
  readonly authorization: string;
  readonly as: string;
}

const visits: Visit[] = [];
const directory = mkdtempSync(join(tmpdir(), 'everwatch-credentials-'));
const kubeconfig = join(directory, 'kubeconfig');
const admission = join(directory, 'admission.yaml');
/** A line for each time that the program has run. */
const runs = join(directory, 'runs');
let webhooks: Server;
let port = 0;
let caBundle = '';

beforeAll(async () => {
  const authority = await testAuthority('authority of webhooks');
  const { certificate, key } = await authority.issue('webhooks', [
    '127.0.0.1',
    '127.0.0.2',
    'localhost',
  ]);
  const client = await authority.issue('everwatch');
  caBundle = Buffer.from(authority.certificate).toString('base64');
  const asks = { requestCert: true, ca: authority.certificate };
  webhooks = createServer(
    { cert: certificate, key, ...asks, rejectUnauthorized: false },
    (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      const { socket } = request;
      const peer = socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
      const shown = JSON.stringify(peer?.subject ?? {}).includes('everwatch') ? 'everwatch' : '';
      const { authorization = '' } = request.headers;
      const as = String(request.headers['impersonate-user'] ?? '');
      visits.push({ path, certificate: shown, authorization, as });
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (authorization === 'Bearer printed-1') response.statusCode = 401;
        const uid = /"uid":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1];
        const said = { uid, allowed: true };
        const review = {
          kind: 'AdmissionReview',
          apiVersion: 'admission.k8s.io/v1',
          response: said,
        };
        response.end(JSON.stringify(review));
      });
    },
  );
  await new Promise<void>((resolve) => webhooks.listen(0, '0.0.0.0', resolve));
  ({ port } = webhooks.address() as AddressInfo); // It listens on TCP.
  writeFileSync(join(directory, 'client.pem'), client.certificate);
  writeFileSync(join(directory, 'client.key'), client.key);
  const printed = { apiVersion: `${EXEC}/v1`, kind: 'ExecCredential', status: { token: 'TOKEN' } };
  const token = `printed-$(wc -l < ${runs} | tr -d ' ')`;
  const exec = {
    ...{ apiVersion: `${EXEC}/v1`, interactiveMode: 'Never', command: '/bin/sh' },
    args: ['-c', `echo >> ${runs}; echo '${JSON.stringify(printed)}' | sed "s/TOKEN/${token}/"`],
  };
  const files = { 'client-certificate': 'client.pem', 'client-key': 'client.key' };
  const users = [
    { name: `127.0.0.1:${String(port)}`, user: files },
    { name: `127.0.0.2:${String(port)}`, user: { exec } },
    { name: '*', user: { token: 'for-all', as: 'jane' } },
  ];
  writeFileSync(kubeconfig, JSON.stringify({ users }));
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile: kubeconfig,
  };
  writeFileSync(
    admission,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [{ name: 'ValidatingAdmissionWebhook', configuration }],
    }),
  );
});
const server = serverForThisFile({ args: ['--admission-control-config-file', admission] });
afterAll(() => {
  webhooks.close();
  webhooks.closeAllConnections();
  rmSync(directory, { recursive: true });
});

function configurationOf(kind: string, host: string): JsonObject {
  const name = `${kind.toLowerCase().slice(0, 4)}-${host.replaceAll('.', '-')}`;
  const origin = `https://${host}:${String(port)}`;
  const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'] };
  return {
    kind,
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `${origin}/${name}`, caBundle },
        rules: [{ ...rule, resources: ['configmaps'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

it('is said by the user that is named after the server, for the plug-in that was told', async () => {
  const client = adminClient(server());
  for (const host of ['127.0.0.1', 'localhost']) {
    for (const sort of ['Validating', 'Mutating']) {
      const kind = `${sort}WebhookConfiguration`;
      const path = `${ADMISSION}/${sort.toLowerCase()}webhookconfigurations`;
      const { status } = await client.post(path, configurationOf(kind, host));
      expect(status).toBe(201);
    }
  }
  const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' } };
  expect(await client.post('/api/v1/namespaces/default/configmaps', map)).toMatchObject({
    status: 201,
  });
  client.close();
  const nobody = { certificate: '', authorization: '', as: '' };
  const sorted = [...visits].sort((a, b) => (a.path < b.path ? -1 : 1));
  expect(sorted).toEqual([
    { ...nobody, path: '/muta-127-0-0-1' },
    { ...nobody, path: '/muta-localhost' },
    { ...nobody, path: '/vali-127-0-0-1', certificate: 'everwatch' },
    { ...nobody, path: '/vali-localhost', authorization: 'Bearer for-all', as: 'jane' },
  ]);
});

it('is said with what a program prints, which is run again when the webhook refuses that', async () => {
  const client = adminClient(server());
  const path = `${ADMISSION}/validatingwebhookconfigurations`;
  const configuration = configurationOf('ValidatingWebhookConfiguration', '127.0.0.2');
  expect((await client.post(path, configuration)).status).toBe(201);
  const codes: number[] = [];
  for (const name of ['refused', 'taken', 'taken-too']) {
    const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } };
    codes.push((await client.post('/api/v1/namespaces/default/configmaps', map)).status);
  }
  client.close();
  expect(codes).toEqual([500, 201, 201]);
  const asked = visits.filter((one) => one.path === '/vali-127-0-0-2');
  expect(asked.map(({ authorization }) => authorization)).toEqual([
    'Bearer printed-1',
    'Bearer printed-2',
    'Bearer printed-2',
  ]);
});
