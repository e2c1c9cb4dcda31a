/** Some days in the life of a namespace, told by the versions at which things happened. */
import type { AdminClient, ApiAnswer } from '../support/admin-client.ts';
import { textAt } from '../support/json.ts';

export interface Life {
  readonly namespace: string;
  readonly created: number;
  readonly scaled: number;
  readonly labelled: number;
  readonly deleted: number;
  readonly again: number;
  readonly secret: number;
  readonly otherSecret: number;
}

const PASSWORDS = ['first-password', 'other-password'];
/** What must not be seen by people that did not ask for it. */
export const HIDDEN = PASSWORDS.flatMap((text) => [text, Buffer.from(text).toString('base64')]);

/** Creates, scales, labels and deletes a deployment, creates it again, and changes a Secret. */
export async function liveOn(client: AdminClient, namespace: string): Promise<Life> {
  versionIn(await client.post('/api/v1/namespaces', { metadata: { name: namespace } }));
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const web = `${deployments}/web`;
  const created = versionIn(await client.post(`${deployments}?fieldManager=maker`, deployment()));
  const scaled = versionIn(
    await client.patch(`${web}?fieldManager=scaler`, { spec: { replicas: 3 } }),
  );
  const labelled = versionIn(
    await client.patch(web, {
      metadata: { labels: { tier: 'front', team: 'a' } },
      spec: {
        template: {
          spec: { containers: [container('side', 'side:1'), container('web', 'web:2')] },
        },
      },
    }),
  );
  await client.delete(web);
  const again = versionIn(await client.post(deployments, deployment()));
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const [first, other] = PASSWORDS.map((stringDatum) => ({
    metadata: { name: 'login' },
    stringData: { password: stringDatum },
  }));
  const secret = versionIn(await client.post(secrets, first ?? {}));
  const otherSecret = versionIn(await client.put(`${secrets}/login`, other ?? {}));
  return {
    namespace,
    created,
    scaled,
    labelled,
    deleted: labelled + 1,
    again,
    secret,
    otherSecret,
  };
}

function container(name: string, image: string) {
  return { name, image };
}

function deployment() {
  const labels = { app: 'web' };
  const spec = { containers: [container('web', 'web:1')] };
  return {
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  };
}

function versionIn({ status, body }: ApiAnswer): number {
  if (status >= 300) throw new Error(JSON.stringify(body));
  return Number(textAt(body, 'metadata', 'resourceVersion'));
}
