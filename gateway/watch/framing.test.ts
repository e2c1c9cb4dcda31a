import { describe, expect, it } from 'vitest';

import { BINARY_FRAMING, HTTP_FRAMING, TEXT_FRAMING, type Framing } from './framing.ts';

function framed(framing: Framing, event: Buffer): Buffer {
  const out: Buffer[] = [];
  framing.frame(event, out);
  return Buffer.concat(out);
}

/** Reads one frame as RFC 6455 has it. */
function read(frame: Buffer): {
  readonly opcode: number;
  readonly message: Buffer;
  readonly head: number;
} {
  expect((frame[0] ?? 0) & 0xf0).toBe(0x80); // Final, and no extension.
  const short = frame[1] ?? 0;
  expect(short & 0x80).toBe(0); // A server does not mask.
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  const length =
    short < 126 ? short : short === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
  expect(frame.length).toBe(head + length);
  return { opcode: (frame[0] ?? 0) & 0x0f, message: frame.subarray(head), head };
}

describe('over HTTP', () => {
  it('an event is complete as it is', () => {
    expect(framed(HTTP_FRAMING, Buffer.from('{}\n')).toString()).toBe('{}\n');
  });
});

describe('over WebSocket', () => {
  it.each([
    [0, 2],
    [1, 2],
    [125, 2],
    [126, 4],
    [65_535, 4],
    [65_536, 10],
    [300_000, 10],
  ])('a message of %i bytes has a head of %i', (length, head) => {
    const event = Buffer.alloc(length, 'x');
    const frame = read(framed(TEXT_FRAMING, event));
    expect(frame.opcode).toBe(1);
    expect(frame.head).toBe(head);
    expect(frame.message.equals(event)).toBe(true);
  });

  it('a binary message leaves out the length that its event has over HTTP', () => {
    for (const length of [0, 121, 122, 125, 126, 65_536]) {
      const message = Buffer.alloc(length, 'x');
      const prefix = Buffer.alloc(4);
      prefix.writeUInt32BE(length);
      const frame = read(framed(BINARY_FRAMING, Buffer.concat([prefix, message])));
      expect(frame.opcode).toBe(2);
      expect(frame.message.equals(message)).toBe(true);
    }
  });

  it('events follow each other', () => {
    const out: Buffer[] = [];
    for (const text of ['a', 'bb']) TEXT_FRAMING.frame(Buffer.from(text), out);
    expect(Buffer.concat(out)).toEqual(Buffer.from([0x81, 1, 0x61, 0x81, 2, 0x62, 0x62]));
  });
});
