/** Chunks that cannot be made at once: an empty one stands for each of them. */

/** The chunk, or why an object cannot be shown. */
export type RenderedLater = Buffer | { readonly message: string };

const TO_COME = new WeakMap<Buffer, () => Promise<RenderedLater>>();

/** An empty chunk, which stands for what is made when it is first asked for. */
export function chunkOfLater(make: () => Promise<RenderedLater>): Buffer {
  const chunk = Buffer.alloc(0);
  let coming: Promise<RenderedLater> | undefined;
  TO_COME.set(chunk, () => (coming ??= make()));
  return chunk;
}

/** What an empty chunk stands for, made once for all that were given it; undefined: the chunk is all there is. */
export function chunkToCome(chunk: Buffer): (() => Promise<RenderedLater>) | undefined {
  return chunk.length === 0 ? TO_COME.get(chunk) : undefined;
}
