/**
 * Frames of HTTP/2 as bytes, and the words for what goes wrong with them.
 *
 * In the RFCs: RFC 9113, sections 4, 6 and 7.
 */

export const FRAME_HEAD_BYTES = 9;
/** The smallest that a client may set, which is what both sides send here. */
export const FRAME_BYTES_MAX = 16_384;
/** Of any window. */
export const WINDOW_BYTES_MAX = 2 ** 31 - 1;
/** The largest number of a stream. */
export const STREAM_MAX = 2 ** 31 - 1;
/** That of a stream and a connection before either is told otherwise. */
export const WINDOW_BYTES = 65_535;

/** Types of frames. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames; which one a bit is depends on the type. */
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

/** What a side can set for the other. */
export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Why a stream or a connection ends: RFC 9113, section 7. */
export const CODE = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

/** One of them. */
export type ErrorCode = (typeof CODE)[keyof typeof CODE];

/** What ends the connection. */
export class ConnectionError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** @returns where its payload begins. */
export function writeFrameHead(
  target: Buffer,
  at: number,
  { type, flags, stream, length }: { type: number; flags: number; stream: number; length: number },
): number {
  target[at] = length >>> 16;
  target[at + 1] = length >>> 8;
  target[at + 2] = length;
  target[at + 3] = type;
  target[at + 4] = flags;
  target[at + 5] = stream >>> 24;
  target[at + 6] = stream >>> 16;
  target[at + 7] = stream >>> 8;
  target[at + 8] = stream;
  return at + FRAME_HEAD_BYTES;
}

function frame(type: number, stream: number, payload: Uint8Array, flags = 0): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + payload.length);
  writeFrameHead(bytes, 0, { type, flags, stream, length: payload.length });
  bytes.set(payload, FRAME_HEAD_BYTES);
  return bytes;
}

/** SETTINGS with these. */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  for (const [index, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frame(FRAME.settings, 0, payload);
}

/** SETTINGS that says that those of the peer hold from now on. */
export function settingsAck(): Buffer {
  return frame(FRAME.settings, 0, NONE, FLAG.ack);
}

/** PING, or the answer to one. @param opaque eight bytes. */
export function pingFrame(opaque: Uint8Array, isAck: boolean): Buffer {
  return frame(FRAME.ping, 0, opaque, isAck ? FLAG.ack : 0);
}

/** RST_STREAM. */
export function resetFrame(stream: number, code: ErrorCode): Buffer {
  return frame(FRAME.rstStream, stream, number32(code));
}

/** WINDOW_UPDATE. @param stream 0: of the connection. */
export function windowUpdate(stream: number, bytes: number): Buffer {
  return frame(FRAME.windowUpdate, stream, number32(bytes));
}

/** @param reason for a person that reads what was on the wire. */
export function goAwayFrame(lastStream: number, code: ErrorCode, reason = ''): Buffer {
  return frame(
    FRAME.goAway,
    0,
    Buffer.concat([number32(lastStream), number32(code), Buffer.from(reason)]),
  );
}

const NONE = new Uint8Array(0);

function number32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
