/**
 * Whole numbers of 64 bits on all ways that leave the server and come back: bodies of webhooks, built-in
 * types, history and differences, archives, imports and recordings. All is compared as text.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, parseJson as readPlain } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { testWebhook, type TestWebhook } from '../support/test-webhook.ts';
import { startEverwatch, succeed } from './everwatch.ts';

const LEAST = '-9223372036854775808';
const GREATEST = '9223372036854775807';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
const TALLIES = '/apis/example.com/v1/tallies';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const HOOKS = '/apis/admissionregistration.k8s.io/v1';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-numbers-'));
const source = join(folder, 'source');
/** Of every review, by the path that it was posted to. */
const reviews: { readonly path: string; readonly body: string }[] = [];
let webhook: TestWebhook;
let server: RunningServer;
let client: AdminClient;

beforeAll(async () => {
  webhook = await testWebhook((body, { url = '' }, response) => {
    reviews.push({ path: url, body });
    response.setHeader('content-type', 'application/json');
    response.end(answerTo(url, body));
  });
  server = await startServer({ dataDir: source });
  client = adminClient(server);
  await client.post(CRDS, definition());
  await eventually('the definition is served', async () =>
    (await client.get(TALLIES)).status === 200 ? true : undefined,
  );
  for (const [kind, path] of [
    ['Mutating', '/mutate'],
    ['Validating', '/validate'],
  ] as const) {
    const plural = `${HOOKS}/${kind.toLowerCase()}webhookconfigurations`;
    expect((await client.post(plural, configuration(kind, path))).status).toBe(201);
  }
});

