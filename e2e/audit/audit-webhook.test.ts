/**
 * Events that are posted to a webhook over HTTPS: gathered, delivered again where that failed, and
 * all there when the server has stopped.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, listAt, parseJson, textAt, type JsonObject, type JsonValue } from '../support/json.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { testWebhook } from '../support/test-webhook.ts';
import { auditFiles } from './audit-files.ts';

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  resources: [{ group: '', resources: [configmaps] }]
  namespaces: [default]
- level: None
`;
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Receiver {
  readonly lists: JsonValue[];
  readonly headers: string[];
  /** How many are refused before the next one is taken. */
  refuses: number;
  close(): void;
  readonly kubeconfig: string;
}

const files = auditFiles();

async function receiver(): Promise<Receiver> {
  const state = { lists: [] as JsonValue[], headers: [] as string[], refuses: 0 };
  const webhook = await testWebhook((body, request, response) => {
    if (state.refuses > 0) {
      state.refuses -= 1;
      response.writeHead(503).end();
      return;
    }
    state.headers.push(String(request.headers.authorization));
    state.lists.push(parseJson(body));
    response.writeHead(200).end();
  });
  const kubeconfig = files.write(
    `webhook-${new URL(webhook.origin).port}.yaml`,
    webhook.kubeconfig('/events', 'a-token'),
  );
  return Object.assign(state, {
    kubeconfig,
    close() {
      webhook.close();
    },
  });
}

function serverWith(webhook: Receiver, args: readonly string[]): Promise<RunningServer> {
  const policy = files.write('policy.yaml', POLICY);
  return startServer({
    args: [
      `--audit-policy-file=${policy}`,
      `--audit-webhook-config-file=${webhook.kubeconfig}`,
      '--audit-webhook-initial-backoff=50ms',
      ...args,
    ],
  });
}

async function make(server: RunningServer, names: readonly string[]): Promise<void> {
  const client = adminClient(server);
  for (const name of names) {
    const { status } = await client.post(MAPS, {
      metadata: { name },
      data: { a: 'x'.repeat(2_000) },
    });
    expect(status).toBe(201);
  }
  client.close();
}

function eventsOf({ lists }: Receiver): JsonObject[] {
  return lists.flatMap((list) => listAt(list, 'items')) as JsonObject[]; // As its kind says.
}

const namesOf = (webhook: Receiver): string[] =>
  eventsOf(webhook).map((event) => textAt(event, 'objectRef', 'name'));

describe('the audit webhook', () => {
  let webhook: Receiver;

  beforeAll(async () => {
    webhook = await receiver();
  });

  afterAll(() => {
    webhook.close();
  });

  it('gets batches, the last one when the server stops', async () => {
    const server = await serverWith(webhook, [
      '--audit-webhook-batch-max-size=2',
      '--audit-webhook-batch-max-wait=10m',
    ]);
    try {
      await make(server, ['a', 'b', 'c']);
      await eventually('the first batch', () => webhook.lists[0]);
      expect(namesOf(webhook)).toEqual(['a', 'b']);
    } finally {
      await server.stop();
    }
    expect(namesOf(webhook)).toEqual(['a', 'b', 'c']);
    expect(webhook.lists[0]).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1' });
    expect(webhook.headers[0]).toBe('Bearer a-token');
    expect(eventsOf(webhook)[0]).toMatchObject({
      level: 'RequestResponse',
      verb: 'create',
      responseObject: { kind: 'ConfigMap' },
    });
  });

  it('is asked again where it did not take them', async () => {
    webhook.lists.length = 0;
    webhook.refuses = 2;
    const server = await serverWith(webhook, ['--audit-webhook-batch-max-wait=10ms']);
    try {
      await make(server, ['a']);
      await eventually('the batch', () => webhook.lists[0]);
      expect([namesOf(webhook), webhook.refuses]).toEqual([['a'], 0]);
    } finally {
      await server.stop();
    }
  });

  it('gets events without their objects where they are too large', async () => {
    webhook.lists.length = 0;
    const server = await serverWith(webhook, [
      '--audit-webhook-batch-max-wait=10ms',
      '--audit-webhook-truncate-enabled',
      '--audit-webhook-truncate-max-event-size=2000',
    ]);
    try {
      await make(server, ['a']);
      await eventually('the batch', () => webhook.lists[0]);
      const [event] = eventsOf(webhook);
      expect(event).not.toHaveProperty('responseObject');
      expect(at(event, 'annotations', 'audit.k8s.io/truncated')).toBe('true');
    } finally {
      await server.stop();
    }
  });

  it('keeps requests waiting where it is asked to, and refuses them without it', async () => {
    webhook.lists.length = 0;
    const policy = files.write(
      'strict.yaml',
      POLICY.replace('omitStages: [RequestReceived]\n', ''),
    );
    const server = await serverWith(webhook, [
      `--audit-policy-file=${policy}`,
      '--audit-webhook-mode=blocking-strict',
      '--audit-webhook-initial-backoff=1ms',
    ]);
    const client = adminClient(server);
    try {
      await make(server, ['a']);
      // The request was told before it was dealt with.
      expect(textAt(eventsOf(webhook)[0], 'stage')).toBe('RequestReceived');
      webhook.refuses = Number.POSITIVE_INFINITY;
      const refused = await client.post(MAPS, { metadata: { name: 'b' } });
      expect([refused.status, textAt(refused.body, 'message')]).toEqual([
        500,
        'Internal error occurred: failed to store audit event',
      ]);
      const metrics = textAt((await client.get('/metrics')).body);
      expect(metrics).toContain('apiserver_audit_requests_rejected_total 1\n');
      expect(metrics).toMatch(/^apiserver_audit_error_total\{plugin="webhook"\} [1-9]/m);
      webhook.refuses = 0;
      expect((await client.get(`${MAPS}/b`)).status).toBe(404);
    } finally {
      client.close();
      await server.stop();
    }
  });
});
