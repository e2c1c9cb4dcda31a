/** Policies and webhooks whose names and answers mean something to JavaScript. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

import { created } from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import type { JsonObject } from '../support/json.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

/** A policy for new config maps and its binding, both called `constructor`. */
export async function givenPolicy(
  client: AdminClient,
  plural: string,
  spec: JsonObject,
): Promise<void> {
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['configmaps'],
  };
  const metadata = { name: 'constructor' };
  const matchConstraints = { resourceRules: [rule] };
  await created(client, `${ADMISSION}/${plural}`, {
    metadata,
    spec: { matchConstraints, ...spec },
  });
  const actions = plural.startsWith('validating') ? { validationActions: ['Deny', 'Audit'] } : {};
  const bindings = plural.replace('policies', 'policybindings');
  const binding = { metadata, spec: { policyName: 'constructor', ...actions } };
  await created(client, `${ADMISSION}/${bindings}`, binding);
}

/** Registers a {@link changingWebhook} for the config map `hooked`. */
export async function givenWebhook(
  client: AdminClient,
  port: number,
  caBundle: string,
): Promise<void> {
  await created(client, `${ADMISSION}/mutatingwebhookconfigurations`, {
    metadata: { name: 'constructor' },
    webhooks: [
      {
        name: 'constructor.prototype.then',
        clientConfig: {
          url: `https://127.0.0.1:${String(port)}/__proto__`,
          caBundle,
        },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
          },
        ],
        matchConditions: [{ name: 'then', expression: "object.metadata.name == 'hooked'" }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

export interface ChangingWebhook {
  readonly server: Server;
  readonly port: number;
  readonly seen: string[];
}

/** Gives every config map two keys and says something for the audit log. */
export async function changingWebhook(cert: string, key: string): Promise<ChangingWebhook> {
  const seen: string[] = [];
  const operations = [
    { op: 'replace', path: '/data/__proto__', value: 'w' },
    { op: 'add', path: '/data/constructor', value: 'w' },
  ];
  const patches = Buffer.from(JSON.stringify(operations)).toString('base64');
  const listening = createServer({ cert, key }, (request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      seen.push(text);
      const uid = /"uid":"([^"]+)"/.exec(text)?.[1] ?? '';
      const said = `{"uid":"${uid}","allowed":true,"patchType":"JSONPatch","patch":"${patches}","auditAnnotations":{"__proto__":"noted"},"__proto__":{"allowed":false}}`;
      response.end(
        `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":${said}}`,
      );
    });
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return { server: listening, port: (listening.address() as AddressInfo).port, seen };
}
