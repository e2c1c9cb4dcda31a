/** How events of a watch are set off from one another, over HTTP, over WebSocket and on a live socket. */

/**
 * How one event is set off from the next: JSON lines and length-prefixed protobuf over HTTP are
 * complete as they are encoded; over WebSocket each event is a message of its own.
 */
export interface Framing {
  readonly name: 'http' | 'text' | 'binary' | 'cbor' | 'live';
  /** Adds the event, framed, to the buffers that go out together. */
  frame(event: Buffer, out: Buffer[]): void;
}

export const HTTP_FRAMING: Framing = {
  name: 'http',
  frame(event, out) {
    out.push(event);
  },
};

const FINAL = 0x80;
/** The opcode of a text message. */
export const TEXT = 0x1;
const BINARY = 0x2;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** A message knows its own length, so the prefix that protobuf events have over HTTP is left out. */
const PROTOBUF_LENGTH_BYTES = 4;

/** RFC 6455, section 5.2; a server does not mask. */
function webSocketFraming(name: 'text' | 'binary' | 'cbor', opcode: number): Framing {
  const skip = name === 'binary' ? PROTOBUF_LENGTH_BYTES : 0;
  return {
    name,
    frame(event, out) {
      const message = event.subarray(skip);
      out.push(webSocketHead(opcode, message.length), message);
    },
  };
}

/** What stands in front of a message of so many bytes that the server sends in one frame. */
export function webSocketHead(opcode: number, length: number): Buffer {
  if (length < LENGTH_16) return Buffer.from([FINAL | opcode, length]);
  if (length <= 0xffff) {
    const head = Buffer.from([FINAL | opcode, LENGTH_16, 0, 0]);
    head.writeUInt16BE(length, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head[0] = FINAL | opcode;
  head[1] = LENGTH_64;
  head.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
  head.writeUInt32BE(length >>> 0, 6);
  return head;
}

export const TEXT_FRAMING = webSocketFraming('text', TEXT);
export const BINARY_FRAMING = webSocketFraming('binary', BINARY);
export const CBOR_FRAMING = webSocketFraming('cbor', BINARY);

const COMMA = Buffer.from(',');
const NEWLINE_BYTES = 1;

/** Elements of a list of JSON, each with the comma behind it; `eventsIn` tells where they are. */
export const LIVE_FRAMING: Framing = {
  name: 'live',
  frame(event, out) {
    out.push(event.subarray(0, event.length - NEWLINE_BYTES), COMMA);
  },
};
