/**
 * Unpacks piece by piece. What could be unpacked before something is wrong comes out first, so that
 * it can be told where; a stream of Node would drop it.
 */
import { once } from 'node:events';
import { createGunzip, type Gunzip } from 'node:zlib';

/** @throws Error of zlib, its code beginning with `Z_`, and what `pieces` throws. */
export async function* gunzipped(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const gunzip = createGunzip();
  let unpacked: Buffer[] = [];
  gunzip.on('data', (chunk: Buffer) => unpacked.push(chunk));
  // It is asked for below; no other listener need hear of it.
  gunzip.on('error', () => undefined);
  try {
    for await (const piece of pieces) {
      // Behind its end gzip takes nothing more. The giver of the pieces may want to see them all.
      if (gunzip.readableEnded) continue;
      await taken(gunzip, piece);
      yield* unpacked;
      unpacked = [];
      if (gunzip.errored !== null) throw gunzip.errored;
    }
    if (!gunzip.readableEnded) await ended(gunzip);
    yield* unpacked;
    if (gunzip.errored !== null) throw gunzip.errored;
  } finally {
    gunzip.destroy();
  }
}

/** Resolves when all that the piece gives has been told, or it failed, or came behind the end. */
function taken(gunzip: Gunzip, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      gunzip.off('error', done).off('end', done);
      resolve();
    };
    gunzip.once('error', done).once('end', done);
    gunzip.write(piece, done);
  });
}

async function ended(gunzip: Gunzip): Promise<void> {
  gunzip.end();
  try {
    await once(gunzip, 'end');
  } catch {
    // The error is kept by the stream.
  }
}
