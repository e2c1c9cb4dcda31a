/** Requests of the history as HTTP, and what the answers mean. */
import { type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';
import type {
  Content,
  ListAnswer,
  ListedObject,
  ListRequest,
  Operation,
  Request,
} from './history.ts';
import type { ReplicaClient, Sending, Told } from './replica-client.ts';
import { KINDS, type ResourceName, seenObject, type SeenObject } from './seen-object.ts';

export type Answer = Pick<Operation, 'outcome' | 'status' | 'object' | 'list' | 'message'>;

/** The server gives a write up before the client does, so that most lost answers are its 504. */
const SERVER_TIMEOUT = 'timeout=2500ms';

export async function ask(
  client: ReplicaClient,
  id: string,
  request: Exclude<Request, ListRequest>,
): Promise<Answer> {
  const sending = sendingOf(request);
  const headers = { ...sending.headers, 'audit-id': id };
  return answerOf(request, await client.send({ ...sending, headers }));
}

/** All pages one after the other, each from whomever `next` gives. */
export async function askList(next: () => ReplicaClient, request: ListRequest): Promise<Answer> {
  const versions: number[] = [];
  const items: ListedObject[] = [];
  let token = '';
  do {
    const told = await next().send({ method: 'GET', path: listPath(request, token) });
    if (told.kind === 'none' || told.status !== 200) return failure(told);
    versions.push(Number(textAt(told.body, 'metadata', 'resourceVersion')));
    for (const item of listAt(told.body, 'items')) {
      const seen = seenObject(request.resource, item as JsonObject); // Items are objects.
      items.push([seen.path, seen.version, seen.digest]);
    }
    token = textAt(told.body, 'metadata', 'continue');
  } while (token !== '');
  const list: ListAnswer = { versions, items };
  return { outcome: 'ok', status: 200, list };
}

export function collectionPath(resource: ResourceName, namespace: string): string {
  return namespace === '' ? `/api/v1/${resource}` : `/api/v1/namespaces/${namespace}/${resource}`;
}

function listPath(request: ListRequest, token: string): string {
  const { resource, namespace, selector, moment, match, limit } = request;
  const query = new URLSearchParams();
  if (limit > 0) query.set('limit', String(limit));
  if (selector !== '') query.set('labelSelector', selector);
  if (token !== '') query.set('continue', token);
  else {
    if (moment !== '') query.set('resourceVersion', moment);
    if (match !== '') query.set('resourceVersionMatch', match);
  }
  return `${collectionPath(resource, namespace)}?${query.toString()}`;
}

type ObjectRequest = Exclude<Request, ListRequest>;

function sendingOf(request: ObjectRequest): Sending {
  const { resource, path } = request;
  const [namespace = '', name = ''] = path.split('/');
  const collection = collectionPath(resource, namespace);
  const one = `${collection}/${name}`;
  switch (request.kind) {
    case 'create': {
      const { prefix, content } = request;
      const naming = prefix === undefined ? { name } : { generateName: prefix };
      const place = `${prefix === undefined ? collection : collectionPath(resource, NAMELESS)}?${SERVER_TIMEOUT}`;
      return { method: 'POST', path: place, body: bodyOf(resource, content, naming) };
    }
    case 'update': {
      const meta = { name, ...versionIn(request.version), ...uidIn(request.uid) };
      const body = bodyOf(resource, request.content, meta);
      return { method: 'PUT', path: `${one}?${SERVER_TIMEOUT}`, body };
    }
    case 'patch':
      return { method: 'PATCH', path: `${one}?${SERVER_TIMEOUT}`, ...patchOf(request) };
    case 'delete': {
      const conditions = { ...versionIn(request.version), ...uidIn(request.uid) };
      const hasAny = Object.keys(conditions).length > 0;
      const body: JsonObject = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: conditions,
      };
      return { method: 'DELETE', path: `${one}?${SERVER_TIMEOUT}`, ...(hasAny ? { body } : {}) };
    }
    case 'get': {
      const query = request.moment === '' ? '' : `?resourceVersion=${request.moment}`;
      return { method: 'GET', path: one + query };
    }
  }
}

/** Where objects with generated names are made: their path is not known before. */
const NAMELESS = 'default';

function patchOf(request: Extract<Request, { kind: 'patch' }>): Pick<Sending, 'body' | 'headers'> {
  const { resource, form, content, version, test } = request;
  const { written } = KINDS[resource];
  const { data, labels, finalizers } = content;
  if (form === 'json') {
    const tests =
      test === undefined
        ? []
        : [{ op: 'test', path: `/data/${test.field}`, value: written(test.value) }];
    const sets = Object.entries(data).map(([key, text]) => {
      return { op: 'add', path: `/data/${key}`, value: written(text) };
    });
    return {
      body: [...tests, ...sets],
      headers: { 'content-type': 'application/json-patch+json' },
    };
  }
  const metadata = {
    ...versionIn(version),
    ...(labels === undefined ? {} : { labels: { ...labels } }),
    ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
  };
  const type = form === 'merge' ? 'merge-patch' : 'strategic-merge-patch';
  const body = { metadata, data: writtenData(resource, data) };
  return { body, headers: { 'content-type': `application/${type}+json` } };
}

function bodyOf(resource: ResourceName, content: Content, naming: JsonObject): JsonObject {
  const { data, labels, finalizers } = content;
  const metadata: JsonObject = { ...naming };
  if (labels !== undefined) metadata['labels'] = { ...labels };
  if (finalizers !== undefined) metadata['finalizers'] = [...finalizers];
  return {
    apiVersion: 'v1',
    kind: KINDS[resource].kind,
    metadata,
    data: writtenData(resource, data),
  };
}

function writtenData(resource: ResourceName, data: Content['data']): JsonObject {
  const { written } = KINDS[resource];
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, written(text)]));
}

function versionIn(version: number | undefined): JsonObject {
  return version === undefined ? {} : { resourceVersion: String(version) };
}

function uidIn(uid: string | undefined): JsonObject {
  return uid === undefined ? {} : { uid };
}

function answerOf(request: ObjectRequest, told: Told): Answer {
  if (told.kind === 'none' || told.status >= 300) return failure(told);
  const { status, body } = told;
  const object = shownIn(request.resource, body);
  return { outcome: 'ok', status, ...(object === undefined ? {} : { object }) };
}

/** A delete that is done at once is answered with a Status. */
function shownIn(resource: ResourceName, body: JsonValue): SeenObject | undefined {
  const isStatus = textAt(body, 'kind') === 'Status';
  return isStatus ? undefined : seenObject(resource, body as JsonObject); // The API has objects only.
}

/** 504 and what breaks off leave open whether it happened; a 500 should not be, and says nothing. */
function failure(told: Told): Answer {
  if (told.kind === 'none') {
    return { outcome: told.isSent ? 'unknown' : 'unsent', status: 0, message: told.why };
  }
  const { status, body } = told;
  const message = textAt(body, 'message') || JSON.stringify(body).slice(0, 200);
  return { outcome: status === 504 || status === 500 ? 'unknown' : 'refused', status, message };
}
