/** Tells a step to a server, and shows its answer without what no two servers have in common. */
import { parse } from 'yaml';

import type { AdminClient, ApiAnswer } from '../../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, textAt } from '../../support/json.ts';
import type { Step } from './steps.ts';

export async function told(client: AdminClient, step: Step): Promise<ApiAnswer> {
  const query = new URLSearchParams(step.query).toString();
  const whole = `${query === '' ? step.path : `${step.path}?${query}`}\n${step.body ?? ''}`;
  const filled = /(?:@|%40)(?:rv|uid|list|continue)/.test(whole)
    ? await withPlaces(client, step, whole)
    : whole;
  const [path = '', ...lines] = filled.split('\n');
  const body = step.body === undefined ? {} : { body: lines.join('\n') };
  // One that ends the connection has answered so.
  return client
    .send(step.method, path, { headers: step.headers, ...body })
    .catch((error: unknown): ApiAnswer => ({ status: 0, headers: {}, body: String(error) }));
}

/** A place of an object that is not there is that of the collection. */
async function withPlaces(client: AdminClient, step: Step, text: string): Promise<string> {
  const [object, list] = await Promise.all([
    client.get(step.object),
    client.get(`${step.path === step.object ? step.collection : step.path}?limit=1`),
  ]);
  const version = textAt(list.body, 'metadata', 'resourceVersion');
  return text
    .replaceAll(/(?:@|%40)rv/g, textAt(object.body, 'metadata', 'resourceVersion') || version)
    .replaceAll(/(?:@|%40)uid/g, textAt(object.body, 'metadata', 'uid') || 'no-uid')
    .replaceAll(/(?:@|%40)list/g, version)
    .replaceAll(/(?:@|%40)continue/g, textAt(list.body, 'metadata', 'continue'));
}

const COMPARED_HEADERS = ['content-type', 'warning', 'location', 'accept-patch', 'retry-after'];

/** Status, headers that clients look at, and the body, as one text for each. */
export function shown({ status, headers, body }: ApiAnswer): string {
  const seen = COMPARED_HEADERS.map((name) => [name, headers[name]] as const).filter(
    ([, value]) => value !== undefined,
  );
  const text = shownValue(readable(body, headers['content-type'] ?? ''));
  return `${String(status)} ${JSON.stringify(seen)} ${text}`;
}

/** An object, a Status or an event of a watch as one text. */
export function shownValue(value: JsonValue): string {
  return anonymous(JSON.stringify(stripped(value)));
}

function readable(body: JsonValue, type: string): JsonValue {
  if (/protobuf|cbor/.test(type)) return 'bytes';
  const isYaml = typeof body === 'string' && type === 'application/yaml';
  return isYaml ? (parse(body) as JsonValue) : body; // As JsonValue: what is served has no other.
}

const OWN_FIELDS = new Set([
  'uid',
  'token',
  'expirationTimestamp',
  'creationTimestamp',
  'resourceVersion',
  'deletionTimestamp',
  'time',
  'continue',
  'lastTransitionTime',
  'lastHeartbeatTime',
  'startTime',
  'observedTime',
]);

/** Fields of a time or of a server say only that they are there. */
function stripped(value: JsonValue, key = ''): JsonValue {
  // The sentences about columns are kube-apiserver's own.
  if (key === 'columnDefinitions' && Array.isArray(value)) {
    return value.map((one) => stripped({ ...(one as JsonObject), description: '' })); // They are objects.
  }
  if (Array.isArray(value)) {
    const both = value.filter(isOfBoth).map((one) => stripped(one));
    // Entries of managers stand by their times, in seconds.
    const isSorted = key === 'managedFields' || both.some(isNamedByChance);
    const text = (one: JsonValue): string => anonymous(JSON.stringify(one));
    return isSorted ? both.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)) : both;
  }
  if (typeof value !== 'object' || value === null)
    return OWN_FIELDS.has(key) && value !== null && value !== '' ? key : value;
  if (Array.isArray(value['causes']))
    return stripped({ ...value, causes: distinct(value['causes']) });
  const entries = Object.entries(value).map(
    ([name, inner]) => [name, inner === undefined ? inner : stripped(inner, name)] as const,
  );
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isNamedByChance(item: JsonValue): boolean {
  const one = objectOf(item);
  const isUnnamed = textAt(one, 'metadata', 'name').length === UID_LENGTH; // As limit ranges are.
  return isUnnamed || textAt(one, 'metadata', 'generateName') !== '';
}

