import {
  constantFrom,
  dictionary,
  property,
  assert,
  string,
  uint8Array,
  integer,
  record,
} from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { ProtobufError } from './protobuf-reader.ts';
import { encodeWireMessage, WireMessage } from './wire-message.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Sample { bytes data = 1; string text = 2; map<string, bytes> notes = 4; int32 kind = 5; }
`);
const Sample = root.lookupType('Sample');

const samples = record({
  data: uint8Array({ maxLength: 300 }),
  text: string({ unit: 'grapheme', maxLength: 200 }),
  notes: dictionary(string({ minLength: 1 }), uint8Array(), { maxKeys: 5 }),
  kind: integer({ min: 0, max: 2 ** 31 - 1 }),
});

describe('a message', () => {
  test('is what protobufjs writes and reads', () => {
    assert(
      property(samples, ({ data, text, notes, kind }) => {
        const map = new Map(Object.entries(notes));
        const ours = encodeWireMessage({ 1: data, 2: text, 4: map, 5: kind });
        const theirs = Sample.toObject(Sample.decode(ours), { defaults: true, bytes: Array });
        expect(theirs).toEqual({
          data: [...data],
          text,
          notes: Object.fromEntries([...map].map(([key, value]) => [key, [...value]])),
          kind,
        });
        const read = new WireMessage(Sample.encode({ data, text, notes, kind }).finish());
        expect([...read.bytes(1)]).toEqual([...data]);
        expect(read.text(2)).toBe(text);
        expect(new Map([...read.map(4)].map(([key, value]) => [key, [...value]]))).toEqual(
          new Map([...map].map(([key, value]) => [key, [...value]])),
        );
        expect(read.number(5)).toBe(kind);
      }),
      { numRuns: 300 },
    );
  });

  test('of any bytes is read, or refused, and nothing else', () => {
    assert(
      property(uint8Array({ maxLength: 64 }), constantFrom(1, 2, 4, 5), (bytes, field) => {
        try {
          const message = new WireMessage(bytes);
          message.map(field);
          message.text(field);
          message.number(field);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['cut off', [0x0a, 0x05, 0x01]],
    ['with a number that does not end', [0x28, ...new Array<number>(11).fill(0xff)]],
    ['with a field without a number', [0x00, 0x01]],
    ['with the end of a group that has not begun', [0x0c]],
    ['with a field of a kind that there is not', [0x0e]],
  ])('%s is refused', (_, bytes) => {
    expect(() => new WireMessage(Buffer.from(bytes))).toThrow(ProtobufError);
  });

  test('says nothing of fields that are not asked for, and the last of those that stand there twice', () => {
    const passedOver = [0x3d, 1, 2, 3, 4, 0x0b, 0x0c];
    const twice = [0x12, 1, 0x61, 0x12, 1, 0x62];
    const message = new WireMessage(Buffer.from([...passedOver, ...twice]));
    expect(message.text(2)).toBe('b');
    expect(message.text(3)).toBe('');
    expect(() => new WireMessage(Buffer.from([0x12, 1, 0xff])).text(2)).toThrow('no UTF-8');
  });
});
