/**
 * The streams of one end of a connection: which are open, how much either end may still send, and how many frames
 * that bring nothing are put up with. Those of a server (streams.ts) and of a client (client/client-streams.ts) are
 * alike in this.
 *
 * In the RFCs: RFC 9113, sections 5.2, 6.9 and 10.5.
 */
import { NumberedUnderWay } from '../../actors/request/under-way.ts';
import {
  CODE,
  ConnectionError,
  WINDOW_BYTES,
  WINDOW_BYTES_MAX,
  windowUpdate,
  type ErrorCode,
} from './frames.ts';
import { Patience } from './patience.ts';
import type { Sender } from './sender.ts';
import type { SendingStream } from './sending-stream.ts';

/** Frames that bring the peer nothing. */
const IDLE_FRAMES = { burst: 10_000, perSecond: 1_000 };
/** A request, and each frame of data, may be followed by some of them. */
const FRAMES_PER_REQUEST = 4;
const FRAMES_PER_DATA = 2;
const DATA_BYTES_PER_FRAME = 512;

/** A stream whose peer may send as much as its window says. */
export interface WindowedStream extends SendingStream {
  /** All that the peer sends on it was received. */
  readonly isReceived: boolean;
  /** How many bytes the peer may send. */
  receiveWindow: number;
  /** Read, and not given back to the peer's window yet. */
  unreturned: number;
}

/** Windows, and where they are told. */
export interface OpenStreamsParts<Stream extends WindowedStream> {
  readonly sender: Sender<Stream>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How many bytes the peer may send that were not read: on the whole connection, and on each stream. */
  readonly connectionWindowBytes: number;
  readonly streamWindowBytes: number;
}

export abstract class OpenStreams<Stream extends WindowedStream> {
  /** When one closed last, or the connection began: milliseconds since 1970. */
  usedAt: number;
  protected readonly streams = new NumberedUnderWay<Stream>();
  protected isOver = false;
  /** How many bytes each new stream may send. */
  protected sendWindow = WINDOW_BYTES;
  readonly #windows: OpenStreamsParts<Stream>;
  readonly #idleFrames: Patience;
  #receiveWindow: number;
  /** Read, and not given back to the peer's window yet. */
  #unreturned = 0;

  constructor(windows: OpenStreamsParts<Stream>) {
    this.#windows = windows;
    this.usedAt = windows.now();
    this.#idleFrames = new Patience(IDLE_FRAMES, windows.now);
    this.#receiveWindow = windows.connectionWindowBytes;
  }

  get size(): number {
    return this.streams.size;
  }

  get(id: number): Stream | undefined {
    return this.streams.get(id);
  }

  /** The peer has broken the rules for a stream. @throws ConnectionError where that is too often too far. */
  abstract resetForFault(stream: Stream, code: ErrorCode): void;

  // What the peer is let do.

  /** A request was begun. */
  protected requested(): void {
    this.#idleFrames.earn(FRAMES_PER_REQUEST);
  }

  /** Frames that cost this end something and bring the peer nothing. @throws ConnectionError */
  spend(frames: number): void {
    if (this.#idleFrames.spend(frames)) return;
    throw new ConnectionError(CODE.enhanceYourCalm, 'too many frames that bring nothing');
  }

  /** Data was sent, which the peer answers with frames that bring it nothing else. */
  sentData(bytes: number): void {
    this.#idleFrames.earn(FRAMES_PER_DATA + bytes / DATA_BYTES_PER_FRAME);
  }

  // Windows.

  /** @throws ConnectionError where the peer was not allowed to send as much. */
  received(bytes: number): void {
    this.#receiveWindow -= bytes;
    if (this.#receiveWindow >= 0) return;
    throw new ConnectionError(CODE.flowControlError, 'more was sent than the connection takes');
  }

  /** The bytes of the connection were read, or never will be. */
  returned(bytes: number): void {
    if (this.isOver) return;
    const { connectionWindowBytes, sender } = this.#windows;
    this.#unreturned += bytes;
    if (2 * this.#unreturned < connectionWindowBytes) return;
    sender.say(windowUpdate(0, this.#unreturned));
    this.#receiveWindow += this.#unreturned;
    this.#unreturned = 0;
  }

  /** The bytes of a stream were read. */
  hasRead(stream: Stream, bytes: number): void {
    if (this.isOver || stream.closed || stream.isReceived) return;
    const { sender, streamWindowBytes } = this.#windows;
    stream.unreturned += bytes;
    if (2 * stream.unreturned < streamWindowBytes) return;
    sender.say(windowUpdate(stream.id, stream.unreturned));
    stream.receiveWindow += stream.unreturned;
    stream.unreturned = 0;
  }

  /** Of a stream. @throws ConnectionError where that is too often too far. */
  openWindow(stream: Stream, bytes: number): void {
    stream.sendWindow += bytes;
    if (bytes === 0) this.resetForFault(stream, CODE.protocolError);
    else if (stream.sendWindow > WINDOW_BYTES_MAX) {
      this.resetForFault(stream, CODE.flowControlError);
    } else if (stream.canSend) this.#windows.sender.list(stream);
  }

  /** Of all streams, and those that are to come. @throws ConnectionError */
  setSendWindow(bytes: number): void {
    const more = bytes - this.sendWindow;
    this.sendWindow = bytes;
    this.streams.forEach((stream) => {
      stream.sendWindow += more;
      if (stream.sendWindow > WINDOW_BYTES_MAX) {
        throw new ConnectionError(CODE.flowControlError, 'a window is too large');
      }
      if (stream.canSend) this.#windows.sender.list(stream);
    });
  }
}
