/**
 * What a peer sends on a connection, frame by frame, each led to what its type asks for. A server (incoming.ts) and a
 * client (client/client-incoming.ts) tell what a head, data, a reset and settings are to them.
 *
 * In the RFCs: RFC 9113, section 6.
 */
import { FrameReader } from './frame-reader.ts';
import { checkDependency, checkFrame, type Frame, type PeerSettings } from './frame-rules.ts';
import {
  CODE,
  ConnectionError,
  FLAG,
  FRAME,
  pingFrame,
  settingsAck,
  WINDOW_BYTES_MAX,
} from './frames.ts';
import { HeadReader } from './head-reader.ts';
import type { HeldBlocks } from './header-block.ts';
import type { DecodedHead, HeadLimits } from './hpack-decoder.ts';
import type { OpenStreams, WindowedStream } from './open-streams.ts';
import type { Sender } from './sender.ts';

/** The connection that frames come on. */
export interface IncomingFramesParts<Stream extends WindowedStream> {
  /** Of heads: bytes and fields. */
  readonly limits: HeadLimits;
  readonly sender: Sender<Stream>;
  /** Those that frames are for. */
  readonly streams: OpenStreams<Stream>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A ping of this end was answered. */
  readonly answered: (opaque: Buffer) => void;
}

interface PeerParts {
  /** Heads that are not whole, of all peers of this kind. */
  readonly held: HeldBlocks;
  /** What the peer says before its first frame; undefined: what clients say. */
  readonly preface?: Buffer;
}

/** So many streams are looked at in the time that a frame takes. */
const STREAMS_PER_FRAME = 16;

export abstract class IncomingFrames<Stream extends WindowedStream> {
  /** Nothing is taken any more. */
  isOver = false;
  readonly #connection: IncomingFramesParts<Stream>;
  readonly #reader: FrameReader;
  readonly #heads: HeadReader;

  constructor(connection: IncomingFramesParts<Stream>, { held, preface }: PeerParts) {
    this.#connection = connection;
    this.#heads = new HeadReader({
      take: (stream, isEnd, head) => {
        this.head(stream, isEnd, head);
      },
      ...{ limits: connection.limits, held, now: connection.now },
    });
    this.#reader = new FrameReader((frame) => {
      if (!this.isOver) this.take(frame);
    }, preface);
  }

  /** When a block of headers began that is not whole; undefined: there is none. */
  get headSince(): number | undefined {
    return this.#heads.since;
  }

  /** @throws ConnectionError */
  read(chunk: Buffer): void {
    if (!this.isOver) this.#reader.read(chunk);
  }

  end(): void {
    this.isOver = true;
    this.#heads.end();
  }

  /** A head has come, or what stands behind a body. */
  protected abstract head(id: number, isEnd: boolean, decoded: DecodedHead): void;
  protected abstract data(frame: Frame): void;
  protected abstract reset(frame: Frame): void;
  /** Not those that acknowledge this end's. */
  protected abstract settings(frame: Frame): void;
  /** The peer takes no more streams. */
  protected abstract goAway(frame: Frame): void;
  /** @throws ConnectionError where no stream of this number was opened. */
  protected abstract checkNotIdle(id: number): void;

  /** @throws ConnectionError */
  protected take(frame: Frame): void {
    const { streams } = this.#connection;
    this.#heads.check(frame);
    checkFrame(frame);
    switch (frame.type) {
      case FRAME.data:
        this.data(frame);
        return;
      case FRAME.headers:
        this.#heads.headers(frame);
        return;
      case FRAME.continuation:
        this.#heads.continuation(frame);
        return;
      case FRAME.rstStream:
        this.reset(frame);
        return;
      case FRAME.settings:
        streams.spend(1 + streams.size / STREAMS_PER_FRAME);
        if ((frame.flags & FLAG.ack) === 0) this.settings(frame);
        return;
      case FRAME.windowUpdate:
        this.#windowUpdate(frame);
        break;
      case FRAME.ping:
        this.#ping(frame);
        break;
      case FRAME.goAway:
        this.goAway(frame);
        break;
      case FRAME.priority:
        checkDependency(frame.stream, frame.bytes, frame.from);
    }
    // With priorities, and frames of types that are to come.
    streams.spend(1);
  }

  /** What settings say of tables and windows. @throws ConnectionError */
  protected heed({ headerTableBytes, initialWindowBytes }: PeerSettings): void {
    const { sender, streams } = this.#connection;
    for (const bytes of headerTableBytes) sender.resizeTable(bytes);
    sender.say(settingsAck());
    if (initialWindowBytes !== undefined) streams.setSendWindow(initialWindowBytes);
  }

  #windowUpdate({ stream: id, bytes, from }: Frame): void {
    const { sender, streams } = this.#connection;
    const more = bytes.readUInt32BE(from) & WINDOW_BYTES_MAX;
    if (id === 0) {
      if (more === 0) throw new ConnectionError(CODE.protocolError, 'a window opens by nothing');
      sender.openWindow(more);
      return;
    }
    const stream = streams.get(id);
    if (stream === undefined) this.checkNotIdle(id);
    else streams.openWindow(stream, more);
  }

  #ping({ flags, bytes, from, to }: Frame): void {
    const opaque = bytes.subarray(from, to);
    if (flags & FLAG.ack) this.#connection.answered(opaque);
    else this.#connection.sender.say(pingFrame(opaque, true));
  }
}
