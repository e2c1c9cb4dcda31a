/**
 * The law of reading: what an answer shows is a subset of what was authorized. Every form of path,
 * with and without a place in front, is asked with every selector; each object that is shown has to
 * be one that the same user may get by its own path.
 */
import { assert, asyncProperty, integer } from 'fast-check';
import { expect, it } from 'vitest';

import { created, newNamespace, pod } from '../api/objects.ts';
import { makeFork } from '../forks/fork-client.ts';
import { Chance } from '../robustness/chance.ts';
import { as } from '../security/real-and-broken.ts';
import { type AdminClient, adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, type JsonValue, at, listAt, parseJson, textAt } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { askerOf, type Asked, type Asker, type Heard } from './asker.ts';
import { bind, grant } from './grants.ts';

const CUSTOM = '/apis/seen.example.com/v1';
const OTHER_NAME = "fieldSelector metadata.name doesn't match requested name";
const DRY = 'dryRun=All';
const NAMES = ['mine', 'other'];

const server = serverForThisFile({
  args: [
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--disable-admission-plugins=ServiceAccount',
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=0',
    '--max-mutating-requests-inflight=0',
  ],
});

/** A user with some rights, and the resource at which they are tried. */
interface Reader {
  readonly user: ReturnType<typeof as>;
  /** `/api/v1` */
  readonly root: string;
  readonly plural: string;
  /** What may stand between root and resource. */
  readonly scopes: readonly string[];
  /** Behind the resource. */
  readonly behind: readonly string[];
  readonly fields: readonly string[];
}

interface World {
  readonly readers: readonly Reader[];
  /** Prefixes of paths: now, a fork, a moment, a moment of a fork. */
  readonly places: readonly string[];
}

const CARL = as('carl');
const JANE = as('jane');
const VERA = as('vera');
const NODE = as('system:node:one', 'system:nodes');

it('shows no object that its reader may not get by itself', async () => {
  const client = adminClient(server());
  const world = await makeWorld(client);
  client.close();
  const asker = await askerOf(server());
  const paths = world.readers.flatMap((reader) => pathsOf(world, reader));
  await assert(
    asyncProperty(integer(), async (seed) => {
      const chance = new Chance(seed);
      const asked = paths.map((path) => request(path, chance));

      const answers = await asker.askAll(asked);
      await expectLaw(asker, { paths, asked, answers });
    }),
    { numRuns: 1, endOnFailure: true },
  );
  asker.close();
});

interface Path {
  readonly reader: Reader;
  readonly path: string;
  readonly field: string;
}

interface Round {
  readonly paths: readonly Path[];
  readonly asked: readonly Asked[];
  readonly answers: readonly Heard[];
}

/** Every path of a reader with every field selector. */
function pathsOf({ places }: World, reader: Reader): Path[] {
  const { root, plural, scopes, behind, fields } = reader;
  return places.flatMap((place) =>
    ['', 'watch/'].flatMap((verb) =>
      scopes.flatMap((scope) =>
        behind.flatMap((rest) =>
          fields.map((field) => ({
            reader,
            path: `${place}${root}/${verb}${scope}${plural}${rest}`,
            field,
          })),
        ),
      ),
    ),
  );
}

const WATCH =
  'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
/** Shows all that ever was, and does not say when that is over. */
const HISTORY = 'watch=true&resourceVersion=1&timeoutSeconds=1';

/** The path says what is tried; chance says how it is asked, and whether watches of a moment stay there. */
function request({ reader, path: said, field }: Path, chance: Chance): Asked {
  const path = chance.oneOf([true, false]) ? said.replace(/\/at\/\d+/, '$&/still') : said;
  const label = chance.oneOf(['', '', 'labelSelector=app%3Dmine', 'labelSelector=app!%3Dmine']);
  const form = chance.weighed({ list: 4, watch: 4, history: 1, DELETE: 2, PATCH: 2 });
  const selectors = [field, label].filter((text) => text !== '');
  const isLegacy = path.includes('/watch/');
  const query = (...more: string[]): string => `${path}?${[...selectors, ...more].join('&')}`;
  if (form === 'history') return { method: 'GET', path: query(HISTORY), as: reader.user };
  if (form === 'watch' || isLegacy) return { method: 'GET', path: query(WATCH), as: reader.user };
  if (form === 'list') return { method: 'GET', path: query(), as: reader.user };
  return {
    method: form,
    path: query(DRY),
    as: reader.user,
    ...(form === 'PATCH' && { body: '{}' }),
  };
}

