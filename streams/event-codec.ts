/**
 * Events as bytes. A record is what Kafka carries: key, value and headers, which any Kafka
 * tool can read (the CloudEvents binary binding, and ours). The embedded log keeps the same
 * parts in one compact frame, without those headers that follow from the others:
 *
 *     byte 0       the version of this layout, 1
 *     bytes 1–4    CRC-32 of all that follows
 *     bytes 5–8    how many bytes of header follow
 *     header       a JSON array, see `headerOf`
 *     the rest     the value, byte for byte
 */
import { crc32 } from 'node:zlib';
import type { LoggedEvent, ProposedEvent, RecordType, Requirement } from './event.ts';
import { resourceVersion, type ResourceVersion } from './resource-version.ts';

/** A record as a Kafka client takes and gives it, all headers as text. */
export interface EventRecord {
  /** `<group>/<resource>/<namespace>/<name>`, or {@link MARKER_KEY}. */
  readonly key: string;
  /** The bytes of the object; empty for a marker. */
  readonly value: Uint8Array;
  /** As docs/event-format.md lists them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The bytes are not what was written. A reader that went on past it would lose a change in silence. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
}

/** The key of every marker. No object can have it, for it has two parts only. */
export const MARKER_KEY = 'everwatch/marker';

/** In front of the type of a change, in its `ce_type`. */
export const TYPE_PREFIX = 'dev.everwatch.object.';
const MARKER_TYPE = 'dev.everwatch.marker';
const NO_VERSION = resourceVersion(0);
const NO_REQUIREMENTS: readonly Requirement[] = [];
/** The first byte of a frame. */
export const LAYOUT = 1;
/** Where in a frame its checksum stands. */
export const CHECKSUM_AT = 1;
/** Where in a frame the size of its header stands, and from where on it is checked. */
export const HEADER_SIZE_AT = 5;
/** Where the header of a frame begins. */
export const HEADER_AT = 9;

/** A UTF-16 code unit is at most three bytes of UTF-8. */
const BYTES_PER_CODE_UNIT_MAX = 3;

type RequirementTuple = readonly [
  resource: string,
  path: string,
  resourceVersion: Requirement['resourceVersion'],
];

type HeaderTuple = readonly [
  writer: string,
  sequence: number,
  type: RecordType,
  resource: string,
  path: string,
  previousResourceVersion: ResourceVersion,
  requires: readonly RequirementTuple[],
  time: number,
  uid: string,
  user: string,
  verb: string,
  auditID: string,
  fieldManager: string,
];

/** The event at its place. Every engine makes its events here, so that all have one shape. */
export function loggedAt(event: ProposedEvent, version: ResourceVersion): LoggedEvent {
  return {
    writer: event.writer,
    sequence: event.sequence,
    type: event.type,
    resource: event.resource,
    path: event.path,
    previousResourceVersion: event.previousResourceVersion,
    requires: event.requires,
    json: event.json,
    time: event.time,
    uid: event.uid,
    user: event.user,
    verb: event.verb,
    auditID: event.auditID,
    fieldManager: event.fieldManager,
    labels: event.labels,
    resourceVersion: version,
  };
}

/** The events of one append, each in its frame; the frames share one block of memory. */
export function encodeRecords(events: readonly ProposedEvent[]): Buffer[] {
  const headers = events.map(headerOf);
  let sizeMax = 0;
  for (const [index, event] of events.entries()) {
    const codeUnits = headers[index]?.length ?? 0;
    sizeMax += HEADER_AT + codeUnits * BYTES_PER_CODE_UNIT_MAX + event.json.length;
  }
  const block = Buffer.allocUnsafeSlow(sizeMax);
  let end = 0;
  return events.map((event, index) => {
    const start = end;
    end = writeFrame(block, start, headers[index] ?? '', event.json);
    return block.subarray(start, end);
  });
}

/** The record as bytes in one buffer, as docs/event-format.md describes it. */
export function encodeRecord(event: ProposedEvent): Buffer {
  const header = headerOf(event);
  const sizeMax = HEADER_AT + header.length * BYTES_PER_CODE_UNIT_MAX + event.json.length;
  const block = Buffer.allocUnsafe(sizeMax);
  return block.subarray(0, writeFrame(block, 0, header, event.json));
}

/**
 * @param frame is not copied: the event's `json` is a part of it, so it must not be written to.
 * @throws {DamagedRecordError} the frame was changed, cut off, or written by a newer version.
 */
export function decodeRecord(frame: Buffer, version: ResourceVersion): LoggedEvent {
  const valueAt = valueStart(frame, version);
  // The checksum holds, so this is the text that `headerOf` made.
  const header = JSON.parse(frame.toString('utf8', HEADER_AT, valueAt)) as HeaderTuple;
  return {
    writer: header[0],
    sequence: header[1],
    type: header[2],
    resource: header[3],
    path: header[4],
    previousResourceVersion: header[5],
    requires: header[6].map(requirementOf),
    json: frame.subarray(valueAt),
    time: header[7],
    uid: header[8],
    user: header[9],
    verb: header[10],
    auditID: header[11],
    fieldManager: header[12],
    resourceVersion: version,
  };
}

/**
 * The value in a frame, of which nothing else is decoded; a part of it.
 *
 * @throws {DamagedRecordError} as {@link decodeRecord}.
 */
export function valueOfRecord(frame: Buffer, version: ResourceVersion): Buffer {
  return frame.subarray(valueStart(frame, version));
}

/** The record as key, value and headers, which is its form on a Kafka topic. */
export function recordOf(event: ProposedEvent): EventRecord {
  if (event.type === 'marker') return markerRecordOf(event);
  return {
    key: `${event.resource}/${event.path}`,
    value: event.json,
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: `${event.writer}:${String(event.sequence)}`,
      ce_source: `/${event.resource}`,
      ce_type: TYPE_PREFIX + event.type,
      ce_time: new Date(event.time).toISOString(),
      ce_subject: event.path,
      writer: event.writer,
      sequence: String(event.sequence),
      previousResourceVersion: String(event.previousResourceVersion),
      requires: JSON.stringify(event.requires.map(requirementTupleOf)),
      uid: event.uid,
      user: event.user,
      verb: event.verb,
      auditID: event.auditID,
      fieldManager: event.fieldManager,
    },
  };
}

