/**
 * The streams that closed last. A frame that was under way when the server reset its stream is no fault of
 * the client's; one behind the end that the client itself set is.
 *
 * In the RFCs: RFC 9113, section 5.1, "closed".
 */

/** A power of two. Streams of a client have odd numbers. */
const PLACES = 256;

export type ClosedBy = 'unknown' | 'client' | 'server';

export class ClosedStreams {
  readonly #streams = new Uint32Array(PLACES);
  readonly #byServer = new Uint8Array(PLACES);

  add(stream: number, isByServer: boolean): void {
    const place = (stream >>> 1) & (PLACES - 1);
    this.#streams[place] = stream;
    this.#byServer[place] = isByServer ? 1 : 0;
  }

  /** `unknown`: long ago, or it was never open. */
  closedBy(stream: number): ClosedBy {
    const place = (stream >>> 1) & (PLACES - 1);
    if (this.#streams[place] !== stream) return 'unknown';
    return this.#byServer[place] === 1 ? 'server' : 'client';
  }
}
