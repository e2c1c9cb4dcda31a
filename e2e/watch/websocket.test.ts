/**
 * Watches over WebSocket on the wire: frames, subprotocols, tokens, refusals and the close.
 *
 * The server allows nothing to any user but those of the group system:masters, so that a known user
 * without rights can be refused, too.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import {
  configMap,
  created,
  expectObject,
  mapsIn,
  newNamespace,
  versionNow,
  versionOf,
} from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { type JsonObject, parseJson, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { bearerProtocol } from '../support/websocket-watch.ts';
import { eventIn } from './protobuf-watch.ts';
import { RawWebSocket, RefusedUpgrade } from './raw-websocket.ts';

const TOKEN = 'masters-token';
const VISITOR = 'visitor-token';
const OTHER = 'v1.other.protocol';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-tokens-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, `${TOKEN},ann,u1,"system:masters"\n${VISITOR},bob,u2\n`, { mode: 0o600 });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const server = serverForThisFile({
  args: ['--token-auth-file', tokens, '--authorization-mode', 'AlwaysDeny'],
});
let client: AdminClient;
let maps: string;
beforeAll(async () => {
  client = adminClient(server());
  maps = mapsIn(await newNamespace(client));
});

function opened(path: string, protocols: string[], headers = {}): Promise<RawWebSocket> {
  return RawWebSocket.open(server(), path, { protocols, headers });
}

async function refusal(path: string, protocols: string[], headers = {}): Promise<RefusedUpgrade> {
  try {
    await opened(path, protocols, headers);
  } catch (error) {
    if (error instanceof RefusedUpgrade) return error;
    throw error;
  }
  throw new Error(`${path} was not refused`);
}

const MASTERS = [bearerProtocol(TOKEN), OTHER];

it('sends each event as one text frame of JSON, and closes with 1000 when its time is up', async () => {
  const start = await versionNow(client, maps);
  const socket = await opened(
    `${maps}?watch=true&resourceVersion=${start}&allowWatchBookmarks=true&timeoutSeconds=2`,
    MASTERS,
  );
  expect(socket.protocol).toBe(OTHER);
  const a = await created(client, maps, configMap('text'));
  expectObject(await client.delete(`${maps}/text`));
  expect(await socket.closed).toBe(1000);

  expect(socket.messages.every(({ isBinary }) => !isBinary)).toBe(true);
  const events = socket.messages.map(({ data }) => parseJson(data.toString()) as JsonObject);
  const types = events.map((event) => event['type']);
  expect(types).toEqual(['ADDED', 'DELETED', 'BOOKMARK']);
  expect(events[0]).toEqual({ type: 'ADDED', object: a });
});

it('sends protobuf as binary frames', async () => {
  const start = await versionNow(client, maps);
  const socket = await opened(`${maps}?watch=true&resourceVersion=${start}`, MASTERS, {
    accept: 'application/vnd.kubernetes.protobuf;stream=watch',
  });
  const a = await created(client, maps, configMap('binary'));
  await socket.untilCount(1);
  socket.close();
  const [first] = socket.messages;
  expect(first?.isBinary).toBe(true);
  expect(eventIn(first?.data ?? Buffer.alloc(0))).toEqual({
    type: 'ADDED',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'binary',
    resourceVersion: versionOf(a),
  });
});

it('takes the token from the Authorization header as well, and then needs no subprotocol', async () => {
  const path = `${maps}?watch=true&timeoutSeconds=1`;
  const socket = await opened(path, [], { authorization: `Bearer ${TOKEN}` });
  expect(socket.protocol).toBe('');
  expect(await socket.closed).toBe(1000);
});

it('never chooses the subprotocol that carries the token', async () => {
  const path = `${maps}?watch=true&timeoutSeconds=1`;
  const socket = await opened(path, [OTHER, 'another', bearerProtocol(TOKEN)]);
  expect(socket.protocol).toBe(OTHER);
  socket.close();
});

it('answers a ping, passes over what clients send, and goes on', async () => {
  const start = await versionNow(client, maps);
  const socket = await opened(`${maps}?watch=true&resourceVersion=${start}`, MASTERS);
  socket.send('nothing that matters');
  await socket.ping();
  const a = await created(client, maps, configMap('after-ping'));
  await socket.untilCount(1);
  socket.close();
  const event = parseJson(socket.messages[0]?.data.toString() ?? '');
  expect(textAt(event, 'object', 'metadata', 'resourceVersion')).toBe(versionOf(a));
});

it('shows large events whole', async () => {
  const start = await versionNow(client, maps);
  const socket = await opened(`${maps}?watch=true&resourceVersion=${start}`, MASTERS);
  // One for each of the three forms in which a frame can say its length.
  const sizes = [1, 30_000, 900_000];
  for (const size of sizes) {
    await created(
      client,
      maps,
      configMap(`large-${String(size)}`, { data: { x: 'x'.repeat(size) } }),
    );
  }
  await socket.untilCount(sizes.length);
  socket.close();
  const seen = socket.messages.map(
    ({ data }) => textAt(parseJson(data.toString()), 'object', 'data', 'x').length,
  );
  expect(seen).toEqual(sizes);
});

it('refuses before the handshake, with an ordinary answer', async () => {
  const watch = `${maps}?watch=true`;
  const cases: [what: string, code: number, refused: RefusedUpgrade][] = [
    ['an unknown token', 401, await refusal(watch, [bearerProtocol('who'), OTHER])],
    ['a token alone', 401, await refusal(watch, [bearerProtocol(TOKEN)])],
    ['two tokens', 401, await refusal(watch, [...MASTERS, bearerProtocol(VISITOR)])],
    ['a known user', 403, await refusal(watch, [bearerProtocol(VISITOR), OTHER])],
    ['nobody', 403, await refusal(watch, [])],
    ['an unknown resource', 404, await refusal('/api/v1/nonesuch?watch=true', MASTERS)],
    ['a bad selector', 400, await refusal(`${watch}&labelSelector=%3D%3D`, MASTERS)],
  ];
  for (const [what, code, { status, headers, body }] of cases) {
    expect(status, what).toBe(code);
    expect(body, what).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(headers['audit-id'], what).toBeDefined();
  }
  const messages = cases.map(([, , { body }]) => textAt(body, 'message'));
  expect(messages[3]).toBe(
    `configmaps is forbidden: User "bob" cannot watch resource "configmaps" in API group "" in ` +
      `the namespace "${maps.split('/')[4] ?? ''}": Everything is forbidden.`,
  );
  expect(messages[4]).toContain('User "system:anonymous" cannot watch');
});
