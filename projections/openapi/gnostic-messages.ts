/**
 * How gnostic's messages are written: maps as lists of pairs, and what is not known as YAML text;
 * ours is JSON, which is YAML too. Field numbers stand with the messages, by the JSON names.
 */
import { Writer } from 'protobufjs/minimal.js';
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';

/** Writes a value under a field number. */
export type Field = (writer: Writer, number: number, value: JsonValue) => void;
export type Message = (writer: Writer, value: JsonValue) => void;
interface Layout {
  readonly fields: Readonly<Record<string, readonly [number, Field]>>;
  /** Where keys that begin with `x-` go. */
  readonly extensions?: number;
}

const LENGTH_DELIMITED = 2;

export function encodedAs(message: Message, document: JsonObject): Uint8Array {
  const writer = Writer.create();
  message(writer, document);
  return writer.finish();
}

export const string: Field = (writer, number, value) => {
  if (typeof value === 'string') tag(writer, number).string(value);
};
export const boolean: Field = (writer, number, value) => {
  if (value === true) writer.uint32(number << 3).bool(true);
};
export const integer: Field = (writer, number, value) => {
  if (typeof value === 'number') writer.uint32(number << 3).int64(value);
};
export const double: Field = (writer, number, value) => {
  if (typeof value === 'number') writer.uint32((number << 3) | 1).double(value);
};
export const any: Field = (writer, number, value) => {
  tag(writer, number).fork();
  tag(writer, 2).string(formatJson(value));
  writer.ldelim();
};

export function tag(writer: Writer, number: number): Writer {
  return writer.uint32((number << 3) | LENGTH_DELIMITED);
}

export function one(message: () => Message): Field {
  return (writer, number, value) => {
    tag(writer, number).fork();
    message()(writer, value);
    writer.ldelim();
  };
}

export function many(field: Field): Field {
  return (writer, number, value) => {
    if (Array.isArray(value)) for (const item of value) field(writer, number, item);
  };
}

/** A map is a list of pairs; `number` inside is 1 but for the paths. */
export function pairs(field: Field, inside = 1): Message {
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) pair(writer, inside, { key, item, field });
    }
  };
}

interface Pair {
  readonly key: string;
  readonly item: JsonValue;
  readonly field: Field;
}

function pair(writer: Writer, number: number, { key, item, field }: Pair): void {
  tag(writer, number).fork();
  tag(writer, 1).string(key);
  field(writer, 2, item);
  writer.ldelim();
}

export function message({ fields, extensions }: Layout): Message {
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (known !== undefined) known[1](writer, known[0], item);
      else if (extensions !== undefined && key.startsWith('x-')) {
        pair(writer, extensions, { key, item, field: any });
      }
    }
  };
}
