/**
 * What kube-apiserver passes on to aggregated servers, and this server does not: a whole class of attacks
 * has nowhere to begin. Should these paths be served one day, their row in THREAT_MODEL.md needs tests.
 */
import { expect, it } from 'vitest';

import { created } from '../api/objects.ts';
import { adminClient } from '../support/admin-client.ts';
import { listAt, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const server = serverForThisFile();
it('CVE-2022-3172: nothing is asked of a server that an APIService names', async () => {
  const client = adminClient(server());
  const services = '/apis/apiregistration.k8s.io/v1/apiservices';
  await created(client, services, {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name: 'v1.metrics.example.com' },
    spec: {
      group: 'metrics.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'metrics' },
    },
  });
  for (const path of ['', '/nodes', '/namespaces/default/pods/one']) {
    expect((await client.get(`/apis/metrics.example.com/v1${path}`)).status).toBe(404);
  }
  const groups = listAt((await client.get('/apis')).body, 'groups');
  expect(groups.map((group) => textAt(group, 'name'))).not.toContain('metrics.example.com');
  client.close();
});
