/**
 * The end of what a client says to a command, on its way to a node behind a tunnel: it waits until the node has said
 * nothing for a moment.
 *
 * The surprise: a node closes its connection behind the last byte of a command, whether the client has ended its input or
 * not. What reaches the node after that makes its system reset the connection and drop what has not been sent yet; and a
 * tunnel takes so long that the end of an empty input comes behind a short command's last byte. Data never waits.
 *
 * Upstream's server passes it on at once, and commands are cut short where it is slow: docs/decisions/0080.
 */
import { Transform, type TransformCallback } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';
import { FrameWalk, HEAD_BYTES } from './spdy-frames.ts';

/** So long a node has said nothing. A command that waits for the end of its input is told so much later. */
const QUIET_MS = 50;
/** So long the end waits at most, for a command that talks on. */
const WAIT_MS_MAX = 1_000;

/** Waits for a moment in which a node says nothing. One at a time waits for it. */
export class QuietMoment {
  readonly #clock: Clock;
  #heardAt = 0;
  #until = 0;
  #then: (() => void) | undefined;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The node has said something. */
  heard(): void {
    this.#heardAt = this.#clock.now();
  }

  /** Calls back when it has come; the node may have ended meanwhile. */
  await(then: () => void): void {
    const now = this.#clock.now();
    this.#until = now + WAIT_MS_MAX;
    this.#then = then;
    this.#look(now, now);
  }

  /** Waits no longer: calls back now. */
  cutShort(): void {
    const then = this.#then;
    this.drop();
    then?.();
  }

  /** Nothing is waited for any more. */
  drop(): void {
    this.#cancel();
    this.#then = undefined;
  }

  #look(now: number, since: number): void {
    const at = Math.min(Math.max(this.#heardAt, since) + QUIET_MS, this.#until);
    if (at <= now) {
      this.cutShort();
      return;
    }
    this.#cancel = this.#clock.after(at - now, () => {
      this.#look(this.#clock.now(), since);
    });
  }
}

/** Passes on what a client says in SPDY. An end of a stream behind which nothing has come waits for a quiet moment. */
export class InputEnd extends Transform {
  readonly #quiet: QuietMoment;
  readonly #frames = new FrameWalk();

  constructor(clock: Clock) {
    super();
    this.#quiet = new QuietMoment(clock);
  }

  /** The node has said something. */
  heard(): void {
    this.#quiet.heard();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    // The order of frames stays what it was.
    this.#quiet.cutShort();
    const isEnd = this.#frames.pass(chunk) === 'end of a stream';
    const to = isEnd ? chunk.length - HEAD_BYTES : chunk.length;
    if (to > 0) this.push(chunk.subarray(0, to));
    if (isEnd) {
      const end = Buffer.from(chunk.subarray(to));
      this.#quiet.await(() => {
        this.push(end);
      });
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#quiet.cutShort();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#quiet.drop();
    done(error);
  }
}
