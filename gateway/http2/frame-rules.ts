/**
 * What the payloads of frames hold, and the rules for them. A frame that breaks one ends its connection.
 *
 * In the RFCs: RFC 9113, section 6.
 */
import {
  CODE,
  ConnectionError,
  FLAG,
  FRAME,
  SETTING,
  STREAM_MAX,
  WINDOW_BYTES_MAX,
} from './frames.ts';

const RESET_BYTES = 4;
const PRIORITY_BYTES = 5;
const SETTING_BYTES = 6;
const PING_BYTES = 8;
const GO_AWAY_BYTES_MIN = 8;
const FRAME_SIZE_MIN = 2 ** 14;
const FRAME_SIZE_MAX = 2 ** 24 - 1;

/** Frames that belong to the connection, and those that belong to a stream; others may be either. */
const OF_CONNECTION: ReadonlySet<number> = new Set([FRAME.settings, FRAME.ping, FRAME.goAway]);
const OF_STREAM: ReadonlySet<number> = new Set([
  ...[FRAME.data, FRAME.headers, FRAME.priority, FRAME.rstStream, FRAME.continuation],
]);

/** The length that every frame of a type has. */
const LENGTHS: ReadonlyMap<number, number> = new Map<number, number>([
  [FRAME.priority, PRIORITY_BYTES],
  [FRAME.rstStream, RESET_BYTES],
  [FRAME.ping, PING_BYTES],
  [FRAME.windowUpdate, 4],
]);

/** A frame as it was cut from the connection: its payload lies from `from` to `to`. */
export interface Frame {
  /** One of FRAME, or one that is to come. */
  readonly type: number;
  /** Bits of FLAG. */
  readonly flags: number;
  /** 0: of the connection. */
  readonly stream: number;
  /** Where it lies, among others. */
  readonly bytes: Buffer;
  /** Whether this memory is its own; else it is that of what was read, where others may come. */
  readonly isOwn: boolean;
  /** Where its payload begins. */
  readonly from: number;
  /** And ends. */
  readonly to: number;
}

/** What is asked of a frame before its payload is read. @throws ConnectionError */
export function checkFrame({ type, flags, stream, from, to }: Frame): void {
  if (stream === 0 ? OF_STREAM.has(type) : OF_CONNECTION.has(type)) {
    throw new ConnectionError(CODE.protocolError, 'a frame is on a stream where it may not be');
  }
  const length = to - from;
  const isRight =
    length === (LENGTHS.get(type) ?? length) &&
    (type !== FRAME.goAway || length >= GO_AWAY_BYTES_MIN) &&
    (type !== FRAME.settings || (flags & FLAG.ack ? length === 0 : length % SETTING_BYTES === 0));
  if (!isRight) throw new ConnectionError(CODE.frameSizeError, 'a frame has a wrong length');
  if (type === FRAME.pushPromise) {
    throw new ConnectionError(CODE.protocolError, 'a stream is pushed, and none may be');
  }
}

/** Where the content of DATA and HEADERS lies: without padding and priority. @throws ConnectionError */
export function contentOf({ type, flags, stream, bytes, from, to }: Frame): {
  start: number;
  end: number;
} {
  let [start, end] = [from, to];
  if (flags & FLAG.padded) {
    end -= bytes[start] ?? 0;
    start += 1;
  }
  if (type === FRAME.headers && flags & FLAG.priority) {
    if (start + PRIORITY_BYTES <= end) checkDependency(stream, bytes, start);
    start += PRIORITY_BYTES;
  }
  if (start > end)
    throw new ConnectionError(CODE.protocolError, 'a frame is padded beyond its end');
  return { start, end };
}

/** @param at where the stream is named that the frame's own depends on. @throws ConnectionError */
export function checkDependency(stream: number, bytes: Buffer, at: number): void {
  if ((bytes.readUInt32BE(at) & STREAM_MAX) === stream) {
    throw new ConnectionError(CODE.protocolError, 'a stream depends on itself');
  }
}

/** What a peer can set that matters to the other; undefined: it is left as it is. */
export interface PeerSettings {
  /** In the order in which they came. */
  readonly headerTableBytes: readonly number[];
  readonly initialWindowBytes: number | undefined;
  /** Requests at a time. */
  readonly streamsMax: number | undefined;
}

/**
 * Of a setting that comes several times the last one holds.
 *
 * @param pushMax what the peer may say of pushes: 1 is for clients alone.
 * @throws ConnectionError
 */
export function settingsOf({ bytes, from, to }: Frame, pushMax = 1): PeerSettings {
  const headerTableBytes: number[] = [];
  let initialWindowBytes: number | undefined;
  let streamsMax: number | undefined;
  for (let at = from; at < to; at += SETTING_BYTES) {
    const value = bytes.readUInt32BE(at + 2);
    switch (bytes.readUInt16BE(at)) {
      case SETTING.headerTableSize:
        headerTableBytes.push(value);
        break;
      case SETTING.enablePush:
        if (value > pushMax) throw new ConnectionError(CODE.protocolError, 'ENABLE_PUSH is wrong');
        break;
      case SETTING.maxConcurrentStreams:
        streamsMax = value;
        break;
      case SETTING.initialWindowSize:
        if (value > WINDOW_BYTES_MAX) {
          throw new ConnectionError(CODE.flowControlError, 'a window is too large');
        }
        initialWindowBytes = value;
        break;
      case SETTING.maxFrameSize:
        if (value < FRAME_SIZE_MIN || value > FRAME_SIZE_MAX) {
          throw new ConnectionError(CODE.protocolError, 'MAX_FRAME_SIZE is out of range');
        }
    }
  }
  return { headerTableBytes, initialWindowBytes, streamsMax };
}
