/**
 * An answer in one line, so that two servers can be compared: status code, content type, and what the
 * body says it is, in whichever form. Of a failure also its reason and message.
 */
import { parse } from 'yaml';

import { readCbor } from '../../api/cbor/cbor-reader.ts';

import { at, textAt, type JsonObject, type JsonValue } from '../support/json.ts';
import type { WireAnswer } from './wire.ts';

const MAGIC = 'k8s\0';
const NEWLINE = 0x0a;
/** Tags of protobuf: the number of a field and that a length follows. */
const FIELDS = { first: 0x0a, second: 0x12, third: 0x1a, fourth: 0x22 } as const;

/** @param secret what differs between two runs of one request: left out of messages. */
export function observed({ status, headers, body }: WireAnswer, secret = ''): string {
  const type = headers['content-type'] ?? 'no type';
  const told = contentOf(body, type);
  const shownAs = secret === '' ? told : told.replaceAll(secret, 'NAME');
  return `${String(status)} ${type}: ${shownAs}${endingOf(body, type)}`;
}

/** Whether a text ends its last line, which clients that compare bytes or read by lines can tell. */
export function endingOf(body: Buffer, type: string): string {
  const isText = body.length > 0 && !BINARY.some((one) => type.startsWith(one));
  return isText && body.at(-1) !== NEWLINE ? ' without a newline' : '';
}

const BINARY = ['application/vnd.kubernetes.protobuf', 'application/cbor'];

function contentOf(body: Buffer, type: string): string {
  if (body.length === 0) return 'nothing';
  const [media = ''] = type.split(';', 1);
  const isStream = type.includes('stream=');
  if (media === 'application/vnd.kubernetes.protobuf') {
    return isStream ? `event ${watchEvent(body)}` : envelope(body);
  }
  if (media === 'application/cbor') return shown(readCbor(body) as JsonValue); // Nothing here has a number of 64 bits.
  if (media === 'application/cbor-seq') {
    const event = readCbor(body) as JsonObject; // One event came, or the reader says so.
    return `event ${textAt(event, 'type')} ${shown(event['object'])}`;
  }
  const text = body.toString();
  if (media === 'application/yaml') return shown(parse(text) as JsonValue);
  if (media !== 'application/json') return text.trim().slice(0, 200);
  return json(text);
}

function json(text: string): string {
  const [first = '', second = ''] = text.split('\n', 2);
  if (second === '' && first.startsWith('{"type":')) {
    const event = JSON.parse(first) as JsonObject;
    return `event ${textAt(event, 'type')} ${shown(event['object'])}`;
  }
  return `${text.startsWith('{\n  ') ? 'indented ' : ''}${shown(JSON.parse(text) as JsonValue)}`;
}

/** What it says it is; of a list and a table also what the first in it says. */
function shown(value: JsonValue | undefined): string {
  const what = kindOf(value);
  if (what === 'v1 Status') {
    const said = ['status', 'reason', 'message'].map((name) => textAt(value, name));
    return `${what} ${said.join(' ')}`;
  }
  const row = at(value, 'rows', 0);
  if (row !== undefined) return `${what} of ${kindOf(at(row, 'object'))}`;
  const item = at(value, 'items', 0);
  return item === undefined ? what : `${what} of ${kindOf(item)}`;
}

function kindOf(value: JsonValue | undefined): string {
  return `${textAt(value, 'apiVersion') || '-'} ${textAt(value, 'kind') || '-'}`;
}

/** In Kubernetes: runtime.Unknown. */
function envelope(bytes: Buffer): string {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'no envelope';
  const fields = fieldsOf(bytes.subarray(MAGIC.length));
  const type = fieldsOf(fields.get(FIELDS.first) ?? NOTHING);
  const [apiVersion, kind] = [textOf(type.get(FIELDS.first)), textOf(type.get(FIELDS.second))];
  if (kind !== 'Status') return `${apiVersion} ${kind}`;
  const status = fieldsOf(fields.get(FIELDS.second) ?? NOTHING);
  const [state, message, reason] = [FIELDS.second, FIELDS.third, FIELDS.fourth].map((tag) =>
    textOf(status.get(tag)),
  );
  return `${apiVersion} ${kind} ${state ?? ''} ${reason ?? ''} ${message ?? ''}`;
}

/** Four bytes of length, and a WatchEvent around an envelope. */
function watchEvent(bytes: Buffer): string {
  const event = fieldsOf(bytes.subarray(4, 4 + bytes.readUInt32BE(0)));
  const raw = fieldsOf(event.get(FIELDS.second) ?? NOTHING).get(FIELDS.first) ?? NOTHING;
  return `${textOf(event.get(FIELDS.first))} ${envelope(Buffer.from(raw))}`;
}

const NOTHING = new Uint8Array(0);

/** The fields of a message that have a length, by their tags: the last of each. */
function fieldsOf(bytes: Uint8Array): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const length = number();
    // A number has been read already; messages here have nothing else.
    if (tag % 8 === 0) continue;
    fields.set(tag, bytes.subarray(at, at + length));
    at += length;
  }
  return fields;
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString();
}
