/**
 * A server without a flag of aggregation: it makes the authority and the certificate by which aggregated
 * servers know it, and says so where they look. sample-apiserver is unmodified, and is told nothing else.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { at, textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import {
  aggregationTrust,
  type AggregationTrust,
  registered,
  untilReason,
} from './given-aggregation.ts';
import { SAMPLE_GROUP, SAMPLE_VERSION, sampleServer } from './sample-server.ts';

const FLUNDERS = `/apis/${SAMPLE_GROUP}/${SAMPLE_VERSION}/namespaces/default/flunders`;
const PUBLISHED = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

await describeWith('sample-apiserver', 'a server without flags of aggregation', (program) => {
  let trust: AggregationTrust;
  let server: RunningServer;
  let client: AdminClient;
  let sample: RunningCommand;

  beforeAll(async () => {
    trust = await aggregationTrust();
    server = await startServer({ args: ['--authorization-mode=RBAC'] });
    client = adminClient(server);
    const { port, start } = await sampleServer(program, trust, server);
    sample = start();
    const { caBundle } = trust;
    await registered(client, SAMPLE_GROUP, SAMPLE_VERSION, { service: 'sample', port, caBundle });
  });
  afterAll(async () => {
    sample.kill('SIGKILL');
    await sample.ended;
    client.close();
    await server.stop();
    trust.remove();
  });

  it('passes requests on as those of their user', async () => {
    await untilReason(client, `${SAMPLE_VERSION}.${SAMPLE_GROUP}`, 'Passed').catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${sample.stderr()}`);
      },
    );
    const flunder = {
      kind: 'Flunder',
      apiVersion: `${SAMPLE_GROUP}/${SAMPLE_VERSION}`,
      metadata: { name: 'one' },
    };
    expect((await client.post(FLUNDERS, flunder)).status).toBe(201);
    const refused = await client.get(FLUNDERS, { 'Impersonate-User': 'jane' });
    expect(refused.status).toBe(403);
    expect(textAt(refused.body, 'message')).toContain(
      'User "jane" cannot list resource "flunders"',
    );
  });

  it('publishes its authority, and believes the headers of no certificate of the other one', async () => {
    const data = at((await client.get(PUBLISHED)).body, 'data');
    const own = readFileSync(join(server.dataDir, 'pki', 'front-proxy-ca.crt'), 'utf8');
    expect(textAt(data, 'requestheader-client-ca-file').trim()).toBe(own.trim());
    expect(textAt(data, 'requestheader-allowed-names')).toBe('["front-proxy-client"]');
    const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
    const url = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const asked = await client.post(url, review, { 'X-Remote-User': 'jane' });
    expect(textAt(asked.body, 'status', 'userInfo', 'username')).toBe('kubernetes-admin');
  });
});
