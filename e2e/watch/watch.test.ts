/**
 * Watches over HTTP as clients see them: which events, in which order, with which versions, from
 * which start, in which form, and how they end.
 */
import { beforeAll, expect, it } from 'vitest';

import {
  configMap,
  created,
  deployment,
  expectFailure,
  expectObject,
  inParallel,
  mapsIn,
  nameOf,
  newNamespace,
  pod,
  versionNow,
  versionOf,
} from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { protobufWatch } from './protobuf-watch.ts';
import { shown, type WatchEvent, WatchStream } from './watch-stream.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

function eventAt(watch: WatchStream, index: number): WatchEvent {
  const event = watch.events.at(index);
  if (event === undefined) throw new Error(`no event ${String(index)} in ${watch.lines.join()}`);
  return event;
}

function watching(path: string, query = '', headers = {}): Promise<WatchStream> {
  return WatchStream.open(client, `${path}?watch=true&${query}`, headers);
}

it('shows every change once, in order, with the versions that the writers were told', async () => {
  const maps = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const watch = await watching(maps, `resourceVersion=${start}`);
  const a = await created(client, maps, configMap('a'));
  const b = await created(client, maps, configMap('b'));
  const patched = expectObject(await client.patch(`${maps}/a`, { data: { a: '2' } }));
  expectObject(await client.delete(`${maps}/b`));
  const after = await versionNow(client, maps);
  await watch.untilCount(4);
  watch.close();

  expect(watch.headers['content-type']).toBe('application/json');
  expect(watch.events.map(shown)).toEqual([
    `ADDED a@${versionOf(a)}`,
    `ADDED b@${versionOf(b)}`,
    `MODIFIED a@${versionOf(patched)}`,
    `DELETED b@${after}`,
  ]);
  expect(watch.events.map((event) => event.object)).toEqual([
    a,
    b,
    patched,
    { ...b, metadata: { ...(b['metadata'] as JsonObject), resourceVersion: after } },
  ]);
});

it('turns changes into ADDED and DELETED where objects come into a selection and leave it', async () => {
  const maps = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const selector = encodeURIComponent('show in (yes, maybe),!hidden');
  const watch = await watching(maps, `resourceVersion=${start}&labelSelector=${selector}`);
  const label = async (labels: JsonObject, data: JsonObject) =>
    versionOf(expectObject(await client.patch(`${maps}/a`, { metadata: { labels }, data })));
  await created(client, maps, configMap('a', {}, { labels: { show: 'no' } }));
  await created(client, maps, configMap('other'));
  const came = await label({ show: 'yes' }, { step: 'came' });
  const stayed = await label({ show: 'maybe' }, { step: 'stayed' });
  const left = await label({ hidden: 'true' }, { step: 'left' });
  await label({ show: 'still-out' }, { step: 'out' });
  const back = await label({ show: 'yes', hidden: null }, { step: 'back' });
  await client.delete(`${maps}/a`);
  const gone = await versionNow(client, maps);
  await watch.untilCount(5);
  watch.close();

  expect(watch.events.map(shown)).toEqual([
    `ADDED a@${came}`,
    `MODIFIED a@${stayed}`,
    `DELETED a@${left}`,
    `ADDED a@${back}`,
    `DELETED a@${gone}`,
  ]);
  // What left is shown as it was last seen by this watcher.
  const states = watch.events.map(({ object }) => textAt(object, 'data', 'step'));
  expect(states).toEqual(['came', 'stayed', 'stayed', 'back', 'back']);
});

it('does the same for field selectors, also of fields that a status has', async () => {
  const namespace = await newNamespace(client);
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  await created(client, pods, pod('a', { nodeName: 'node-1' }));
  await created(client, pods, pod('b', { nodeName: 'node-2' }));
  const start = await versionNow(client, pods);
  const fields = encodeURIComponent('spec.nodeName=node-1,status.phase!=Succeeded');
  const watch = await watching(pods, `resourceVersion=${start}&fieldSelector=${fields}`);
  const phase = async (name: string, value: string) => {
    const patch = { status: { phase: value } };
    return versionOf(expectObject(await client.patch(`${pods}/${name}/status`, patch)));
  };
  await phase('b', 'Running');
  const running = await phase('a', 'Running');
  const ended = await phase('a', 'Succeeded');
  await watch.untilCount(2);
  watch.close();

  expect(watch.events.map(shown)).toEqual([`MODIFIED a@${running}`, `DELETED a@${ended}`]);
});

