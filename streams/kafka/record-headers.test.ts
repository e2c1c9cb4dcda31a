import { describe, expect, it } from 'vitest';

import { recordOf } from '../event-codec.ts';
import type { ProposedEvent } from '../event.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { ownHeaders } from './record-headers.ts';

/** A length as Kafka writes it: zigzag, seven bits to a byte. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value * 2; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) | 0x80);
  }
}

/** As they stand in a record batch, one character for each byte. */
function written(headers: Readonly<Record<string, string>>): string {
  const entries = Object.entries(headers);
  const parts = entries.flatMap(([name, value]) => [
    ...[varint(Buffer.byteLength(name)), Buffer.from(name)],
    ...[varint(Buffer.byteLength(value)), Buffer.from(value)],
  ]);
  return Buffer.concat([varint(entries.length), ...parts]).toString('latin1');
}

function headersOf(event: ProposedEvent): Readonly<Record<string, string>> {
  return recordOf(event).headers;
}

describe('headers of our own records', () => {
  it.each<[string, ProposedEvent]>([
    ['a change', proposedEvent(1)],
    ['a name that is not ASCII', proposedEvent(3, { user: 'Ärger 🚀', path: 'default/Ü' })],
    ...[0, 62, 63, 64, 65, 4_000, 8_191].map((length): [string, ProposedEvent] => [
      `a user of ${String(length)} bytes`,
      proposedEvent(4, { user: 'u'.repeat(length) }),
    ]),
  ])('of %s are read in one go', (_, event) => {
    const headers = headersOf(event);
    const read = ownHeaders(written(headers));
    expect(read).toBeDefined();
    expect(headers).toMatchObject(read ?? {});
    expect(read).toMatchObject({ writer: event.writer, user: event.user, uid: event.uid });
  });

  it('are those of their own record, whatever the one before had', () => {
    const users = ['ab', 'ab', 'ba', 'a', '', 'Ã\u0084', 'Ä', 'Ä', 'Ã\u0084', 'ab'];
    const read = users.map((user) => ownHeaders(written(headersOf(proposedEvent(1, { user })))));
    expect(read.map((headers) => headers?.['user'])).toEqual(users);
  });

  it('that are longer are left to be read one by one', () => {
    const headers = headersOf(proposedEvent(1, { user: 'u'.repeat(8_192) }));
    expect(ownHeaders(written(headers))).toBeUndefined();
  });

  it('that are others, or not whole, are left to be read one by one', () => {
    const headers = headersOf(proposedEvent(1));
    const text = written(headers);
    const { fieldManager: _, ...fewer } = headers;
    const renamed = { ...fewer, fieldmanager: '' };
    expect(ownHeaders(written(fewer))).toBeUndefined();
    expect(ownHeaders(written({ ...headers, more: '' }))).toBeUndefined();
    expect(ownHeaders(written(renamed))).toBeUndefined();
    expect(ownHeaders(text.slice(0, -1))).toBeUndefined();
    expect(ownHeaders(`${text}x`)).toBeUndefined();
    expect(ownHeaders('')).toBeUndefined();
  });
});
