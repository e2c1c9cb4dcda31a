/**
 * A pipe through which so many bytes pass in a second. Its writer is held back, and one chunk waits in it.
 *
 * In Kubernetes: PerConnectionBandwidthLimitBytesPerSec, over mxk/go-flowrate.
 */
import { Transform, type TransformCallback } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';

const MS_PER_SEC = 1_000;

/** Passes bytes on and lets each take its time. */
export class RateLimit extends Transform {
  readonly #clock: Clock;
  readonly #bytesPerSec: number;
  #cancel: () => void = () => undefined;

  constructor({ clock, bytesPerSec }: { readonly clock: Clock; readonly bytesPerSec: number }) {
    super();
    this.#clock = clock;
    this.#bytesPerSec = bytesPerSec;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const tookMs = (chunk.length / this.#bytesPerSec) * MS_PER_SEC;
    this.push(chunk);
    this.#cancel = this.#clock.after(tookMs, () => {
      done();
    });
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#cancel();
    callback(error);
  }
}