it.each(['', 'resourceVersion=0', 'resourceVersion='])(
  'begins with the state where the start is "%s"',
  async (start) => {
    const maps = mapsIn(await newNamespace(client));
    const b = await created(client, maps, configMap('b'));
    const a = await created(client, maps, configMap('a'));
    const watch = await watching(maps, start);
    await watch.untilCount(2);
    const c = await created(client, maps, configMap('c'));
    await watch.untilCount(3);
    watch.close();

    expect(watch.events.map(shown)).toEqual([
      `ADDED a@${versionOf(a)}`,
      `ADDED b@${versionOf(b)}`,
      `ADDED c@${versionOf(c)}`,
    ]);
  },
);

it('begins behind any version that ever was, and shows nothing twice', async () => {
  const maps = mapsIn(await newNamespace(client));
  const versions: string[] = [];
  versions.push(versionOf(await created(client, maps, configMap('a'))));
  for (let step = 0; step < 8; step += 1) {
    const patch = { data: { step: String(step) } };
    versions.push(versionOf(expectObject(await client.patch(`${maps}/a`, patch))));
  }
  for (const [index, version] of versions.entries()) {
    const watch = await watching(maps, `resourceVersion=${version}&timeoutSeconds=1`);
    // Behind the last version there is nothing: that one is seen through to its end.
    if (index + 1 < versions.length) await watch.untilCount(versions.length - index - 1);
    else await watch.ended;
    watch.close();
    expect(watch.events.map(({ object }) => versionOf(object))).toEqual(versions.slice(index + 1));
  }
});

it('shows nothing older than a version of the future', async () => {
  const maps = mapsIn(await newNamespace(client));
  await created(client, maps, configMap('past'));
  const now = Number(await versionNow(client, maps));
  const watch = await watching(maps, `resourceVersion=${String(now + 2)}`);
  const versions: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    versions.push(versionOf(await created(client, maps, configMap(name))));
  }
  await watch.untilCount(2);
  watch.close();

  expect(versions.map(Number)).toEqual([now + 1, now + 2, now + 3, now + 4]);
  expect(watch.events.map(shown)).toEqual([
    `ADDED c@${versions[2] ?? ''}`,
    `ADDED d@${versions[3] ?? ''}`,
  ]);
});

it('replays from version 1 after thousands of events: never 410', async () => {
  const namespace = await newNamespace(client);
  const maps = mapsIn(namespace);
  const count = 1_500;
  await inParallel(count, (index) => created(client, maps, configMap(`m-${String(index)}`)));
  expectObject(await client.delete(maps));
  const middle = await versionNow(client, maps);
  await inParallel(count, (index) => created(client, maps, configMap(`m-${String(index)}`)));

  const whole = await watching(maps, 'resourceVersion=1');
  await whole.untilCount(3 * count);
  whole.close();
  const types = whole.events.map(({ type }) => type);
  expect(types.filter((type) => type === 'ADDED')).toHaveLength(2 * count);
  expect(types.filter((type) => type === 'DELETED')).toHaveLength(count);
  const versions = whole.events.map(({ object }) => Number(versionOf(object)));
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));

  const second = await watching(maps, `resourceVersion=${middle}`);
  await second.untilCount(count);
  second.close();
  expect(second.lines).toEqual(whole.lines.slice(2 * count));
});

it('ends cleanly when its time is up', async () => {
  const maps = mapsIn(await newNamespace(client));
  await created(client, maps, configMap('a'));
  const watch = await watching(maps, 'timeoutSeconds=1');
  expect(await watch.ended).toBe('complete');
  expect(watch.events.map(({ type }) => type)).toEqual(['ADDED']);
});

