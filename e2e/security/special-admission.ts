/** Policies and webhooks whose names and answers mean something to JavaScript. */
import { created } from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import type { JsonObject } from '../support/json.ts';
import { testWebhook, type TestWebhook } from '../support/test-webhook.ts';

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
  { origin, caBundle }: ChangingWebhook,
): Promise<void> {
  await created(client, `${ADMISSION}/mutatingwebhookconfigurations`, {
    metadata: { name: 'constructor' },
    webhooks: [
      {
        name: 'constructor.prototype.then',
        clientConfig: { url: `${origin}/__proto__`, caBundle },
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

export interface ChangingWebhook extends TestWebhook {
  readonly seen: readonly string[];
}

/** Gives every config map two keys and says something for the audit log. */
export async function changingWebhook(): Promise<ChangingWebhook> {
  const seen: string[] = [];
  const operations = [
    { op: 'replace', path: '/data/__proto__', value: 'w' },
    { op: 'add', path: '/data/constructor', value: 'w' },
  ];
  const patches = Buffer.from(JSON.stringify(operations)).toString('base64');
  const webhook = await testWebhook((text, _request, response) => {
    seen.push(text);
    const uid = /"uid":"([^"]+)"/.exec(text)?.[1] ?? '';
    const said = `{"uid":"${uid}","allowed":true,"patchType":"JSONPatch","patch":"${patches}","auditAnnotations":{"__proto__":"noted"},"__proto__":{"allowed":false}}`;
    response.end(
      `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":${said}}`,
    );
  });
  return { ...webhook, seen };
}
