/** Random watches of {@link WalkedKind}s, and what they show without what no two servers have in common. */
import type { IncomingMessage } from 'node:http';

import type { Chance } from '../../robustness/chance.ts';
import type { AdminClient } from '../../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, parseJson, textAt } from '../../support/json.ts';
import { isOfBoth, shownValue } from './answers.ts';
import type { WalkedKind } from './walked-kinds.ts';

/** `@now` and `@then` in its query stand for the resourceVersion of its collection when it opens, and when the part of the history began. */
export interface RandomWatch {
  readonly collection: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

const LABELS = ['app=x', 'app!=x', 'app in (x,y)', 'app', '!app', 'app notin (x)'];
const ACCEPTS = [
  'application/json;stream=watch',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/yaml,application/json',
];

/** A row without an object does not say that it is of the server itself, which is in another namespace. */
const INCLUDED = [
  ['None', 'Object', 'Metadata'],
  ['Object', 'Metadata'],
] as const;

/** One that both servers should answer alike. */
export function watchOf(chance: Chance, kinds: readonly WalkedKind[]): RandomWatch {
  const kind = chance.oneOf(kinds);
  const scope = kind.isNamespaced && chance.happens(0.7) ? '/namespaces/default' : '';
  const collection = `${kind.prefix}${scope}/${kind.plural}`;
  const isNamed = chance.happens(0.1) && (scope !== '' || !kind.isNamespaced);
  const old = `${kind.prefix}/watch${scope}/${kind.plural}`;
  const path = isNamed ? `${collection}/a` : chance.happens(0.1) ? old : collection;
  const query: Record<string, string> = {
    ...(path === old ? {} : { watch: chance.oneOf(['true', '1']) }),
    ...beginning(chance),
    ...(chance.happens(0.4) ? { labelSelector: chance.oneOf(LABELS) } : {}),
    ...(chance.happens(0.3) ? { fieldSelector: chance.oneOf(kind.fieldSelectors) } : {}),
    ...(chance.happens(0.1) ? { pretty: 'true' } : {}),
    ...(chance.happens(0.1) ? { limit: '1' } : {}),
    ...(chance.happens(0.2) ? { includeObject: chance.oneOf(INCLUDED[scope === '' ? 1 : 0]) } : {}),
  };
  const headers = {
    ...(chance.happens(0.4) ? { accept: chance.oneOf(ACCEPTS) } : {}),
    ...(chance.happens(0.05) ? { 'impersonate-user': 'jane' } : {}),
  };
  return { collection, path, query, headers };
}

function beginning(chance: Chance): Record<string, string> {
  return chance.oneOf<Record<string, string>>([
    {},
    { resourceVersion: '' },
    { resourceVersion: '0' },
    { resourceVersion: '@now' },
    { resourceVersion: '@then' },
    { resourceVersion: '@then', allowWatchBookmarks: 'true' },
    { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' },
    {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      resourceVersion: chance.oneOf(['', '0', '@now', '@then']),
    },
    {
      sendInitialEvents: 'false',
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: chance.oneOf(['0', '@now', '@then']),
    },
  ]);
}

/** A watch that is under way, or the answer that it got in its place. */
export interface OpenWatch {
  /** What came so far, a text for each event behind one for the answer. */
  shown(): readonly string[];
  close(): void;
}

/**
 * @param then the resourceVersion that `@then` stands for.
 * @returns when the head of the answer has come.
 */
export async function openWatch(
  client: AdminClient,
  { collection, path, query, headers }: RandomWatch,
  then: string,
): Promise<OpenWatch> {
  // A cache that is behind would begin with another state: such a list waits until it is not.
  const now = await versionOf(client, collection);
  const text = new URLSearchParams(query).toString();
  const filled = text.replace('%40now', now).replace('%40then', then);
  return followed(await client.open(`${path}?${filled}`, headers));
}

/** The resourceVersion of a collection. */
export async function versionOf(client: AdminClient, collection: string): Promise<string> {
  return textAt((await client.get(`${collection}?limit=1`)).body, 'metadata', 'resourceVersion');
}

function followed(incoming: IncomingMessage): OpenWatch {
  let text = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => (text += chunk));
  incoming.on('error', () => undefined); // It is closed by us.
  const head = `${String(incoming.statusCode)} ${incoming.headers['content-type'] ?? ''}`;
  return {
    shown: () => [head, ...shownEvents(wholeValues(text))],
    close: () => incoming.destroy(),
  };
}

/** The JSON values in a text that goes on, one a line, or one over several where it is pretty. */
function wholeValues(text: string): JsonValue[] {
  const values: JsonValue[] = [];
  let gathered = '';
  for (const line of text.split('\n')) {
    gathered += line;
    const value = parsedOr(gathered);
    if (value === undefined) continue;
    values.push(value);
    gathered = '';
  }
  return values;
}

function parsedOr(text: string): JsonValue | undefined {
  try {
    return text === '' ? undefined : parseJson(text);
  } catch {
    return undefined; // Not all of it is there.
  }
}

/** Without what is of one server alone: see {@link isToldByBoth}. */
function shownEvents(events: readonly JsonValue[]): string[] {
  const told = inTurn(events.filter(isToldByBoth));
  // They stand in the first one, which may be of one server alone.
  const columns = events
    .map((event) => at(event, 'object', 'columnDefinitions'))
    .find(Array.isArray);
  const ofFirst = columns !== undefined && told.length > 0;
  const shown = told.map((event) => shownValue(withoutReplicas(withoutColumns(event))));
  return ofFirst ? [shownValue({ columnDefinitions: columns }), ...shown] : shown;
}

/** Bookmarks come when a server likes, but for the one that ends the initial events. */
function isToldByBoth(event: JsonValue): boolean {
  const object = objectOf(event);
  const { type } = event as JsonObject; // Events are objects.
  if (type === 'BOOKMARK') {
    return textAt(object, 'metadata', 'annotations', 'k8s.io/initial-events-end') === 'true';
  }
  return isOfBoth(object);
}

/**
 * Pods of a collection are deleted side by side, so it is chance how their events mix: a pod that goes at once is told of twice, and is
 * shown as gone right behind the first.
 */
function inTurn(events: readonly JsonValue[]): JsonValue[] {
  const left = [...events];
  const turns: JsonValue[] = [];
  for (let event = left.shift(); event !== undefined; event = left.shift()) {
    turns.push(event);
    const uid = goingOf(event);
    const gone = left.findIndex((one) => uid !== '' && uid === uidOf(objectOf(one)));
    if (gone > 0 && textAt(left[gone] ?? null, 'type') === 'DELETED') {
      turns.push(...left.splice(gone, 1));
    }
  }
  return turns;
}

/** The uid of an object that goes at once, and is still there; '' of any other. */
function goingOf(event: JsonValue): string {
  const metadata = at(objectOf(event), 'metadata') ?? null;
  const isGoing = at(metadata, 'deletionGracePeriodSeconds') === 0;
  const isHeld = at(metadata, 'finalizers') !== undefined;
  const isThere = textAt(event, 'type') === 'MODIFIED';
  return isGoing && !isHeld && isThere ? textAt(metadata, 'uid') : '';
}

function uidOf(object: JsonValue): string {
  return textAt(object, 'metadata', 'uid');
}

/** Of a table that of its only row. */
function objectOf(event: JsonValue): JsonValue {
  const object = at(event, 'object');
  const shown = textAt(object, 'kind') === 'Table' ? at(object, 'rows', 0, 'object') : object;
  return shown ?? null;
}

/** kube-apiserver says them again where it takes the first event from its cache of encoded ones. */
function withoutColumns(event: JsonValue): JsonValue {
  const { object, ...rest } = event as JsonObject; // Events are objects, and tables are.
  if (textAt(object ?? null, 'kind') !== 'Table') return event;
  return { ...rest, object: { ...(object as JsonObject), columnDefinitions: null } };
}

/** The object of a bookmark is empty, but Go converts it, and knows no number of replicas that is not given. */
function withoutReplicas(event: JsonValue): JsonValue {
  const { object, ...rest } = event as JsonObject; // Events are objects, and so are what they are about.
  if (textAt(event, 'type') !== 'BOOKMARK' || at(object, 'spec', 'replicas') !== 0) return event;
  const { replicas: _, ...spec } = at(object, 'spec') as JsonObject;
  return { ...rest, object: { ...(object as JsonObject), spec } };
}