it('says before its end how far it has come, to clients that asked for bookmarks', async () => {
  const maps = mapsIn(await newNamespace(client));
  const elsewhere = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const watch = await watching(
    maps,
    `resourceVersion=${start}&allowWatchBookmarks=true&timeoutSeconds=3`,
  );
  const a = await created(client, maps, configMap('a'));
  // Nothing of this is shown, but the bookmark is behind it.
  const other = await created(client, elsewhere, configMap('other'));
  expect(await watch.ended).toBe('complete');

  expect(shown(eventAt(watch, 0))).toBe(`ADDED a@${versionOf(a)}`);
  const last = eventAt(watch, -1);
  expect(last.type).toBe('BOOKMARK');
  expect(last.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  expect(Number(versionOf(last.object))).toBeGreaterThanOrEqual(Number(versionOf(other)));
  expect(nameOf(last.object)).toBe('');

  // A client that goes on from the bookmark has missed nothing.
  const next = await watching(maps, `resourceVersion=${versionOf(last.object)}`);
  const b = await created(client, maps, configMap('b'));
  await next.untilCount(1);
  next.close();
  expect(next.events.map(shown)).toEqual([`ADDED b@${versionOf(b)}`]);
});

it('marks the end of the initial events where they were asked for', async () => {
  const maps = mapsIn(await newNamespace(client));
  const a = await created(client, maps, configMap('a'));
  const b = await created(client, maps, configMap('b'));
  const watch = await watching(
    maps,
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  );
  await watch.untilCount(3);
  const c = await created(client, maps, configMap('c'));
  await watch.untilCount(4);
  watch.close();

  const [first, second, end, change] = watch.events;
  const added = [first, second].map((event) => event && shown(event));
  expect(added).toEqual([`ADDED a@${versionOf(a)}`, `ADDED b@${versionOf(b)}`]);
  expect(end?.type).toBe('BOOKMARK');
  expect(at(end?.object, 'metadata', 'annotations')).toEqual({
    'k8s.io/initial-events-end': 'true',
  });
  const endVersion = Number(textAt(end?.object, 'metadata', 'resourceVersion'));
  expect(endVersion).toBeGreaterThanOrEqual(Number(versionOf(b)));
  expect(change && shown(change)).toBe(`ADDED c@${versionOf(c)}`);
});

it('takes sendInitialEvents=false for "only what comes from now on"', async () => {
  const maps = mapsIn(await newNamespace(client));
  await created(client, maps, configMap('a'));
  const query = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
  const watch = await watching(maps, query);
  const b = await created(client, maps, configMap('b'));
  await watch.untilCount(1);
  watch.close();
  expect(watch.events.map(shown)).toEqual([`ADDED b@${versionOf(b)}`]);
});

it('refuses options that contradict each other, and selectors that cannot be', async () => {
  const maps = mapsIn(await newNamespace(client));
  const unmatched = await client.get(`${maps}?watch=true&sendInitialEvents=true`);
  expectFailure(unmatched, {
    code: 422,
    reason: 'Invalid',
    message:
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  });
  const exact = 'watch=true&resourceVersion=1&resourceVersionMatch=Exact';
  expectFailure(await client.get(`${maps}?${exact}`), { code: 422, reason: 'Invalid' });
  expectFailure(await client.get(`${maps}?watch=true&labelSelector=a%3D%3D%3Db`), {
    code: 400,
    reason: 'BadRequest',
  });
  expectFailure(await client.get(`${maps}?watch=true&fieldSelector=data.a%3D1`), {
    code: 400,
    reason: 'BadRequest',
  });
  expectFailure(await client.get('/api/v1/nonesuch?watch=true'), {
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  });
});

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

it('gives Tables, with the columns in the first event only', async () => {
  const maps = mapsIn(await newNamespace(client));
  await created(client, maps, configMap('a'));
  const watch = await watching(maps, '', { accept: TABLE });
  await watch.untilCount(1);
  const b = await created(client, maps, configMap('b', { data: { x: '1', y: '2' } }));
  await client.delete(`${maps}/a`);
  await watch.untilCount(3);
  watch.close();

  const tables = watch.events.map(({ object }) => object);
  expect(tables.map((table) => table['kind'])).toEqual(['Table', 'Table', 'Table']);
  const columns = listAt(tables[0], 'columnDefinitions').map((column) => textAt(column, 'name'));
  expect(columns).toEqual(['Name', 'Data', 'Age']);
  for (const table of tables.slice(1)) expect(listAt(table, 'columnDefinitions')).toEqual([]);
  expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'DELETED']);
  expect(listAt(tables[1], 'rows', 0, 'cells').slice(0, 2)).toEqual(['b', 2]);
  expect(at(tables[1], 'rows', 0, 'object')).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: b['metadata'],
  });
});

