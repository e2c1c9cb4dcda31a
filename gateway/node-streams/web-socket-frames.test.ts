/** Frames of clients, cut anywhere, beside the reader of `ws`; and what is no frame of a client. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as ws from 'ws';
import {
  closeFrame,
  handshakeAnswer,
  messageHead,
  pongFrame,
  WebSocketError,
  type WebSocketEvent,
  WebSocketReader,
} from './web-socket-frames.ts';

/** Its types do not tell of the two. */
const { Receiver, Sender } = ws as unknown as {
  readonly Receiver: new (options: { readonly isServer: boolean }) => Writable;
  readonly Sender: { frame(bytes: Buffer, options: object): Buffer[] };
};

const CONTINUED = 0;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

interface SentFrame {
  readonly opcode: number;
  readonly fin: boolean;
  readonly bytes: Buffer;
}

/** As the client of `ws` sends it, with a mask of its own. */
function sent({ opcode, fin, bytes }: SentFrame): Buffer {
  const options = { opcode, fin, mask: true, readOnly: true, rsv1: false };
  return Buffer.concat(Sender.frame(Buffer.from(bytes), options));
}

const message = fc.record({
  parts: fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 }),
  ping: fc.option(fc.uint8Array({ maxLength: 125 })),
});

function framesOf({ parts, ping }: { parts: Uint8Array[]; ping: Uint8Array | null }): SentFrame[] {
  const frames = parts.map((bytes, at) => ({
    opcode: at === 0 ? BINARY : CONTINUED,
    fin: at === parts.length - 1,
    bytes: Buffer.from(bytes),
  }));
  if (ping === null) return frames;
  // Control frames come between the frames of a message as well.
  const [first, ...rest] = frames;
  return [first, { opcode: PING, fin: true, bytes: Buffer.from(ping) }, ...rest].filter(
    (one) => one !== undefined,
  );
}

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return at.slice(1).map((end, index) => Buffer.from(bytes.subarray(at[index], end)));
}

it('messages and pings are those that were sent, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      (messages, cuts) => {
        const bytes = Buffer.concat(messages.flatMap(framesOf).map(sent));
        const reader = new WebSocketReader();
        const events: WebSocketEvent[] = [];
        for (const piece of pieces(bytes, cuts)) events.push(...reader.read(piece));
        const got: Buffer[][] = [];
        for (const event of events) {
          if (event.kind !== 'data') continue;
          if (event.isStart) got.push([]);
          got.at(-1)?.push(event.bytes);
        }
        const wanted = messages
          .map(({ parts }) => Buffer.concat(parts))
          .filter(({ length }) => length > 0);
        expect(got.map((all) => Buffer.concat(all))).toEqual(wanted);
        const pings = events.filter(({ kind }) => kind === 'ping').map((one) => one.bytes);
        expect(pings).toEqual(
          messages.flatMap(({ ping }) => (ping === null ? [] : [Buffer.from(ping)])),
        );
      },
    ),
  );
});

it('a message of a megabyte is unmasked, at any place in memory', () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 1_000_003 }, (_, at) => at % 251));
  const frame = sent({ opcode: BINARY, fin: true, bytes });
  for (const offset of [0, 1, 2, 3]) {
    const placed = Buffer.alloc(frame.length + offset).subarray(offset);
    frame.copy(placed);
    const events = [...new WebSocketReader().read(placed)];
    expect(Buffer.concat(events.map((one) => one.bytes)).equals(bytes)).toBe(true);
  }
});

it.each<[what: string, bytes: Buffer]>([
  ['without a mask', Buffer.from([0x82, 1, 0])],
  ['of an extension', Buffer.from([0xc2, 0x81, 0, 0, 0, 0, 0])],
  ['of no known kind', sent({ opcode: 11, fin: true, bytes: Buffer.alloc(1) })],
  ['of data of no known kind', sent({ opcode: 3, fin: true, bytes: Buffer.alloc(1) })],
  ['that continues nothing', sent({ opcode: CONTINUED, fin: true, bytes: Buffer.alloc(1) })],
  ['of control that is not whole', sent({ opcode: PING, fin: false, bytes: Buffer.alloc(1) })],
  ['of control that is long', sent({ opcode: PING, fin: true, bytes: Buffer.alloc(126) })],
  ['without end', Buffer.from([0x82, 0xff, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0])],
  [
    'that interrupts a message',
    Buffer.concat([
      sent({ opcode: BINARY, fin: false, bytes: Buffer.alloc(1) }),
      sent({ opcode: BINARY, fin: true, bytes: Buffer.alloc(1) }),
    ]),
  ],
])('a frame %s is refused', (_, bytes) => {
  expect(() => [...new WebSocketReader().read(bytes)]).toThrow(WebSocketError);
});

it('an answer to a ping is passed over, and a close is told', () => {
  const frames = [PONG, CLOSE].map((opcode) => sent({ opcode, fin: true, bytes: Buffer.alloc(2) }));
  const events = [...new WebSocketReader().read(Buffer.concat(frames))];
  expect(events.map(({ kind }) => kind)).toEqual(['close']);
});

it.each([1, 125, 126, 65_535, 65_536, 1_000_000])(
  'a message of %d bytes is read by ws, and so are an answer to a ping and a close',
  async (length) => {
    const receiver = new Receiver({ isServer: false });
    const came: (string | number)[] = [];
    receiver.on('message', (bytes: Buffer) => came.push(bytes.length));
    receiver.on('pong', (bytes: Buffer) => came.push(bytes.toString()));
    receiver.on('conclude', (code: number) => came.push(code));
    const concluded = once(receiver, 'conclude');
    receiver.write(Buffer.concat([messageHead(length), Buffer.alloc(length, 'x')]));
    receiver.write(Buffer.concat([pongFrame(Buffer.from('hello')), closeFrame(1_000)]));
    await concluded;
    expect(came).toEqual([length, 'hello', 1_000]);
  },
);

it('a handshake is that of RFC 6455, and nothing else is one', () => {
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const headers = { 'sec-websocket-key': key, 'sec-websocket-version': '13' };
  expect(handshakeAnswer('GET', headers, 'a.b')).toBe(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
      'Sec-WebSocket-Protocol: a.b',
      '',
      '',
    ].join('\r\n'),
  );
  expect(handshakeAnswer('POST', headers, '')).toBeUndefined();
  expect(handshakeAnswer('GET', { ...headers, 'sec-websocket-key': 'x' }, '')).toBeUndefined();
  expect(handshakeAnswer('GET', { 'sec-websocket-key': key }, '')).toBeUndefined();
});

it('data takes no memory of its own, where the head of its frame came alone', () => {
  const reader = new WebSocketReader();
  const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0]);
  const memory = Buffer.alloc(16 * 1024);
  const chunks = Array.from({ length: 20 }, () => [head, memory, memory]).flat();
  const events = chunks.flatMap((chunk) => [...reader.read(chunk)]);
  expect(events).toHaveLength(40);
  expect(events.every(({ bytes }) => bytes.buffer === memory.buffer)).toBe(true);
});
