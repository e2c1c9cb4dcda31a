/**
 * The past on the wire: every form of an answer, watches over HTTP and WebSocket, pages, rights,
 * and that the moment of a version is the same after the server was killed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { configMap, created, mapsIn, newNamespace } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch, nameOf, versionOf } from '../support/http-watch.ts';
import { at, listAt, textAt, type JsonValue } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { WebSocketWatch } from '../support/websocket-watch.ts';
import { protobufWatch } from '../watch/protobuf-watch.ts';

const TOKEN = 'masters-token';
const folder = mkdtempSync(join(tmpdir(), 'everwatch-past-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, `${TOKEN},ann,u1,"system:masters"\nvisitor,bob,u2\n`, { mode: 0o600 });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const server = serverForThisFile({
  args: ['--token-auth-file', tokens, '--authorization-mode', 'AlwaysDeny'],
});
const NAMES = ['a', 'b', 'c', 'd', 'e'];

let client: AdminClient;
let maps = '';
/** The list of each version, as it was when that version was the newest. */
const lived = new Map<string, readonly JsonValue[]>();

const below = (moment: string, path = maps): string => `/at/${moment}${path}`;
const json = async (path: string): Promise<JsonValue> => {
  const { status, body } = await client.get(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

async function live(): Promise<void> {
  const list = await json(maps);
  lived.set(textAt(list, 'metadata', 'resourceVersion'), listAt(list, 'items'));
}

beforeAll(async () => {
  client = adminClient(server());
  maps = mapsIn(await newNamespace(client));
  await live();
  for (const name of NAMES) {
    await created(client, maps, configMap(name));
    await live();
  }
  await client.patch(`${maps}/b`, { data: { a: '2' } });
  await live();
  await client.delete(`${maps}/a`);
  await live();
});

const versions = (): string[] => [...lived.keys()];
const moment = (index: number): string => versions().at(index) ?? '';

it('each moment is as it was, also after a kill and a new start', async () => {
  const check = async (): Promise<void> => {
    for (const [version, items] of lived) {
      const list = await json(below(version));
      expect(at(list, 'items')).toEqual(items);
      expect(textAt(list, 'metadata', 'resourceVersion')).toBe(version);
      const exact = `${maps}?resourceVersion=${version}&resourceVersionMatch=Exact`;
      expect(at(await json(exact), 'items')).toEqual(items);
      for (const name of NAMES) {
        const object = listAt(list, 'items').find(
          (one) => textAt(one, 'metadata', 'name') === name,
        );
        const exactly = `resourceVersion=${version}&resourceVersionMatch=Exact`;
        for (const path of [below(version, `${maps}/${name}`), `${maps}/${name}?${exactly}`]) {
          const { status, body } = await client.get(path);
          expect([status, status === 404 ? undefined : body]).toEqual([
            object === undefined ? 404 : 200,
            object === undefined ? undefined : expect.objectContaining(object as object),
          ]);
        }
      }
    }
  };
  await check();
  await server().kill9();
  await server().restart();
  await check();
});

it('pages, of which the tokens are of the moment', async () => {
  const names: string[] = [];
  let token = '';
  do {
    const page = await json(`${below(moment(5))}?limit=2&continue=${encodeURIComponent(token)}`);
    expect(textAt(page, 'metadata', 'resourceVersion')).toBe(moment(5));
    names.push(...listAt(page, 'items').map((one) => textAt(one, 'metadata', 'name')));
    const next = at(page, 'metadata', 'continue');
    token = typeof next === 'string' ? next : '';
  } while (token !== '');
  expect(names).toEqual(NAMES);
});

it('protobuf, metadata alone, and YAML', async () => {
  const asked = async (accept: string) =>
    (await client.get(below(moment(5)), { accept })).headers['content-type'];
  expect(await asked('application/vnd.kubernetes.protobuf')).toBe(
    'application/vnd.kubernetes.protobuf',
  );
  expect(await asked('application/yaml')).toBe('application/yaml');
  const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
  const { body } = await client.get(below(moment(5)), { accept });
  expect(textAt(body, 'kind')).toBe('PartialObjectMetadataList');
  expect(listAt(body, 'items').map((one) => textAt(one, 'metadata', 'name'))).toEqual(NAMES);
});

/** What a watch from the moment of the fifth object on shows of what is over. */
const replay = (): string[] => [
  ...NAMES.map((name, index) => `ADDED ${name}@${moment(index + 1)}`),
  `BOOKMARK @${moment(5)}`,
  `MODIFIED b@${moment(6)}`,
  `DELETED a@${moment(7)}`,
];
const WITH_BOOKMARK = 'allowWatchBookmarks=true';

it('a watch over HTTP, as JSON and as protobuf, and one over WebSocket', async () => {
  const path = `${below(moment(5))}?${WITH_BOOKMARK}`;
  const http = await HttpWatch.open(client, path);
  const socket = await WebSocketWatch.open(server(), path, TOKEN);
  const protobuf = await protobufWatch(
    client,
    `${path}&watch=true&timeoutSeconds=3`,
    'application/vnd.kubernetes.protobuf;stream=watch',
  );
  const all = protobuf.all();
  for (const { received } of [http, socket]) {
    const shown = () => received.map((one) => `${one.type} ${nameOrNone(one)}@${versionOf(one)}`);
    await eventually(
      () => `the replay; ${shown().join(', ')}`,
      () => (received.length >= replay().length ? true : undefined),
    );
    expect(shown()).toEqual(replay());
  }
  const { body } = await client.post(maps, configMap('live'));
  const version = textAt(body, 'metadata', 'resourceVersion');
  for (const { received } of [http, socket]) {
    const last = await eventually('the live one', () => received[replay().length]);
    expect([last.type, nameOf(last), versionOf(last)]).toEqual(['ADDED', 'live', version]);
  }
  http.close();
  socket.close();
  const frames = (await all).map((one) => `${one.type} ${one.name}@${one.resourceVersion}`);
  expect(frames.slice(0, replay().length)).toEqual(replay());
});

it('a watch of a moment that stands still, in each form, shows the state and nothing that comes', async () => {
  const still = below(moment(5), `/still${maps}`);
  const legacy = below(moment(5), `/still${maps.replace('/v1/', '/v1/watch/')}`);
  const asked = `${WITH_BOOKMARK}&timeoutSeconds=2`;
  const state = replay().slice(0, NAMES.length);
  const end = `BOOKMARK @${moment(5)}`;
  const http = await HttpWatch.open(client, `${still}?${asked}`);
  const old = await HttpWatch.open(client, `${legacy}?${asked}`);
  const behind = await HttpWatch.open(client, `${still}?${asked}&resourceVersion=${moment(3)}`);
  const socket = await WebSocketWatch.open(server(), `${still}?${asked}`, TOKEN);
  const media = 'application/vnd.kubernetes.protobuf;stream=watch';
  const protobuf = await protobufWatch(client, `${still}?watch=true&${asked}`, media);
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const table = await client.open(`${still}?watch=true&${asked}`, { accept });
  const frames = protobuf.all();
  const rows = textOf(table);
  await created(client, maps, configMap('later'));
  await Promise.all([http.ended, old.ended, behind.ended]);
  const shownBy = ({ received }: { readonly received: HttpWatch['received'] }) =>
    received.map((one) => `${one.type} ${nameOrNone(one)}@${versionOf(one)}`);
  for (const watch of [http, old]) expect(shownBy(watch)).toEqual([...state, end, end]);
  expect(shownBy(behind)).toEqual([...state.slice(3), end]);
  await eventually('the end', () => (socket.received.length > NAMES.length + 1 ? true : undefined));
  expect(shownBy(socket)).toEqual([...state, end, end]);
  const framed = (await frames).map((one) => `${one.type} ${one.name}@${one.resourceVersion}`);
  expect(framed).toEqual([...state, end, end]);
  const told = await rows;
  expect(told.match(/"type":"(\w+)"/g)?.filter((one) => one.includes('ADDED'))).toHaveLength(5);
  expect(told).not.toContain('later');

  const late = await client.get(`${still}?watch=true&resourceVersion=${moment(6)}`);
  expect([late.status, textAt(late.body, 'reason')]).toEqual([410, 'Expired']);
  const { status } = await client.post(still, configMap('never'));
  expect(status).toBe(405);
});

it('discovery and OpenAPI below it lead back to it', async () => {
  const still = below(moment(5), '/still');
  const index = await json(`${still}/openapi/v3`);
  expect(JSON.stringify(index)).toContain(`${still}/openapi/v3/api/v1?hash=`);
  expect((await client.get(`${still}/apis`)).status).toBe(200);
  expect((await client.get(`${still}/version`)).status).toBe(200);
  expect((await client.get(`${still}/everwatch/v1/log`)).status).toBe(404);
});

async function textOf(chunks: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += String(chunk);
  return text;
}

function nameOrNone({ object }: { readonly object: JsonValue }): string {
  const name = at(object, 'metadata', 'name');
  return typeof name === 'string' ? name : '';
}

it('a user that may not read now may not read what was', async () => {
  const { ca } = readKubeconfig(server().kubeconfig);
  const statusFor = (token: string, path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      get(server().url + path, { ca, headers }, (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode);
      }).on('error', reject);
    });
  for (const path of [maps, below(moment(5)), below('yesterday'), below(moment(5), '/apis')]) {
    expect([path, await statusFor('visitor', path)]).toEqual([path, 403]);
  }
  expect(await statusFor(TOKEN, below(moment(5)))).toBe(200);
});
