/**
 * A judged event as a line of JSON, as tools print it and servers send it; described in
 * docs/event-format.md.
 *
 * The object stands last and is byte for byte what the log has, so a reader of the line has the
 * same bytes to compare and to hash.
 */
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import {
  isJsonObject,
  listAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';
import {
  isChange,
  nameOf,
  namespaceOf,
  pathOf,
  type LoggedEvent,
  type RecordType,
  type Requirement,
} from '../../streams/event.ts';
import {
  placesBack,
  resourceVersion,
  type ResourceVersion,
} from '../../streams/resource-version.ts';
import type { Verdict } from '../fold/arbiter.ts';
import type { JudgedEvent } from './log-source.ts';

/** The line is not one of these. */
export class JudgedLineError extends Error {
  override readonly name = 'JudgedLineError';
}

const LINE_BREAK = 0x0a;
// Inside of texts the quotes are escaped, so nothing before it can hold these bytes.
const OBJECT_KEY = Buffer.from(',"object":');
const VERDICTS: readonly Verdict[] = ['effective', 'duplicate', 'overtaken', 'marker'];
const TYPES: readonly RecordType[] = ['added', 'modified', 'deleted', 'marker'];

/** With the line break at its end. */
export function formatJudgedLine({ event, verdict }: JudgedEvent): Buffer {
  const head = formatJson(headOf(event, verdict));
  if (!isChange(event)) return Buffer.from(`${head}\n`);
  return Buffer.concat([
    Buffer.from(`${head.slice(0, -1)},"object":`),
    inOneLine(event.json),
    Buffer.from('}\n'),
  ]);
}

function headOf(event: LoggedEvent, verdict: Verdict): JsonObject {
  const { resourceVersion: version, type, writer, sequence } = event;
  const time = new Date(event.time).toISOString();
  if (!isChange(event)) return { resourceVersion: version, verdict, type, time, writer, sequence };
  return {
    resourceVersion: version,
    verdict,
    type,
    time,
    resource: event.resource,
    namespace: namespaceOf(event.path),
    name: nameOf(event.path),
    uid: event.uid,
    user: event.user,
    verb: event.verb,
    fieldManager: event.fieldManager,
    auditID: event.auditID,
    writer,
    sequence,
    previousResourceVersion: event.previousResourceVersion,
    requires: event.requires.map((one) => [one.resource, one.path, one.resourceVersion]),
  };
}

/** Another writer may have put white space into an object; this server puts none. */
function inOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(LINE_BREAK)) return json;
  return Buffer.from(formatJson(parseJson(Buffer.from(json).toString())));
}

/** @param line without its line break. @throws {JudgedLineError} */
export function parseJudgedLine(line: Buffer): JudgedEvent {
  const objectAt = line.indexOf(OBJECT_KEY);
  const headText = objectAt < 0 ? line.toString() : `${line.toString('utf8', 0, objectAt)}}`;
  const json = objectAt < 0 ? undefined : line.subarray(objectAt + OBJECT_KEY.length, -1);
  return judgedOf(parsed(headText), json);
}

/** Of a line that was parsed already; the bytes of its object are written anew. @throws {JudgedLineError} */
export function judgedObject(line: JsonObject): JudgedEvent {
  const { object, ...head } = line;
  return judgedOf(head, object === undefined ? undefined : Buffer.from(formatJson(object)));
}

function judgedOf(head: JsonObject, json: Buffer | undefined): JudgedEvent {
  const verdict = oneOf(VERDICTS, head['verdict']);
  const type = oneOf(TYPES, head['type']);
  if ((json !== undefined) === (type === 'marker'))
    throw new JudgedLineError('a change has an object, a marker none');
  const event: LoggedEvent = {
    writer: stringAt(head, 'writer'),
    sequence: wholeNumberAt(head, 'sequence'),
    type,
    resource: stringAt(head, 'resource'),
    path: json === undefined ? '' : pathOf(stringAt(head, 'namespace'), stringAt(head, 'name')),
    previousResourceVersion: versionIn(head['previousResourceVersion'] ?? 0),
    requires: listAt(head, 'requires').map(requirementOf),
    json: json ?? Buffer.alloc(0),
    time: timeAt(head),
    uid: stringAt(head, 'uid'),
    user: stringAt(head, 'user'),
    verb: stringAt(head, 'verb'),
    auditID: stringAt(head, 'auditID'),
    fieldManager: stringAt(head, 'fieldManager'),
    resourceVersion: versionIn(head['resourceVersion']),
  };
  return { event, verdict };
}

function parsed(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new JudgedLineError('the line is not JSON', { cause: error });
  }
  if (isJsonObject(value)) return value;
  throw new JudgedLineError('the line is not a JSON object');
}

function oneOf<Word extends string>(words: readonly Word[], value: JsonValue | undefined): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new JudgedLineError(`${formatJson(value ?? '')} is none of ${words.join(', ')}`);
}

function wholeNumberAt(head: JsonObject, key: string): number {
  const value = head[key];
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new JudgedLineError(`${key} is not a whole number`);
}

function versionIn(value: JsonValue | undefined): ResourceVersion {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    return resourceVersion(value);
  }
  throw new JudgedLineError('a version is not a whole number');
}

function timeAt(head: JsonObject): number {
  const time = Date.parse(stringAt(head, 'time'));
  if (!Number.isNaN(time)) return time;
  throw new JudgedLineError('time is not a time');
}

function requirementOf(entry: JsonValue): Requirement {
  const [resource, path, version] = Array.isArray(entry) ? entry : [];
  if (typeof resource !== 'string' || typeof path !== 'string') {
    throw new JudgedLineError('requires is not a list of [resource, path, version]');
  }
  const isPlace = typeof version === 'number' && Number.isSafeInteger(version) && version < 0;
  const required = isPlace ? placesBack(-version) : versionIn(version);
  return { resource, path, resourceVersion: required };
}
