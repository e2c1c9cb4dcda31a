/**
 * Some thousand malformed requests against one server: paths, queries, headers, bodies and patches
 * of every media type, WebSocket frames. Whatever is sent, the client is told that it is at fault,
 * and the server stays the same process, with about the memory that it had.
 *
 * The decoders themselves meet millions of inputs in tools/fuzz; here they stand in their places.
 */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { expect, it } from 'vitest';

import { Bystander } from '../hostile/harm.ts';
import { conversation, CRLF, http2To, requestText, tlsTo, untilClosed } from '../hostile/wire.ts';
import { Chance } from '../robustness/chance.ts';
import { residentBytes } from '../support/memory.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const server = serverForThisFile();

const SEED = 1;
const REQUESTS = 1_200;
const AT_ONCE = 32;
/** Caches fill and the heap finds its size; a leak of 100 KiB for each request would be more. */
const GROWTH_MAX_BYTES = 150 * 1024 * 1024;

const MAPS = '/api/v1/namespaces/default/configmaps';
const MAP = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"fuzz"},"data":{"a":"b"}}';
const DEPLOYMENT =
  '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"fuzz"},"spec":{"replicas":0,' +
  '"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":' +
  '{"containers":[{"name":"c","image":"d"}]}}}}';
const DEFINITION =
  '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":' +
  '"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":' +
  '"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":' +
  '{"openAPIV3Schema":{"type":"object","x-kubernetes-validations":[{"rule":"size(self.a) > 1"}],' +
  '"properties":{"a":{"type":"string","pattern":"^a+$"}}}}}]}}';
const YAML = 'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: fuzz\ndata: {a: &a b, c: *a}\n';
const PROTOBUF = 'k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12\x12\n\b\n\x04fuzz\x12\x06\n\x01a\x12\x01b';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  readonly header?: readonly [name: string, value: string];
}