async function expectLaw(asker: Asker, { paths, asked, answers }: Round): Promise<void> {
  const shown = answers.map((answer) => objectsIn(answer));
  const own = new Map<string, Asked>();
  const needed = shown.map((objects, index) => {
    const reader = paths[index]?.reader;
    return reader === undefined ? [] : objects.map((object) => getOf(reader, object));
  });
  for (const get of needed.flat()) own.set(requestKeyOf(get), get);
  const gets = [...own.values()];
  const statuses = (await asker.askAll(gets)).map(({ status }) => status);
  const refused = new Set(gets.filter((_, index) => statuses[index] === 403).map(requestKeyOf));
  const broken = needed.flatMap((all, index) =>
    all
      .filter((get) => refused.has(requestKeyOf(get)))
      .map(({ path }) => [told(asked[index]), path]),
  );
  expect(broken).toEqual([]);
  expectNoLackOfAnswers({ paths, asked, answers }, shown);
}

/** Else the law would hold for a server that shows nothing. */
function expectNoLackOfAnswers({ paths, answers }: Round, shown: readonly unknown[][]): void {
  for (const user of [CARL, JANE, VERA, NODE]) {
    const of = paths.flatMap(({ reader }, index) => (reader.user === user ? [index] : []));
    expect(of.filter((index) => (shown[index] ?? []).length > 0).length).toBeGreaterThan(20);
    const refused = of.filter((index) => answers[index]?.text.includes(OTHER_NAME) === true);
    expect(refused.length).toBeGreaterThan(0);
  }
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
}

function told(asked: Asked | undefined): string {
  return `${asked?.method ?? ''} ${asked?.path ?? ''} as ${JSON.stringify(asked?.as)}`;
}

function requestKeyOf({ path, as: user }: Asked): string {
  return `${JSON.stringify(user)} ${path}`;
}

function getOf({ user, root, plural }: Reader, object: JsonValue): Asked {
  const namespace = textAt(object, 'metadata', 'namespace');
  const scope = namespace === '' ? '' : `namespaces/${namespace}/`;
  const name = textAt(object, 'metadata', 'name');
  return { method: 'GET', path: `${root}/${scope}${plural}/${name}`, as: user };
}

/** Of a list, of a watch line by line, or the one object that was answered. */
function objectsIn({ status, text }: Heard): JsonValue[] {
  if (status !== 200) return [];
  const values = text
    .split('\n')
    .filter((line) => line !== '')
    .map(parsed);
  return values.flatMap((value): JsonValue[] => {
    const object = at(value, 'object');
    if (object !== undefined) return textAt(value, 'type') === 'BOOKMARK' ? [] : [object];
    if (textAt(value, 'kind') === 'Status') return [];
    return at(value, 'items') === undefined ? [value] : listAt(value, 'items');
  });
}

/** The last line of a watch may be there in part. */
function parsed(line: string): JsonValue {
  try {
    return parseJson(line);
  } catch {
    return { kind: 'Status' };
  }
}

/** What every resource is asked, beside its own fields. */
const FIELDS = [
  '',
  ...['metadata.name=mine', 'metadata.name==other', 'metadata.name!=mine', 'metadata.name='],
  'metadata.name=mine,metadata.name=other',
  'metadata.name=other,metadata.namespace!=x',
].map((text) => (text === '' ? '' : `fieldSelector=${encodeURIComponent(text)}`));
const TWICE = 'fieldSelector=metadata.name%3Dmine&fieldSelector=metadata.name%3Dother';
const UNREADABLE = 'fieldSelector=metadata.name%3Dmine&limit=x';
const LEFT_OUT = 'fieldSelector=metadata.name;x=mine&fieldSelector=metadata.name%3Dother';