/** A marker says which writer asked and nothing else; its value is empty, which is not the same as none. */
function markerRecordOf(marker: ProposedEvent): EventRecord {
  return {
    key: MARKER_KEY,
    value: marker.json,
    headers: {
      ce_specversion: '1.0',
      ce_id: `${marker.writer}:${String(marker.sequence)}`,
      ce_source: `/${MARKER_KEY}`,
      ce_type: MARKER_TYPE,
      ce_time: new Date(marker.time).toISOString(),
      writer: marker.writer,
      sequence: String(marker.sequence),
    },
  };
}

/** @throws {DamagedRecordError} it lacks something that {@link recordOf} always writes. */
export function eventOf(record: EventRecord, version: ResourceVersion): LoggedEvent {
  const { key, headers } = record;
  if (headers['ce_type'] === MARKER_TYPE) return markerOf(record, version);
  const groupEnd = key.indexOf('/');
  const resourceEnd = key.indexOf('/', groupEnd + 1);
  if (groupEnd < 0 || resourceEnd < 0 || !key.includes('/', resourceEnd + 1)) {
    throw damaged(version, 'its key is not <group>/<resource>/<namespace>/<name>');
  }
  return {
    writer: headerText(headers, 'writer', version),
    sequence: headerNumber(headers, 'sequence', version),
    type: typeOf(headerText(headers, 'ce_type', version), version),
    resource: key.slice(0, resourceEnd),
    path: key.slice(resourceEnd + 1),
    previousResourceVersion: resourceVersion(
      headerNumber(headers, 'previousResourceVersion', version),
    ),
    requires: requirementsOf(headerText(headers, 'requires', version), version),
    json: record.value,
    time: timeOf(headerText(headers, 'ce_time', version), version),
    uid: headerText(headers, 'uid', version),
    user: headerText(headers, 'user', version),
    verb: headerText(headers, 'verb', version),
    auditID: headerText(headers, 'auditID', version),
    fieldManager: headerText(headers, 'fieldManager', version),
    resourceVersion: version,
  };
}

function markerOf({ key, value, headers }: EventRecord, version: ResourceVersion): LoggedEvent {
  if (key !== MARKER_KEY)
    throw damaged(version, `it is a marker, but its key is not ${MARKER_KEY}`);
  if (value.length > 0) throw damaged(version, 'it is a marker, but has a value');
  return {
    writer: headerText(headers, 'writer', version),
    sequence: headerNumber(headers, 'sequence', version),
    type: 'marker',
    resource: '',
    path: '',
    previousResourceVersion: NO_VERSION,
    requires: [],
    json: value,
    time: timeOf(headerText(headers, 'ce_time', version), version),
    uid: '',
    user: '',
    verb: '',
    auditID: '',
    fieldManager: '',
    resourceVersion: version,
  };
}