afterAll(async () => {
  client.close();
  await server.stop();
  webhook.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the webhook says, with numbers that a double does not hold. */
function answerTo(path: string, body: string): string {
  // A review is an object.
  const { request, ...review } = parseJson(body) as { request: Record<string, unknown> };
  if (path.startsWith('/convert')) {
    const apiVersion = request['desiredAPIVersion'];
    const objects = request['objects'] as object[];
    const convertedObjects = objects.map((one) => ({ ...one, apiVersion }));
    const result = { status: 'Success' };
    return formatJson({ ...review, response: { uid: request['uid'], result, convertedObjects } });
  }
  const response = { uid: request['uid'], allowed: true };
  if (path.startsWith('/validate')) return formatJson({ ...review, response });
  const patch = Buffer.from(`[{"op":"add","path":"/spec/mutated","value":${LEAST}}]`);
  const patched = { ...response, patchType: 'JSONPatch', patch: patch.toString('base64') };
  return formatJson({ ...review, response: patched });
}

function definition() {
  const made = resourceDefinition({
    group: 'example.com',
    plural: 'tallies',
    kind: 'Tally',
    scope: 'Cluster',
    names: { singular: 'tally' },
  }) as { spec: { versions: object[] } };
  const [version] = made.spec.versions;
  const clientConfig = { url: `${webhook.origin}/convert`, caBundle: webhook.caBundle };
  const conversion = {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig },
  };
  const versions = [{ ...version }, { ...version, name: 'v2', storage: false }];
  return { ...made, spec: { ...made.spec, versions, conversion } };
}

function configuration(kind: 'Mutating' | 'Validating', path: string) {
  const rule = { apiGroups: ['example.com'], apiVersions: ['*'], resources: ['tallies'] };
  const hook = {
    name: `${kind.toLowerCase()}.example.com`,
    clientConfig: { url: webhook.origin + path, caBundle: webhook.caBundle },
    rules: [{ ...rule, operations: ['*'], scope: '*' }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return {
    apiVersion,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'numbers' },
    webhooks: [hook],
  };
}

/** As text, since a number that was parsed here would say what it likes. */
async function send(method: string, path: string, body?: string, type = 'json'): Promise<string> {
  const headers = { 'content-type': `application/${type}`, accept: 'text/plain, application/json' };
  const sending = body === undefined ? { headers } : { body, headers };
  const { status } = await client.send(method, path, sending);
  expect(status).toBeLessThan(300);
  return textOf(path);
}

async function textOf(path: string): Promise<string> {
  const answer = await client.open(path);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function tally(version: string, spec: string): string {
  return `{"kind":"Tally","apiVersion":"example.com/${version}","metadata":{"name":"t"},"spec":${spec}}`;
}

it('reach webhooks and come back from them with every digit', async () => {
  await send('POST', TALLIES.replace('v1', 'v2'), tally('v2', `{"count":${GREATEST}}`));
  const spec = `"spec":{"count":${GREATEST},"mutated":${LEAST}}`;
  expect(await textOf(`${TALLIES}/t`)).toContain(spec);
  expect(await textOf(`${TALLIES.replace('v1', 'v2')}/t`)).toContain(spec);
  const said = (path: string): string[] =>
    reviews.filter((one) => one.path.startsWith(path)).map(({ body }) => body);
  expect(said('/mutate').join()).toContain(`"count":${GREATEST}`);
  expect(said('/validate').join()).toContain(spec);
  expect(said('/convert').length).toBeGreaterThan(0);
  for (const body of said('/convert')) expect(body).toContain(spec);
});

it('stand in built-in types, defaulted and patched in every way, with every digit', async () => {
  const head = '"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"r"}';
  await client.send('POST', REVISIONS, { body: `{${head},"revision":1,"data":{"a":[${LEAST}]}}` });
  const one = `${REVISIONS}/r`;
  for (const [type, body] of [
    ['strategic-merge-patch+json', `{"revision":${GREATEST}}`],
    ['merge-patch+json', '{"revision":9223372036854775806}'],
    ['json-patch+json', `[{"op":"replace","path":"/revision","value":${GREATEST}}]`],
  ] as const) {
    const text = await send('PATCH', one, body, type);
    expect(text).toContain(`"revision":${/\d{19}/.exec(body)?.[0] ?? ''}`);
    expect(text).toContain(`"data":{"a":[${LEAST}]}`);
  }
  expect(await textOf(`${one}?resourceVersion=0`)).toContain(`"revision":${GREATEST}`);
});

it('are told by history and diff, and live on in archives, imports and recordings', async () => {
  await send('PATCH', `${TALLIES}/t`, '{"spec":{"count":9223372036854775806}}', 'merge-patch+json');
  const recorded = join(folder, 'recorded');
  const kubeconfig = ['--kubeconfig', server.kubeconfig];
  const recorder = startEverwatch(['record', ...kubeconfig, '--data-dir', recorded]);
  const history = await succeed(['history', 'tallies/t', '--diff', ...kubeconfig]);
  expect(history).toContain(GREATEST);
  expect(history).toContain('9223372036854775806');
  // Of the object: that of a list is past what others wrote since.
  const written = Number(/"resourceVersion":"(\d+)"/.exec(await textOf(`${TALLIES}/t`))?.[1]);
  const moments = ['--from', String(written - 1), '--to', String(written)];
  const diff = await succeed(['diff', 'tallies', '--diff', ...moments, ...kubeconfig]);
  expect(diff).toContain(`-  count: ${GREATEST}`);
  expect(diff).toContain('+  count: 9223372036854775806');
  await eventually('the object is recorded', () => {
    return recordedUpTo(recorded, 'example.com/tallies') >= written || undefined;
  });
  // Without it the recording does not know the resource.
  await eventually('the definition is recorded', () => {
    return recordedUpTo(recorded, DEFINITIONS) >= 0 || undefined;
  });
  recorder.kill('SIGINT');
  await recorder.ended;

  const archive = join(folder, 'all.archive');
  await succeed(['export', ...kubeconfig, '-o', archive]);
  const imported = join(folder, 'imported');
  await succeed(['import', archive, '--data-dir', imported]);
  for (const dataDir of [imported, recorded]) {
    const text = await succeed(['history', 'tallies/t', '-o', 'json', '--data-dir', dataDir]);
    expect(text, dataDir).toContain('9223372036854775806');
    expect(text, dataDir).toContain(LEAST);
  }
});

/** The version of the resource that the recorder has noted; -1: it has not come to it yet. */
function recordedUpTo(dataDir: string, resource: string): number {
  const file = join(dataDir, 'record-state.json');
  if (!existsSync(file)) return -1;
  const noted = readPlain(readFileSync(file, 'utf8'));
  const version = at(noted, 'resources', resource, 'resourceVersion');
  return Number(version ?? -1);
}