async function makeWorld(client: AdminClient): Promise<World> {
  const [own, foreign] = [await newNamespace(client, 'own'), await newNamespace(client, 'foreign')];
  await define(client);
  for (const namespace of [own, foreign]) await fill(client, namespace, namespace === own);
  for (const name of NAMES) await created(client, `${CUSTOM}/vaults`, custom('Vault', name));
  await giveRights(client, own);
  const list = await client.get('/api/v1/namespaces');
  const version = textAt(list.body, 'metadata', 'resourceVersion');
  await makeFork(client, 'seen');
  const places = ['', '/forks/seen', `/at/${version}`, `/forks/seen/at/${version}`];
  return { places, readers: readersOf(own, foreign) };
}

function readersOf(own: string, foreign: string): Reader[] {
  const scopes = ['', `namespaces/${own}/`, `namespaces/${foreign}/`, 'namespaces//'];
  const behind = ['', '/mine', '/other', '/mine/status'];
  const fields = [...FIELDS, TWICE, UNREADABLE, LEFT_OUT];
  const named = (name: string): string => `fieldSelector=metadata.name%3D${name}`;
  const secrets = { root: '/api/v1', plural: 'secrets', scopes, behind, fields };
  const onNode = ['fieldSelector=spec.nodeName%3Done', 'fieldSelector=spec.nodeName%3Dtwo'];
  return [
    { ...secrets, user: JANE },
    { ...secrets, user: JANE, root: CUSTOM, plural: 'widgets' },
    { ...secrets, user: CARL, root: CUSTOM, plural: 'vaults', scopes: scopes.slice(0, 2) },
    { ...secrets, user: NODE },
    { ...secrets, user: NODE, plural: 'pods', fields: [...FIELDS, ...onNode] },
    {
      ...{ user: VERA, root: '/api/v1', plural: 'namespaces' },
      scopes: ['', `namespaces/${own}/`],
      behind: ['', `/${own}`, `/${foreign}`, `/${own}/status`],
      fields: ['', named(own), named(foreign), `${named(foreign)}&limit=x`],
    },
  ];
}

async function define(client: AdminClient): Promise<void> {
  const version = { subresources: { status: {} } };
  const group = 'seen.example.com';
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const [kind, plural, scope] of [
    ['Widget', 'widgets', 'Namespaced'],
    ['Vault', 'vaults', 'Cluster'],
  ] as const) {
    await created(client, path, resourceDefinition({ group, plural, kind, scope, version }));
    await eventually(plural, async () => {
      return (await client.get(`${CUSTOM}/${plural}`)).status === 200 || undefined;
    });
  }
}

function custom(kind: string, name: string): JsonObject {
  const metadata = { name, labels: { app: name } };
  return { apiVersion: 'seen.example.com/v1', kind, metadata };
}

/** A pod runs on a node and needs the Secret of its name: that of the own namespace on node one. */
async function fill(client: AdminClient, namespace: string, isOwn: boolean): Promise<void> {
  const scope = `namespaces/${namespace}`;
  for (const name of NAMES) {
    const metadata = { name, labels: { app: name } };
    await created(client, `/api/v1/${scope}/secrets`, {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata,
    });
    await created(client, `${CUSTOM}/${scope}/widgets`, custom('Widget', name));
    const nodeName = isOwn && name === 'mine' ? 'one' : 'two';
    const volumes = [{ name: 'v', secret: { secretName: name } }];
    const onNode = { ...pod(name, { ...specOf(pod(name)), nodeName, volumes }), metadata };
    await created(client, `/api/v1/${scope}/pods`, onNode);
  }
}

function specOf(object: JsonObject): JsonObject {
  return object['spec'] as JsonObject; // Made above.
}

async function giveRights(client: AdminClient, own: string): Promise<void> {
  const rule = { verbs: ['*'], resourceNames: ['mine'] };
  const group = 'seen.example.com';
  const inOwn = [
    { ...rule, apiGroups: [''], resources: ['secrets', 'secrets/status'] },
    { ...rule, apiGroups: [group], resources: ['widgets', 'widgets/status'] },
  ];
  await grant(client, 'jane', inOwn, own);
  const role = { kind: 'ClusterRole', name: 'system:aggregate-to-view' };
  await bind(client, { user: 'vera', role, namespace: own });
  const vaults = { ...rule, apiGroups: [group], resources: ['vaults', 'vaults/status'] };
  await grant(client, 'carl', [vaults]);
}