function headerOf(event: ProposedEvent): string {
  const header: HeaderTuple = [
    event.writer,
    event.sequence,
    event.type,
    event.resource,
    event.path,
    event.previousResourceVersion,
    event.requires.map(requirementTupleOf),
    event.time,
    event.uid,
    event.user,
    event.verb,
    event.auditID,
    event.fieldManager,
  ];
  return JSON.stringify(header);
}

/** Writes one frame at `start` and returns where it ends. */
function writeFrame(block: Buffer, start: number, header: string, json: Uint8Array): number {
  const headerSize = block.write(header, start + HEADER_AT, 'utf8');
  const valueAt = start + HEADER_AT + headerSize;
  const end = valueAt + json.length;
  block.set(json, valueAt);
  block[start] = LAYOUT;
  block.writeUInt32BE(headerSize, start + HEADER_SIZE_AT);
  block.writeUInt32BE(crc32(block.subarray(start + HEADER_SIZE_AT, end)), start + CHECKSUM_AT);
  return end;
}

/**
 * Where the value of a frame begins, and its header ends.
 *
 * @throws {DamagedRecordError} as {@link decodeRecord}.
 */
export function valueStart(frame: Buffer, version: ResourceVersion): number {
  if (frame.length < HEADER_AT) throw damaged(version, 'it is cut off');
  if (frame[0] !== LAYOUT) {
    throw damaged(version, `its layout is ${String(frame[0])}, and this program reads 1 only`);
  }
  if (frame.readUInt32BE(CHECKSUM_AT) !== crc32(frame.subarray(HEADER_SIZE_AT))) {
    throw damaged(version, 'its checksum is wrong');
  }
  return soundValueStart(frame);
}

/** The same of a frame that was made a moment ago, in this process. */
export function soundValueStart(frame: Buffer): number {
  return HEADER_AT + frame.readUInt32BE(HEADER_SIZE_AT);
}

function damaged(version: ResourceVersion, why: string): DamagedRecordError {
  return new DamagedRecordError(`the record at ${String(version)} cannot be read: ${why}`);
}

/** As it stands in a record. */
export function requirementTupleOf(requirement: Requirement): RequirementTuple {
  return [requirement.resource, requirement.path, requirement.resourceVersion];
}

/** The requirements of a record, as its header tells them. */
export function requirementsIn(text: string): readonly Requirement[] {
  return (JSON.parse(text) as readonly RequirementTuple[]).map(requirementOf); // The checksum holds.
}

function requirementOf(tuple: RequirementTuple): Requirement {
  return { resource: tuple[0], path: tuple[1], resourceVersion: tuple[2] };
}

function headerText(
  headers: EventRecord['headers'],
  name: string,
  version: ResourceVersion,
): string {
  const text = headers[name];
  if (text === undefined) throw damaged(version, `the header ${name} is missing`);
  return text;
}

function headerNumber(
  headers: EventRecord['headers'],
  name: string,
  version: ResourceVersion,
): number {
  const text = headerText(headers, name, version);
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(value)) {
    throw damaged(version, `the header ${name} is not a whole number`);
  }
  return value;
}

function typeOf(text: string, version: ResourceVersion): RecordType {
  switch (text) {
    case `${TYPE_PREFIX}added`:
      return 'added';
    case `${TYPE_PREFIX}modified`:
      return 'modified';
    case `${TYPE_PREFIX}deleted`:
      return 'deleted';
    default:
      throw damaged(version, `the header ce_type is unknown`);
  }
}

function timeOf(text: string, version: ResourceVersion): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw damaged(version, 'the header ce_time is not a time');
  return time;
}

/**
 * The requirements of a record of any producer.
 *
 * @throws {DamagedRecordError} the text is none that {@link recordOf} writes.
 */
export function requirementsOf(text: string, version: ResourceVersion): readonly Requirement[] {
  if (text === '[]') return NO_REQUIREMENTS;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw damaged(version, 'the header requires is not JSON');
  }
  if (!Array.isArray(parsed)) throw damaged(version, 'the header requires is not a list');
  return parsed.map((entry: unknown): Requirement => {
    if (!isRequirementTuple(entry)) {
      throw damaged(version, 'an entry of the header requires is not [resource, path, version]');
    }
    return requirementOf(entry);
  });
}

function isRequirementTuple(entry: unknown): entry is RequirementTuple {
  return (
    Array.isArray(entry) &&
    entry.length === 3 &&
    typeof entry[0] === 'string' &&
    typeof entry[1] === 'string' &&
    Number.isSafeInteger(entry[2])
  );
}
