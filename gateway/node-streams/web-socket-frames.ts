/**
 * WebSocket as a server reads and writes it where much passes: what is in a message is given on as it comes,
 * however long the message is, so none is put together. Masks are taken off word by word, in place.
 *
 * The protocol: RFC 6455, sections 4.2 and 5.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What comes, in the order in which it came. `data` may be a part of a message. */
export type WebSocketEvent =
  | {
      readonly kind: 'data';
      /** At least one. */
      readonly bytes: Buffer;
      /** Whether the message begins with them. */
      readonly isStart: boolean;
    }
  | { readonly kind: 'ping' | 'close'; readonly bytes: Buffer };

/** What came is no WebSocket of a client. */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError';
}

const FIN = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const CONTROL = 8;
const CONTROL_BYTES_MAX = 125;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const MASK_BYTES = 4;

const CONTINUED = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const EMPTY = Buffer.alloc(0);

/** Takes bytes of a client apart as they come, wherever they are cut. Holds at most one control frame. */
export class WebSocketReader {
  #held: Buffer = EMPTY;
  /** What is left of the data frame that is being read; 0: none is. */
  #left = 0;
  readonly #mask = new Uint8Array(MASK_BYTES);
  /** Which byte of the mask is next. */
  #phase = 0;
  #isStart = false;
  /** Whether the message goes on in another frame. */
  #isOpen = false;

  /** @param chunk is changed. @throws WebSocketError */
  *read(chunk: Buffer): Generator<WebSocketEvent> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = EMPTY;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const bytes = rest.subarray(0, this.#left);
        rest = rest.subarray(bytes.length);
        this.#left -= bytes.length;
        this.#unmask(bytes);
        const isStart = this.#isStart;
        this.#isStart = false;
        yield { kind: 'data', bytes, isStart };
        continue;
      }
      const head = headOf(rest);
      if (head === undefined) break;
      const { sizeBytes, headBytes } = head;
      const isControl = head.opcode >= CONTROL;
      if (isControl && rest.length < headBytes + sizeBytes) break;
      this.#mask.set(rest.subarray(headBytes - MASK_BYTES, headBytes));
      this.#phase = 0;
      rest = rest.subarray(headBytes);
      if (!isControl) {
        this.#begin(head);
        continue;
      }
      const bytes = rest.subarray(0, sizeBytes);
      rest = rest.subarray(sizeBytes);
      this.#unmask(bytes);
      if (head.opcode === PING) yield { kind: 'ping', bytes };
      else if (head.opcode === CLOSE) yield { kind: 'close', bytes };
      else if (head.opcode !== PONG) throw new WebSocketError('a frame of no known kind');
    }
    // A copy, so that a large chunk is not kept for a few bytes of it.
    if (rest.length > 0) this.#held = Buffer.from(rest);
  }

  #begin({ opcode, isLast, sizeBytes }: FrameHead): void {
    const isKnown = this.#isOpen ? opcode === CONTINUED : opcode === TEXT || opcode === BINARY;
    if (!isKnown) throw new WebSocketError('a frame that continues no message, or interrupts one');
    this.#isStart ||= opcode !== CONTINUED;
    this.#isOpen = !isLast;
    this.#left = sizeBytes;
  }

  #unmask(bytes: Buffer): void {
    const { length, byteOffset, buffer } = bytes;
    const mask = this.#mask;
    const phase = this.#phase;
    const one = (at: number): void => {
      bytes[at] = (bytes[at] ?? 0) ^ (mask[(phase + at) % MASK_BYTES] ?? 0);
    };
    let at = 0;
    for (; at < length && (byteOffset + at) % MASK_BYTES !== 0; at += 1) one(at);
    const count = Math.floor((length - at) / MASK_BYTES);
    if (count > 0) {
      const turned = Uint8Array.from(
        mask,
        (_, index) => mask[(phase + at + index) % MASK_BYTES] ?? 0,
      );
      xorWords(new Int32Array(buffer, byteOffset + at, count), turned);
      at += count * MASK_BYTES;
    }
    for (; at < length; at += 1) one(at);
    this.#phase = (phase + length) % MASK_BYTES;
  }
}

/** @param mask four bytes, in the order of the machine as they are. */
function xorWords(words: Int32Array, mask: Uint8Array): void {
  const key = new Int32Array(mask.buffer)[0] ?? 0;
  for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) ^ key;
}

interface FrameHead {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly sizeBytes: number;
  /** Of the head itself, with its mask at the end. */
  readonly headBytes: number;
}

/** undefined: it is not there whole. @throws WebSocketError */
function headOf(bytes: Buffer): FrameHead | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  if ((first & RESERVED) !== 0) throw new WebSocketError('a frame of an extension');
  if ((second & MASKED) === 0) throw new WebSocketError('a frame without a mask');
  const opcode = first & 0x0f;
  const isLast = (first & FIN) !== 0;
  const told = second & ~MASKED;
  if (opcode >= CONTROL && (!isLast || told > CONTROL_BYTES_MAX)) {
    throw new WebSocketError('a control frame that is long, or not whole');
  }
  const lengthBytes = told === TWO_BYTES ? 2 : told === EIGHT_BYTES ? 8 : 0;
  const headBytes = 2 + lengthBytes + MASK_BYTES;
  if (bytes.length < headBytes) return undefined;
  if (lengthBytes === 0) return { opcode, isLast, sizeBytes: told, headBytes };
  if (lengthBytes === 2) return { opcode, isLast, sizeBytes: bytes.readUInt16BE(2), headBytes };
  const size = bytes.readBigUInt64BE(2);
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw new WebSocketError('a frame without end');
  return { opcode, isLast, sizeBytes: Number(size), headBytes };
}

function frameHead(opcode: number, sizeBytes: number): Buffer {
  if (sizeBytes <= CONTROL_BYTES_MAX) return Buffer.from([FIN | opcode, sizeBytes]);
  if (sizeBytes <= 0xffff) {
    const head = Buffer.from([FIN | opcode, TWO_BYTES, 0, 0]);
    head.writeUInt16BE(sizeBytes, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head[0] = FIN | opcode;
  head[1] = EIGHT_BYTES;
  head.writeBigUInt64BE(BigInt(sizeBytes), 2);
  return head;
}

/** What stands in front of so many bytes that are one binary message. */
export function messageHead(sizeBytes: number): Buffer {
  return frameHead(BINARY, sizeBytes);
}

/** The answer to a ping. @param bytes what it carried. */
export function pongFrame(bytes: Buffer): Buffer {
  return Buffer.concat([frameHead(PONG, bytes.length), bytes]);
}

/** The last frame. @param code as RFC 6455 numbers them. */
export function closeFrame(code: number): Buffer {
  const frame = Buffer.concat([frameHead(CLOSE, 2), Buffer.alloc(2)]);
  frame.writeUInt16BE(code, 2);
  return frame;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** The head that takes the client's handshake; undefined: it is none. @param protocol '': none. */
export function handshakeAnswer(
  method: string,
  headers: IncomingHttpHeaders,
  protocol: string,
): string | undefined {
  const key = headers['sec-websocket-key'] ?? '';
  const isHandshake =
    method === 'GET' && headers['sec-websocket-version'] === '13' && KEY.test(key);
  if (!isHandshake) return undefined;
  const accepted = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accepted}`,
    ...(protocol === '' ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    '\r\n',
  ].join('\r\n');
}
