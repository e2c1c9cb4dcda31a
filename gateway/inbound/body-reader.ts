/** Reads a body whole, up to a limit. */
import type { Readable } from 'node:stream';
import type { RawBody } from '../responses/exchange.ts';

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
    gatherBody(stream, bytesMax, resolve);
  });
}

function gatherBody(stream: Readable, bytesMax: number, tell: (read: RawBody) => void): void {
  let chunks: Buffer[] = [];
  let sizeBytes = 0;
  let keptBytes = 0;
  let settled = false;
  const settle = (read: RawBody): void => {
    if (settled) return;
    settled = true;
    heldBytes -= keptBytes;
    chunks = [];
    tell(read);
  };
  stream.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    // What is too much is read on and dropped: the answer waits for a client that is still sending.
    if (settled) return;
    if (sizeBytes > bytesMax) {
      settle({ kind: 'tooLarge' });
      return;
    }
    if (heldBytes + chunk.length > HELD_BYTES_MAX) {
      settle({ kind: 'tooMany' });
      return;
    }
    heldBytes += chunk.length;
    keptBytes += chunk.length;
    chunks.push(chunk);
  });
  stream.on('end', () => {
    const [first = EMPTY] = chunks;
    settle({ kind: 'whole', bytes: chunks.length <= 1 ? first : Buffer.concat(chunks) });
  });
  const broken = (): void => {
    settle({ kind: 'brokenOff' });
  };
  stream.on('error', broken);
  stream.on('close', broken);
  // Its client may have gone before it was to be read.
  if (stream.destroyed) broken();
}
