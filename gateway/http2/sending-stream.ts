/**
 * The sending half of a stream of HTTP/2: what is to be sent is kept here until the connection asks for it,
 * at the end of the turn of the event loop (sender.ts). Servers' streams and clients' have it alike.
 *
 * In the RFCs: RFC 9113, sections 5.1 and 5.2.
 */
import type { ByteSource } from '../responses/exchange.ts';
import { FRAME_BYTES_MAX } from './frames.ts';

/** As many bytes may wait to be sent before a writer is told to wait. */
const WAITING_BYTES = 16_384;

export abstract class SendingStream {
  readonly id: number;
  /** How many bytes the peer takes. */
  sendWindow: number;
  /** The connection has it among those that have something to send. */
  isListed = false;
  closed = false;
  /** Nothing more is written. */
  isEnded = false;
  /** Its last frame was handed to the socket. */
  isSent = false;
  /** Written, and not sent yet. */
  waitingBytes = 0;
  #chunks: Uint8Array[] = [];
  /** In place of chunks. */
  #source: ByteSource | undefined;
  /** Of the first chunk, what is sent already. */
  #chunkAt = 0;
  #isDrainDue = false;
  #onDrain: (() => void) | undefined;

  constructor(id: number, sendWindow: number) {
    this.id = id;
    this.sendWindow = sendWindow;
  }

  /** Whether there are headers that can be sent now. */
  abstract get hasHead(): boolean;

  /** Whether there is a frame that could be sent, for all that the connection has room for. */
  get canSend(): boolean {
    if (this.closed || this.isSent) return false;
    if (this.hasHead) return true;
    return this.waitingBytes > 0 ? this.sendWindow > 0 : this.isEnded;
  }

  /** Nothing but the end is left to be said. */
  get isSaid(): boolean {
    return this.isEnded && this.waitingBytes === 0;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** How many bytes the next frame can carry. */
  sendable(connectionWindow: number): number {
    return Math.max(
      0,
      Math.min(this.waitingBytes, FRAME_BYTES_MAX, this.sendWindow, connectionWindow),
    );
  }

  /** Moves that many bytes to where they are sent from. */
  moveTo(target: Buffer, at: number, bytes: number): void {
    this.sendWindow -= bytes;
    this.waitingBytes -= bytes;
    if (this.#source !== undefined) {
      this.#source.moveTo(target, at, bytes);
      return;
    }
    let left = bytes;
    let to = at;
    while (left > 0) {
      const chunk = this.#chunks[0] as Uint8Array;
      const end = Math.min(chunk.length, this.#chunkAt + left);
      const isWhole = this.#chunkAt === 0 && end === chunk.length;
      target.set(isWhole ? chunk : chunk.subarray(this.#chunkAt, end), to);
      to += end - this.#chunkAt;
      left -= end - this.#chunkAt;
      if (end === chunk.length) {
        this.#chunks.shift();
        this.#chunkAt = 0;
      } else this.#chunkAt = end;
    }
  }

  /** Tells a writer that waits for room that there is some. */
  tellDrained(): void {
    if (!this.#isDrainDue || this.waitingBytes > 0 || this.closed) return;
    this.#isDrainDue = false;
    this.#onDrain?.();
  }

  protected keep(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.waitingBytes += chunk.length;
  }

  /** Before anything is kept. */
  protected keepSource(source: ByteSource): void {
    this.#source = source;
    this.waitingBytes = source.sizeBytes;
  }

  /** @returns whether its writer need not wait until it is told that there is room. */
  protected hasRoom(): boolean {
    this.#isDrainDue = this.waitingBytes >= WAITING_BYTES;
    return !this.#isDrainDue;
  }

  protected dropUnsent(): void {
    this.#chunks = [];
    this.#source = undefined;
    this.waitingBytes = 0;
  }
}
