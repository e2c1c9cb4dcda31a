/**
 * Large answers are compressed for clients that take it, off the main thread.
 *
 * In Kubernetes: deferredResponseWriter, apiserver/pkg/endpoints/handlers/responsewriters, which
 * compresses from 128 KiB on at level 1.
 */
import { pipeline, Readable } from 'node:stream';
import { createGzip, gzip } from 'node:zlib';
import type { Exchange } from './exchange.ts';

const COMPRESS_FROM_BYTES = 128 * 1024;
const LEVEL = 1;

/**
 * The word by itself, as upstream reads it: a client that gives it a weight, of nothing or of all, gets
 * the bytes as they are.
 */
export function isWorthCompressing(
  { method, acceptEncoding }: Pick<Exchange, 'method' | 'acceptEncoding'>,
  sizeBytes: number,
): boolean {
  if (sizeBytes <= COMPRESS_FROM_BYTES || method !== 'GET' || acceptEncoding === '') return false;
  return acceptEncoding.split(',').some((part) => part.trim() === 'gzip');
}

/** undefined when it could not be done, for want of memory. Never rejects. */
export function compressed(bytes: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    gzip(bytes, { level: LEVEL }, (error, small) => {
      resolve(error === null ? small : undefined);
    });
  });
}

/** What comes in chunks, compressed: only as much as the reader takes is made and held. */
export function compressedStream(chunks: Iterable<Buffer>): Readable {
  const gzipping = createGzip({ level: LEVEL });
  // What goes wrong with the chunks is told by what is given back.
  return pipeline(Readable.from(chunks, { highWaterMark: 1 }), gzipping, ignore);
}

function ignore(): void {
  // See above.
}