/** Of a row of a table, or of a list. */
function objectOf(item: JsonValue): JsonValue {
  return at(item, 'cells') === undefined ? item : (at(item, 'object') ?? item);
}

const UID_LENGTH = 36;

/** kube-apiserver looks at metadata up to four times in an update, and names what it finds as often. */
function distinct(causes: readonly JsonValue[]): JsonValue {
  const texts = [...new Set(causes.map((cause) => JSON.stringify(cause)))];
  // Conflicts come in the order of a map of managers.
  const areConflicts = texts.some((text) => text.includes('"FieldManagerConflict"'));
  return { distinct: areConflicts ? texts.toSorted() : texts };
}

/** The API group of this server alone, and what each server writes for itself. */
export function isOfBoth(one: JsonValue): boolean {
  const item = objectOf(one);
  const namespace = textAt(item, 'metadata', 'namespace');
  const about = textAt(item, 'involvedObject', 'kind') || textAt(item, 'regarding', 'kind');
  const isItsService = textAt(item, 'metadata', 'name') === 'kubernetes';
  const isOfServer =
    namespace.startsWith('kube-') || isItsService || (about !== '' && about !== 'Pod');
  return textAt(item, 'name') !== 'dev.everwatch' && !isOfServer;
}

function anonymous(text: string): string {
  return (
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
      // Of two units where it is young, and where it is a year old.
      .replaceAll(/"(?:\d+[smhdy]){1,2}"/g, '"AGE"')
      .replaceAll(/(resourceVersion[\\":]+)\d+/g, '$1RV')
      .replaceAll(/(in the precondition|in record) \(\d+\)/g, '$1 (RV)')
      .replaceAll(/(resource ?version(?: in precondition| in object meta)?: )\d+/gi, '$1RV')
      // An empty list and an empty map are nothing here, which shows where kube-apiserver prints what it read.
      .replaceAll(/Invalid value: \{\}: `selector`/g, 'Invalid value: null: `selector`')
      .replaceAll(/(previously negative\)).*?(\\*",\\*"(?:field|reason|metadata))/gs, '$1$2')
      // In the order of a map in Go.
      .replaceAll(/RBAC: \[[^\]]*\]/g, (list) =>
        list
          .split(/[[\],] ?/)
          .toSorted()
          .join(' '),
      )
      .replaceAll(/"serverAddress":"[^"]*"/g, '"serverAddress":"SERVER"')
      .replaceAll(/"manager":"kube-apiserver[^"]*"/g, '"manager":"SERVER"')
      // Where etcd keeps an object is nothing that this server could say.
      .replaceAll(
        /StorageError: invalid object, Code: 4, Key: [^,]*, ResourceVersion: RV, AdditionalErrorMsg: /g,
        '',
      )
      .replaceAll(/\bg-[a-z0-9]{5}\b/g, 'g-NAME')
      // Go looks at the fields in any order, and stops at the first that is not known.
      .replaceAll(
        /(failed to create typed patch object \([^)]*\): ).*field not declared in schema/g,
        '$1field not declared in schema',
      )
      // It walks a map for all that does not fit its type.
      .replaceAll(
        /(failed to create typed patch object [^"]*: errors:)(.*?)(?=",")/g,
        (_, what: string, list: string) => what + list.split('\\n').toSorted().join('\\n'),
      )
      // Go names a register by the file that made it, which it takes from where the sources lie: here
      // they are modules, in a release they are not.
      .replaceAll(/(in scheme \\+")[^"\\]*/g, '$1SCHEME')
      .replaceAll(/(Too large resource version: \d+, current: )\d+/g, '$1RV')
  );
}
