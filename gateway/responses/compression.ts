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
  return hasWord(acceptEncoding, 'gzip');
}

/** Whether the word stands in the list by itself; the list may be of tens of thousands of commas. */
function hasWord(list: string, word: string): boolean {
  for (let at = list.indexOf(word); at >= 0; at = list.indexOf(word, at + word.length)) {
    if (isBorder(list, at - 1, -1) && isBorder(list, at + word.length, 1)) return true;
  }
  return false;
}

/** Whether from there on, in that direction, nothing but blanks comes before a comma or the end. */
function isBorder(list: string, from: number, step: 1 | -1): boolean {
  let at = from;
  while (list[at] === ' ' || list[at] === '\t') at += step;
  return at < 0 || at >= list.length || list[at] === ',';
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
