/**
 * What a node says of a command to a client of SPDY, on its way to the client, and one frame of ours behind it:
 * where the connection to the node ends before the node has said how the command ended, or this server ends it,
 * the client is told so on the stream of errors. Clients take the bare end of a connection for success, so without it a command whose
 * output was cut short ends with code 0.
 *
 * The surprise: a frame of data that has not come whole is passed on as several frames, each as long as what is
 * there. So the client always stands between two frames, and ours can follow at any moment.
 *
 * Upstream's server passes bytes on unread, and its clients end with 0.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { internalError } from '../../api/meta/status.ts';
import { CONTROL_BYTES_MAX, dataHead, HEAD_BYTES, SpdyReader } from './spdy-frames.ts';

/** What a client is told of a node that has gone before it said how a command ended. */
export const BROKEN_OFF = 'the connection to the node has broken off';

/** From this version on the stream of errors carries a Status; before, a text where something went wrong. */
const WITH_STATUS = 'v4.channel.k8s.io';
const CONTROL = 0x80;
const FIN = 1;
const RST_STREAM = 3;
const EMPTY = Buffer.alloc(0);

/** Looks at what a node says of one command, as it passes. */
export class CommandOutcome {
  readonly #protocol: string;
  #why = BROKEN_OFF;
  /** Reads the client until it has opened the stream of errors, which client-go opens first. */
  #client: SpdyReader | undefined = new SpdyReader();
  #errors: number | undefined;
  #isTold = false;
  /** What the node says is no SPDY: it passes as it is. */
  #isForeign = false;
  /** The beginning of a frame that cannot be passed on yet: a part of its head, or of a control frame. */
  #held: Buffer = EMPTY;
  /** Of the data frame that is under way: what has not come yet. */
  #left = 0;
  #stream = 0;
  #isLast = false;

  /** @param protocol `v4.channel.k8s.io`, as the node has chosen it. */
  constructor(protocol: string) {
    this.#protocol = protocol;
  }

  /** Says what the client is told where the node says no more how the command ended. */
  breaksOffBecause(why: string): void {
    this.#why = why;
  }

  /** Told of what the client says, in order. */
  clientSaid(chunk: Buffer): void {
    try {
      for (const event of this.#client?.read(chunk) ?? []) {
        if (event.kind !== 'offered') continue;
        this.#errors = event.stream;
        this.#client = undefined;
        return;
      }
    } catch {
      this.#client = undefined; // The node judges it.
    }
  }

  /**
   * What can be passed on of what the node has said by now, in parts that may be of the chunk.
   *
   * @param chunk may be changed.
   */
  pass(chunk: Buffer): readonly Buffer[] {
    return this.#isForeign ? [chunk] : this.#whole(chunk);
  }

  /** What the client is told behind all that the node has said; empty: the node has told it. */
  rest(): Buffer {
    if (this.#errors === undefined || this.#isTold || this.#isForeign) return EMPTY;
    const error = internalError(new Error(this.#why));
    const isStatus = this.#protocol === WITH_STATUS;
    const text = Buffer.from(isStatus ? formatJson(error) : this.#why);
    return Buffer.concat([dataHead(this.#errors, text.length, true), text]);
  }

  /** What can be passed on so that the client stands between two frames. */
  #whole(chunk: Buffer): readonly Buffer[] {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = EMPTY;
    const goesOn = Math.min(this.#left, bytes.length);
    const head = goesOn === 0 ? EMPTY : this.#headOfNext(goesOn);
    const at = goesOn === bytes.length ? goesOn : this.#frames(bytes, goesOn);
    const passed = bytes.subarray(0, at);
    return head.length === 0 ? [passed] : [head, passed];
  }

  /**
   * Looks at the frames from there on. Kubelets write the head of a data frame into a record of TLS of its own. It is
   * known then and not held: else it would have to be joined with what follows, in memory of its own for each frame.
   *
   * @returns where the client stands between two frames; what is behind it is held, or known.
   */
  #frames(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length;) {
      const end = endOfFrame(bytes, at);
      if (end === 'foreign') {
        this.#isForeign = true;
        break;
      }
      if (end === 'waits') {
        // A copy, so that a large chunk is not kept for a few bytes of it.
        this.#held = Buffer.from(bytes.subarray(at));
        return at;
      }
      this.#look(bytes, at, end);
      const there = bytes.length - at - HEAD_BYTES;
      if (end > bytes.length && there === 0) return at;
      if (end > bytes.length) this.#headOfNext(there).copy(bytes, at);
      at = end;
    }
    return bytes.length;
  }

  #look(bytes: Buffer, at: number, end: number): void {
    const first = bytes[at] ?? 0;
    if ((first & CONTROL) !== 0) {
      const isReset = bytes.readUInt16BE(at + 2) === RST_STREAM && end - at >= HEAD_BYTES + 4;
      if (isReset && bytes.readUInt32BE(at + HEAD_BYTES) === this.#errors) this.#isTold = true;
      return;
    }
    this.#stream = bytes.readUInt32BE(at);
    this.#isLast = ((bytes[at + 4] ?? 0) & FIN) !== 0;
    const sizeBytes = end - at - HEAD_BYTES;
    if (end > bytes.length) this.#left = sizeBytes;
    else if (sizeBytes > 0 || this.#isLast) this.#hasPassed();
  }

  /** The head of so many bytes more of the data frame that is under way. */
  #headOfNext(bytes: number): Buffer {
    this.#left -= bytes;
    this.#hasPassed();
    return dataHead(this.#stream, bytes, this.#isLast && this.#left === 0);
  }

  /** Something of the data frame that is under way reaches the client. */
  #hasPassed(): void {
    if (this.#stream === this.#errors) this.#isTold = true;
  }
}

/** Where the frame ends that begins there, maybe behind the bytes; or that it cannot be cut where they end. */
function endOfFrame(bytes: Buffer, at: number): number | 'waits' | 'foreign' {
  const there = bytes.length - at;
  if (there < HEAD_BYTES) return 'waits';
  const sizeBytes = bytes.readUIntBE(at + 5, 3);
  const end = at + HEAD_BYTES + sizeBytes;
  const isControl = ((bytes[at] ?? 0) & CONTROL) !== 0;
  if (isControl && sizeBytes > CONTROL_BYTES_MAX) return 'foreign';
  if (end <= bytes.length) return end;
  return isControl ? 'waits' : end;
}
