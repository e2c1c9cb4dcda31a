/**
 * Writes an archive as it goes: what was given is on its way out before the next is asked for,
 * so memory stays flat whatever the length of the log.
 */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { LoggedEvent } from '../event.ts';
import {
  endMark,
  GZIP_HEADER,
  headerValue,
  LineChain,
  recordValue,
  type ArchiveHeader,
} from './archive-format.ts';

type Batches = AsyncIterable<readonly LoggedEvent[]> | Iterable<readonly LoggedEvent[]>;

/** What goes into an archive: both in order, the state of objects that exist and nothing else. */
export interface ArchiveContents {
  /** Written first; what follows must agree with it. */
  readonly header: ArchiveHeader;
  /** The state as of the version before `header.from`. */
  readonly state: Batches;
  /** The records from `header.from` to `header.to`. */
  readonly records: Batches;
}

/** Lines gathered for one write into the compressor, in UTF-16 code units. */
const CHUNK_LENGTH = 64 * 1024;

/** The bytes of the archive. What `state` and `records` throw comes out here, and ends it. */
export async function* archiveBytes(contents: ArchiveContents): AsyncGenerator<Buffer, void> {
  const counts = { state: 0, records: 0 };
  const gzip = createGzip();
  // The error reaches the reader of the compressor below.
  pipeline(Readable.from(linesOf(contents, counts)), gzip, () => undefined);
  const hash = createHash('sha256');
  let seen = 0;
  for await (const chunk of gzip as AsyncIterable<Buffer>) {
    if (seen < GZIP_HEADER.length) GZIP_HEADER.copy(chunk, 0, seen);
    seen += chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  yield endMark(counts, hash.digest('hex'));
}

async function* linesOf(
  { header, state, records }: ArchiveContents,
  counts: { state: number; records: number },
): AsyncGenerator<string, void> {
  const chain = new LineChain();
  yield chain.write(headerValue(header));
  for await (const batch of state) {
    counts.state += batch.length;
    yield* chunksOf(batch, chain);
  }
  for await (const batch of records) {
    counts.records += batch.length;
    yield* chunksOf(batch, chain);
  }
}

function* chunksOf(batch: readonly LoggedEvent[], chain: LineChain): Generator<string, void> {
  let chunk = '';
  for (const event of batch) {
    chunk += chain.write(recordValue(event));
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
