import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { nodeRestriction } from './node-restriction.ts';

const URL = '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests';
const flags = [
  '--feature-gates=PodCertificateRequest=true',
  '--runtime-config=certificates.k8s.io/v1beta1=true',
];
const CORE = '/api/v1/namespaces/default';

async function given() {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'builder' } };
  const pod = (name: string, nodeName: string, annotations: JsonObject = {}): JsonObject => ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations } },
    spec: { nodeName, serviceAccountName: 'builder', containers: [{ name: 'c', image: 'i' }] },
  });
  const plane = await givenPlugin(
    nodeRestriction,
    [
      ['/api/v1/nodes', node],
      [`${CORE}/serviceaccounts`, account],
      [`${CORE}/pods`, pod('web', 'node-a')],
      [`${CORE}/pods`, pod('elsewhere', 'node-b')],
      [`${CORE}/pods`, pod('mirror', 'node-a', { 'kubernetes.io/config.mirror': 'x' })],
    ],
    { flags },
  );
  const uidOf = async (url: string) => (await plane.get(url)).object.metadata.uid ?? '';
  const right = async (podName: string): Promise<JsonObject> => ({
    ...{ signerName: 'a.b/c', podName, podUID: await uidOf(`${CORE}/pods/${podName}`) },
    ...{ nodeName: 'node-a', nodeUID: await uidOf('/api/v1/nodes/node-a') },
    serviceAccountName: 'builder',
    serviceAccountUID: await uidOf(`${CORE}/serviceaccounts/builder`),
  });
  const ask = (spec: JsonObject, operation: 'CREATE' | 'DELETE' = 'CREATE') => {
    const object = {
      ...{ apiVersion: 'certificates.k8s.io/v1beta1', kind: 'PodCertificateRequest' },
      ...{ metadata: { name: 'r' }, spec },
    };
    const user = { name: 'system:node:node-a', groups: ['system:nodes'] };
    return plane.admit(
      operation === 'CREATE'
        ? { url: URL, object, user }
        : { url: `${URL}/r`, operation, oldObject: object, user },
    );
  };
  return { right, ask };
}

const REFUSED = 'podcertificaterequests.certificates.k8s.io "r" is forbidden: ';

describe('a node that asks for the certificate of a pod', () => {
  it('is let through with what is true of a pod that it runs', async () => {
    const { right, ask } = await given();
    expect((await ask(await right('web'))).status).toBeUndefined();
  });

  it.each([
    [
      { nodeName: 'node-b' },
      'PodCertificateRequest.Spec.NodeName="node-b", which is not the requesting node "node-a"',
    ],
    [
      { serviceAccountName: 'other' },
      'PodCertificateRequest for pod "default/web" contains serviceAccountName ("other") that differs from running pod ("builder")',
    ],
  ])('is refused with %o', async (change, why) => {
    const { right, ask } = await given();
    const { status, message } = await ask({ ...(await right('web')), ...change });
    expect([status?.code, message]).toEqual([403, REFUSED + why]);
  });

  it.each([
    [
      'elsewhere',
      'pod "default/elsewhere" is not running on node "node-a" named in the PodCertificateRequest',
    ],
    ['mirror', 'pod "default/mirror" is a mirror pod'],
  ])('is refused for the pod %s', async (name, why) => {
    const { right, ask } = await given();
    const { status, message } = await ask(await right(name));
    expect([status?.code, message]).toEqual([403, REFUSED + why]);
  });

  it.each([
    [
      { nodeUID: 'u' },
      /^PodCertificateRequest for pod "default\/web" names node UID "u", inconsistent/,
    ],
    [{ podUID: 'u' }, /contains pod UID \("u"\) which differs from running pod "/],
    [
      { podName: 'gone' },
      /^while retrieving pod "default\/gone" named in the PodCertificateRequest: /,
    ],
    [{ serviceAccountUID: 'u' }, /names service account UID "u", which differs from the running/],
  ])('is to try again with %o, as views may be behind', async (change, why) => {
    const { right, ask } = await given();
    const { status, message } = await ask({ ...(await right('web')), ...change });
    expect(status?.code).toBe(500);
    expect(message).toMatch(why);
  });

  it('does nothing else with it', async () => {
    const { right, ask } = await given();
    const { message } = await ask(await right('web'), 'DELETE');
    expect(message).toBe(`${REFUSED}unexpected operation DELETE`);
  });
});
