/** Reads a body whole, up to a limit. */
import type { Readable } from 'node:stream';
import type { RawBody } from '../responses/exchange.ts';
import { ReceivedBytes } from './received-bytes.ts';

const EMPTY = Buffer.alloc(0);

/** That of a request without a body. */
export const EMPTY_BODY: RawBody = { kind: 'whole', bytes: EMPTY };

/**
 * What all bodies that are being read may hold together. It is what kube-apiserver's limit of
 * requests in flight comes to; beyond it a client is asked to come again.
 */
const HELD_BYTES_MAX = 512 * 1024 * 1024;
let heldBytes = 0;

/** Resolves when the body has come, or is known not to come whole; never rejects. */
export function readWholeBody(stream: Readable, bytesMax: number): Promise<RawBody> {
  return new Promise((resolve) => {
    const body = new GatheredBody(bytesMax, resolve);
    stream.on('data', (chunk: Buffer) => {
      // What is too much is read on and dropped: the answer waits for a client that is still sending.
      body.add(chunk);
    });
    stream.on('end', () => {
      body.end();
    });
    const broken = (): void => {
      body.breakOff();
    };
    stream.on('error', broken);
    stream.on('close', broken);
    // Its client may have gone before it was to be read.
    if (stream.destroyed) broken();
  });
}

/** A body that is being read whole. It is told of once; what comes behind that is dropped. */
export class GatheredBody {
  readonly #bytesMax: number;
  readonly #tell: (read: RawBody) => void;
  readonly #received = new ReceivedBytes();
  #isSettled = false;

  constructor(bytesMax: number, tell: (read: RawBody) => void) {
    this.#bytesMax = bytesMax;
    this.#tell = tell;
  }

  add(chunk: Buffer): void {
    if (this.#isSettled) return;
    if (this.#received.size + chunk.length > this.#bytesMax) this.#settle({ kind: 'tooLarge' });
    else if (heldBytes + chunk.length > HELD_BYTES_MAX) this.#settle({ kind: 'tooMany' });
    else {
      heldBytes += chunk.length;
      this.#received.add(chunk);
    }
  }

  end(): void {
    if (this.#isSettled) return;
    heldBytes -= this.#received.size;
    this.#isSettled = true;
    this.#tell({ kind: 'whole', bytes: this.#received.take() });
  }

  breakOff(): void {
    this.#settle({ kind: 'brokenOff' });
  }

  #settle(read: RawBody): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    heldBytes -= this.#received.size;
    this.#received.take();
    this.#tell(read);
  }
}
