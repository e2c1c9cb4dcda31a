/**
 * `npm run bench:definitions [COUNT]`: what many CustomResourceDefinitions of 31 KB cost: to create,
 * in memory, in the documents that describe them, and when the server starts again.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, residentMib, startServer, stopServer, TOKEN } from './bench-server.ts';
import { runArguments } from '../run-arguments.ts';

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const COUNT = Number(positionals[0] ?? '500');
const TOGETHER = 8;
const DEFINITION_BYTES = 31_000;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const agent = new Agent({ keepAlive: true, maxSockets: TOGETHER, rejectUnauthorized: false });

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
let server = await startServer(directory);
try {
  // Else what the first definition alone takes would be counted as that of many.
  await establish('warm');
  const before = { cpu: cpuSeconds(server), mib: residentMib(server) };
  const createdMs = await timed(async () => {
    const names = Array.from({ length: COUNT }, (_, index) => `bench${String(index)}`);
    const worker = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await create(name);
    };
    await Promise.all(Array.from({ length: TOGETHER }, worker));
    while (!(await everyOneIsShown())) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  const mib = residentMib(server) - before.mib;
  print('created and in discovery', `${createdMs.toFixed(0)} ms`);
  print('server CPU', `${(cpuSeconds(server) - before.cpu).toFixed(2)} s`);
  print('memory', `+${mib.toFixed(0)} MiB, ${((mib * 1_024) / COUNT).toFixed(0)} KiB each`);
  print('one more, established', `${(await timed(() => establish('more'))).toFixed(0)} ms`);
  print('and an object of it', `${(await timed(() => createObject('more'))).toFixed(0)} ms`);
  await describe('/openapi/v3');
  await describe('/openapi/v2');
  await stopServer(server);
  server = await startServer(directory);
  print('restart to ready', `${server.readyMs.toFixed(0)} ms, ${memory()}`);
  print('object of one of them', `${(await timed(() => createObject('bench0'))).toFixed(0)} ms`);
  print('all in discovery', `${(await timed(everyOneIsShown)).toFixed(0)} ms, ${memory()}`);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  print('5 s later', `${memory()}, CPU since the start ${cpuSeconds(server).toFixed(2)} s`);
} finally {
  agent.destroy();
  server.process.kill('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
}

function memory(): string {
  return `${residentMib(server).toFixed(0)} MiB`;
}

/** A schema as operators generate them: deep, described, of many strings. */
function definition(plural: string): string {
  const group = `${plural}.example.com`;
  const properties: Record<string, unknown> = {};
  const spec = { type: 'object', properties };
  const field = {
    type: 'object',
    description: 'One of the many things that can be said about this, described at some length.',
    properties: {
      name: { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
      replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1 },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  const fields = Math.floor(DEFINITION_BYTES / (JSON.stringify(field).length + 12));
  for (let index = 0; index < fields; index += 1) properties[`field${String(index)}`] = field;
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1);
  return JSON.stringify({
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  });
}

async function create(plural: string): Promise<void> {
  const { code, body } = await ask('POST', DEFINITIONS, definition(plural));
  if (code !== 201) throw new Error(body);
}

async function establish(plural: string): Promise<void> {
  await create(plural);
  const path = `${DEFINITIONS}/${plural}.${plural}.example.com`;
  while (!(await ask('GET', path)).body.includes('"type":"Established"'));
}

async function createObject(plural: string): Promise<void> {
  const path = `/apis/${plural}.example.com/v1/namespaces/default/${plural}`;
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1);
  const apiVersion = `${plural}.example.com/v1`;
  const object = { kind, apiVersion, metadata: { generateName: 'a-' }, spec: { field0: {} } };
  const { code, body } = await ask('POST', path, JSON.stringify(object));
  if (code !== 201) throw new Error(body);
}

async function everyOneIsShown(): Promise<boolean> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { body } = await ask('GET', '/apis', undefined, accept);
  return body.split('"responseKind":{"group":"bench').length > COUNT;
}

async function describe(path: string): Promise<void> {
  let length = 0;
  const ms = await timed(async () => {
    length = (await ask('GET', path)).body.length;
  });
  print(`GET ${path}`, `${ms.toFixed(0)} ms, ${String(length)} bytes, ${memory()} then`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - from) / 1e6;
}

function ask(
  method: string,
  path: string,
  body?: string,
  accept = 'application/json',
): Promise<{ readonly code: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      accept,
      'content-type': 'application/json',
    };
    const sent = request(`${server.url}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ code: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(28)}${value}\n`);
}