it('gives Table rows with whole objects, or none, where they are asked for', async () => {
  const maps = mapsIn(await newNamespace(client));
  const a = await created(client, maps, configMap('a'));
  const whole = await watching(maps, 'includeObject=Object', { accept: TABLE });
  const bare = await watching(maps, 'includeObject=None', { accept: TABLE });
  await Promise.all([whole.untilCount(1), bare.untilCount(1)]);
  whole.close();
  bare.close();
  expect(at(eventAt(whole, 0).object, 'rows', 0, 'object')).toEqual(a);
  expect(at(eventAt(bare, 0).object, 'rows', 0, 'object') ?? null).toBeNull();
});

it('gives PartialObjectMetadata', async () => {
  const maps = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const query = `resourceVersion=${start}&allowWatchBookmarks=true&timeoutSeconds=2`;
  const watch = await watching(maps, query, { accept: PARTIAL });
  const a = await created(client, maps, configMap('a'));
  expect(await watch.ended).toBe('complete');
  expect(eventAt(watch, 0).object).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: a['metadata'],
  });
  const bookmark = eventAt(watch, -1);
  expect(bookmark.type).toBe('BOOKMARK');
  expect(bookmark.object).toMatchObject({ kind: 'PartialObjectMetadata' });
});

it.each([
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/vnd.kubernetes.protobuf',
])('gives protobuf in frames to clients that accept %s', async (accept) => {
  const maps = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const watch = await protobufWatch(
    client,
    `${maps}?watch=true&resourceVersion=${start}&allowWatchBookmarks=true&timeoutSeconds=2`,
    accept,
  );
  const a = await created(client, maps, configMap('a'));
  await client.delete(`${maps}/a`);
  const after = await versionNow(client, maps);
  const events = await watch.all();

  expect(watch.contentType).toBe('application/vnd.kubernetes.protobuf;stream=watch');
  const [added, deleted] = events;
  expect(added).toMatchObject({ type: 'ADDED', apiVersion: 'v1', kind: 'ConfigMap', name: 'a' });
  expect(added?.resourceVersion).toBe(versionOf(a));
  expect(deleted).toMatchObject({ type: 'DELETED', name: 'a', resourceVersion: after });
  expect(events.at(-1)).toMatchObject({ type: 'BOOKMARK', kind: 'ConfigMap' });
});

it('serves the deprecated paths with /watch/ in them', async () => {
  const namespace = await newNamespace(client);
  const maps = mapsIn(namespace);
  const start = await versionNow(client, maps);
  const query = `?resourceVersion=${start}`;
  const paths = [
    `/api/v1/watch/namespaces/${namespace}/configmaps${query}`,
    `/api/v1/watch/configmaps${query}`,
    `/api/v1/watch/namespaces/${namespace}/configmaps/a${query}`,
    `/apis/apps/v1/watch/namespaces/${namespace}/deployments${query}`,
    `/apis/apps/v1/watch/deployments${query}`,
  ];
  const watches = await Promise.all(paths.map((path) => WatchStream.open(client, path)));
  const a = await created(client, maps, configMap('a'));
  const b = await created(client, maps, configMap('b'));
  const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const d = await created(client, apps, deployment('d'));
  const counts = [2, 2, 1, 1, 1];
  await Promise.all(watches.map((watch, index) => watch.untilCount(counts[index] ?? 0)));
  for (const watch of watches) watch.close();

  const both = [`ADDED a@${versionOf(a)}`, `ADDED b@${versionOf(b)}`];
  const one = [`ADDED d@${versionOf(d)}`];
  expect(watches.map((watch) => watch.events.map(shown))).toEqual([
    both,
    both,
    both.slice(0, 1),
    one,
    one,
  ]);
});

