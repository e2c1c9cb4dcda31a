/** What a client says on a watch over WebSocket, from the handshake to the end of the connection. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Answer } from '../../../actors/request/answer.ts';
import type { ReceivedRequest } from '../../../actors/request/request.ts';
import type { WatchSessions } from '../../../gateway/watch/watch-sessions.ts';
import { WebSocketWatches } from '../../../gateway/watch/websocket-watch.ts';
import { bufferOf, holds, type FuzzTarget } from '../fuzz-target.ts';

const FRAME_OF_SERVER = Buffer.from([0x81, 0x02, 0x7b, 0x7d]);
/** The answer to the handshake, the one event, and a goodbye. */
const SAID_UNASKED_BYTES = 256;
const HANDSHAKE = {
  host: 'localhost',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const CONNECTION = { remoteAddress: '192.0.2.1', clientCertificate: () => undefined };
const nothing = (): void => undefined;

/** Lets every client in: what is watched does not matter here. */
const filterChain = {
  send(request: ReceivedRequest) {
    request.reply({ kind: 'Watch' } as Answer);
  },
};

/** Shows one event, and is over when the wire is closed, as every session. */
const sessions: Pick<WatchSessions, 'overWebSocket'> = {
  overWebSocket(wire, request) {
    wire.listen({
      drained: nothing,
      closed() {
        request.finish({ code: 200, sizeBytes: 0 });
      },
    });
    wire.write(FRAME_OF_SERVER);
  },
};

/** A client that says what is given, in pieces, hears everything, and goes. */
class Client extends Duplex {
  readonly #pieces: Buffer[];
  heardBytes = 0;

  constructor(pieces: readonly Buffer[]) {
    super({ allowHalfOpen: true });
    this.#pieces = [...pieces];
  }

  override _read(): void {
    this.push(this.#pieces.shift() ?? null);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.heardBytes += chunk.length;
    done();
  }
}

/** A frame as clients send it. */
function frame(first: number, payload: Buffer, mask = 0): Buffer {
  const { length } = payload;
  const size = length < 126 ? [0x80 | length] : [0xfe, length >> 8, length & 0xff];
  const masked = payload.map((byte) => byte ^ mask);
  return Buffer.concat([Buffer.from([first, ...size, mask, mask, mask, mask]), masked]);
}

const TEXT = 0x81;
const BINARY = 0x82;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const GOODBYE = frame(CLOSE, Buffer.from([0x03, 0xe8, 0x62, 0x79, 0x65]));

/** The first byte says how long the pieces are, the second how many bytes come with the handshake. */
const websocketFrames: FuzzTarget = {
  seeds: [
    [frame(TEXT, Buffer.from('hello'), 0x2a), GOODBYE],
    [frame(PING, Buffer.from('are you there')), frame(PONG, Buffer.alloc(0)), GOODBYE],
    [
      frame(0x01, Buffer.from('in ')),
      frame(PING, Buffer.alloc(2)),
      frame(0x80, Buffer.from('two')),
    ],
    [frame(BINARY, Buffer.alloc(300, 1), 0x55), frame(CLOSE, Buffer.alloc(0))],
    [Buffer.from([TEXT, 0xff, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4, 0x60, 0x60, 0x60])],
    [Buffer.from([TEXT, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4])],
    [frame(TEXT, Buffer.from([0xc3, 0x28]))],
    [frame(CLOSE, Buffer.from([0x03]))],
    [frame(0xc1, Buffer.from('compressed'))],
    [Buffer.from([TEXT, 0x05, 0x68, 0x65, 0x6c, 0x6c, 0x6f])],
  ].map((frames, at) => Buffer.concat([Buffer.of(at * 3, at), ...frames])),
  dictionary: [
    '\x81\x80\x00\x00\x00\x00',
    '\x01\x80\x00\x00\x00\x00',
    '\x80\x80\x00\x00\x00\x00',
    '\x89\x80\x00\x00\x00\x00',
    '\x88\x82\x00\x00\x00\x00\x03\xe8',
    '\xff\xff\xff\xff\xff\xff\xff\xff',
  ],
  bytesMax: 512,
  stretchedBytesMax: 64 * 1024,
  async run(input) {
    const said = bufferOf(input.subarray(2));
    const together = Math.min(input[1] ?? 0, said.length);
    const client = new Client(piecesOf(said.subarray(together), input[0] ?? 0));
    const over = new Promise<void>((resolve) => client.once('close', resolve));
    watches.upgrade(upgradeRequest(), client, said.subarray(0, together), CONNECTION);
    await over;
    const { heardBytes } = client;
    holds(heardBytes > FRAME_OF_SERVER.length, 'the handshake was answered');
    // A ping is answered with what it said, and a frame without a mask is shorter than its answer.
    const saidBytes = 2 * said.length + SAID_UNASKED_BYTES;
    holds(heardBytes <= saidBytes, 'no peer is told more than it said');
  },
};

const watches = new WebSocketWatches(filterChain, sessions);

function piecesOf(bytes: Buffer, length: number): readonly Buffer[] {
  if (length === 0) return bytes.length === 0 ? [] : [bytes];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.subarray(at, at + length));
  return pieces;
}

function upgradeRequest(): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  request.url = '/api/v1/pods?watch=1';
  request.headers = HANDSHAKE;
  request.rawHeaders = Object.entries(HANDSHAKE).flat();
  return request;
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  'websocket-frames': websocketFrames,
};