const DRY = '?dryRun=All&fieldValidation=Strict';
const PATCHED = `${MAPS}/patched${DRY}&fieldManager=fuzz`;
const SEEDS: readonly Sent[] = [
  { method: 'GET', path: `${MAPS}?labelSelector=a%20in%20(b)&fieldSelector=metadata.name%3Da` },
  { method: 'GET', path: '/api/v1/pods?limit=5&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ' },
  { method: 'GET', path: '/apis/apps/v1/namespaces/default/deployments/a/scale?resourceVersion=1' },
  { method: 'GET', path: '/at/5/api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact' },
  { method: 'GET', path: '/forks/none/api/v1/nodes' },
  { method: 'GET', path: '/openapi/v3/apis/apps/v1?hash=a' },
  { method: 'DELETE', path: `${MAPS}/none${DRY}`, body: '{"gracePeriodSeconds":0}' },
  { method: 'POST', path: MAPS + DRY, body: MAP, type: 'application/json' },
  { method: 'POST', path: MAPS + DRY, body: YAML, type: 'application/yaml' },
  { method: 'POST', path: MAPS + DRY, body: PROTOBUF, type: 'application/vnd.kubernetes.protobuf' },
  { method: 'POST', path: `/apis/apps/v1/namespaces/default/deployments${DRY}`, body: DEPLOYMENT },
  {
    method: 'POST',
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions${DRY}`,
    body: DEFINITION,
  },
  {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: '{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"verb":"get"}}}',
  },
  { method: 'PUT', path: `${MAPS}/patched${DRY}`, body: MAP.replace('fuzz', 'patched') },
  {
    method: 'PATCH',
    path: PATCHED,
    body: '[{"op":"add","path":"/data/x","value":"y"},{"op":"test","path":"/data/a","value":"b"}]',
    type: 'application/json-patch+json',
  },
  {
    method: 'PATCH',
    path: PATCHED,
    body: '{"data":{"a":null,"x":"y"}}',
    type: 'application/merge-patch+json',
  },
  {
    method: 'PATCH',
    path: PATCHED,
    body: '{"metadata":{"$patch":"merge","finalizers":["a.b/c"],"$setElementOrder/finalizers":["a.b/c"]}}',
    type: 'application/strategic-merge-patch+json',
  },
  {
    method: 'PATCH',
    path: `${PATCHED}&force=true`,
    body: YAML.replace('fuzz', 'patched'),
    type: 'application/apply-patch+yaml',
  },
  { method: 'GET', path: '/version', header: ['accept', 'application/json;as=Table;v=v1,*/*;q=0'] },
  { method: 'GET', path: MAPS, header: ['impersonate-user', 'jane'] },
  { method: 'GET', path: MAPS, header: ['authorization', 'Bearer eyJhbGciOiJub25lIn0.e30.AA'] },
  {
    method: 'GET',
    path: MAPS,
    header: ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7-01'],
  },
];

const WORDS = [
  '__proto__', 'constructor', '%00', '%ff', '%', '%2F', '..', '//', '\\', '"', '{', '[', 'null', '1e400', '-1', ',',
  '\u{1f600}', '99999999999999999999', '/watch', '/status', '&a ', '*a', '$patch', '\t', '\n', '\0', '\x80', ';', '=',
]; // prettier-ignore

/** A few changes anywhere in the text. */
function mutated(chance: Chance, text: string): string {
  let result = text;
  for (let left = chance.below(4); left > 0; left -= 1) {
    const at = chance.below(result.length + 1);
    const end = Math.min(result.length, at + chance.below(6));
    const part = chance.happens(0.3)
      ? result.slice(chance.below(at + 1), end)
      : chance.oneOf(WORDS);
    result = result.slice(0, at) + part + result.slice(chance.happens(0.5) ? at : end);
  }
  return result;
}

function malformed(chance: Chance): Sent {
  const { method, path, type, body, header } = chance.oneOf(SEEDS);
  const [start = '', query = ''] = path.split('?', 2);
  const isPathLeft = body !== undefined || chance.happens(0.3);
  const target = `${isPathLeft ? start : mutated(chance, start)}?${mutated(chance, query)}`;
  return {
    method,
    path: inVisibleAscii(target.startsWith('/') ? target : `/${target}`),
    ...(type === undefined ? {} : { type: chance.happens(0.1) ? mutated(chance, type) : type }),
    ...(body === undefined ? {} : { body: mutated(chance, body) }),
    ...(header === undefined ? {} : { header: [header[0], mutated(chance, header[1])] as const }),
  };
}

/** What Node's client refuses to send is sent on a socket, below. */
function inVisibleAscii(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '%20');
}

/** The code and the message of the answer; undefined when the connection, not the house, refused. */
async function ask(session: ClientHttp2Session, sent: Sent): Promise<readonly [number, string]> {
  const { method, path, type, body, header } = sent;
  const stream: ClientHttp2Stream = session.request({
    ':method': method,
    ':path': path,
    ...(type === undefined ? {} : { 'content-type': inVisibleAscii(type) }),
    ...(header === undefined ? {} : { [header[0]]: inVisibleAscii(header[1]) }),
  });
  let code = 0;
  stream.on('response', (headers) => {
    code = Number(headers[':status']);
  });
  stream.on('error', () => undefined);
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A change of the query may have made a watch of it, which would never end.
  if (/[?&]watch/.test(path)) {
    stream.once('response', () => {
      stream.close();
    });
  }
  const closed = untilClosed(stream);
  stream.end(body === undefined ? undefined : Buffer.from(body, 'latin1'));
  await closed;
  return [code, Buffer.concat(chunks).toString()];
}

/** Upstream has no better answer to some patches, to paths that end behind `watch`, and to reads from no version. */
function isDocumented(code: number, { method, path }: Sent, text: string): boolean {
  if (code === 503 || code === 504) return true;
  if (text.includes('"resourceVersion: Invalid value: ')) return method === 'GET';
  return code === 500 && (method === 'PATCH' || /\/(?:watch|proxy)\/?(?:\?|$)/.test(path));
}

async function sendAll(session: ClientHttp2Session, chance: Chance): Promise<Map<number, number>> {
  const codes = new Map<number, number>();
  let left = REQUESTS;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const sent = malformed(chance);
      const [code, text] = await ask(session, sent);
      if (code >= 500 && !isDocumented(code, sent, text)) {
        expect.fail(`${String(code)} to ${JSON.stringify(sent)}: ${text}`);
      }
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return codes;
}

it('malformed requests are the client’s fault, and cost no memory that stays', async () => {
  const bystander = new Bystander(server());
  await bystander.client.send('POST', MAPS, { body: MAP.replace('fuzz', 'patched') });
  const session = await http2To(server());
  const chance = new Chance(SEED, 'http');

  const codes = await sendAll(session, chance);
  const before = residentBytes(server().pid);
  await sendAll(session, chance);
  const growth = residentBytes(server().pid) - before;
  session.close();

  await bystander.isUnharmed();
  expect(growth).toBeLessThan(GROWTH_MAX_BYTES);
  // Changes that change nothing are among them, or nothing but the first look would be tried.
  for (const code of [200, 201, 400, 404])
    expect(codes.get(code), String(code)).toBeGreaterThan(10);
});

it('bytes that are hardly HTTP end a connection at most', async () => {
  const chance = new Chance(SEED, 'text');
  const bystander = new Bystander(server());
  for (let count = 0; count < 120; count += 1) {
    const { method, path, body = '' } = chance.oneOf(SEEDS);
    const length = `Content-Length: ${String(body.length)}`;
    const text = mutated(chance, requestText(`${method} ${path}`, [length], body));
    // A client that has said all that it will say ends its half, so the server waits for no body.
    const told = await conversation(server(), `${text}${CRLF}${CRLF}GET / HTTP/1.0${CRLF}${CRLF}`);
    expect(told).not.toMatch(/^HTTP\/1\.1 50[0-2]/m);
  }
  await bystander.isUnharmed();
});

it('frames that are no WebSocket frames end their watch', async () => {
  const chance = new Chance(SEED, 'frames');
  const bystander = new Bystander(server());
  const head = [
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  const upgrade = `GET ${MAPS}?watch=1 HTTP/1.1${CRLF}Host: a${CRLF}${head.join(CRLF)}${CRLF}${CRLF}`;
  for (let count = 0; count < 60; count += 1) {
    const socket = await tlsTo(server(), 'http/1.1');
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write(upgrade);
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 101 /);
    const closed = untilClosed(socket);
    socket.resume();
    const bytes = Array.from({ length: 2 + chance.below(40) }, () => chance.below(256));
    // An unmasked close frame, whatever stood before it: the server has to end the conversation.
    socket.end(Buffer.from([...bytes, 0x88, 0x00]));
    await closed;
  }
  await bystander.untilNoWatches();
  await bystander.isUnharmed();
});