it('watches one name, one namespace, all namespaces, and what has no namespace', async () => {
  const [here, there] = [await newNamespace(client), await newNamespace(client)];
  const start = await versionNow(client, mapsIn(here));
  const after = `resourceVersion=${start}`;
  const one = await watching(mapsIn(here), `${after}&fieldSelector=metadata.name%3Da`);
  const inHere = await watching(mapsIn(here), after);
  const everywhere = await watching('/api/v1/configmaps', after);
  const field = encodeURIComponent(`metadata.namespace=${there}`);
  const byField = await watching('/api/v1/configmaps', `${after}&fieldSelector=${field}`);
  const namespaces = await watching('/api/v1/namespaces', after);
  const names = (watch: WatchStream) =>
    watch.events.map(
      ({ object }) => `${textAt(object, 'metadata', 'namespace')}/${nameOf(object)}`,
    );

  await created(client, mapsIn(here), configMap('b'));
  await created(client, mapsIn(there), configMap('a'));
  await created(client, mapsIn(here), configMap('a'));
  const third = await newNamespace(client);
  await one.untilCount(1);
  await inHere.untilCount(2);
  await everywhere.untilCount(3);
  await byField.untilCount(1);
  await namespaces.untilCount(1);
  for (const watch of [one, inHere, everywhere, byField, namespaces]) watch.close();

  expect(names(one)).toEqual([`${here}/a`]);
  expect(names(inHere)).toEqual([`${here}/b`, `${here}/a`]);
  expect(names(everywhere)).toEqual([`${here}/b`, `${there}/a`, `${here}/a`]);
  expect(names(byField)).toEqual([`${there}/a`]);
  expect(names(namespaces)).toEqual([`/${third}`]);
});

it('shows the same to many watchers of different shapes', async () => {
  const maps = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const after = `resourceVersion=${start}`;
  const shapes: [query: string, accept: string][] = [
    [after, 'application/json'],
    [`${after}&labelSelector=kept`, 'application/json'],
    [after, PARTIAL],
    [after, TABLE],
    [`${after}&fieldSelector=metadata.name%21%3Dm-0`, 'application/json'],
  ];
  const watches = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const [query, accept] = shapes[index % shapes.length] ?? ['', ''];
      return watching(maps, query, { accept });
    }),
  );
  const count = 50;
  const versions: string[] = [];
  await inParallel(count, async (index) => {
    const labels = { labels: { kept: 'yes' } };
    await created(client, maps, configMap(`m-${String(index)}`, {}, labels));
  });
  const list = expectObject(await client.get(maps));
  for (const item of listAt(list, 'items'))
    versions.push(textAt(item, 'metadata', 'resourceVersion'));
  versions.sort((a, b) => Number(a) - Number(b));
  const zero = listAt(list, 'items').find((item) => textAt(item, 'metadata', 'name') === 'm-0');
  const withoutZero = versions.filter((one) => one !== textAt(zero, 'metadata', 'resourceVersion'));

  await Promise.all(
    watches.map((watch, index) => watch.untilCount(index % 5 === 4 ? count - 1 : count)),
  );
  for (const [index, watch] of watches.entries()) {
    watch.close();
    const versionIn = ({ object }: WatchEvent) =>
      object['kind'] === 'Table'
        ? textAt(object, 'rows', 0, 'object', 'metadata', 'resourceVersion')
        : versionOf(object);
    expect(watch.events.map(versionIn)).toEqual(index % 5 === 4 ? withoutZero : versions);
  }
});
