/**
 * The little of Kafka's protocol that a proxy must know: where a frame ends, what a request is,
 * and whether it will be answered.
 */

const PRODUCE = 0;
const LIST_OFFSETS = 2;
const LEADER_NOT_AVAILABLE = 5;
/** From this version on Produce requests have the compact encoding. */
const PRODUCE_COMPACT = 9;

/** Cuts a stream of bytes into frames: four bytes of length, and so many bytes. */
export class FrameSplitter {
  #chunks: Buffer[] = [];
  #length = 0;

  /** The frames that are complete now, with their lengths in front. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted()) return [];
    let rest = Buffer.concat(this.#chunks);
    const frames: Buffer[] = [];
    while (rest.length >= sizeOf(rest)) {
      frames.push(rest.subarray(0, sizeOf(rest)));
      rest = rest.subarray(sizeOf(rest));
    }
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return frames;
  }

  /** How many bytes make the next frame, as far as is known. */
  #wanted(): number {
    const [first = Buffer.alloc(0)] = this.#chunks;
    return first.length >= 4 ? sizeOf(first) : 4;
  }
}

export function isProduce(request: Buffer): boolean {
  return request.readInt16BE(4) === PRODUCE;
}

export function isListOffsets(request: Buffer): boolean {
  return request.readInt16BE(4) === LIST_OFFSETS;
}

/** The answer to ListOffsets, version 3, of a leader that does not know yet where its log ends. */
export function ofNewLeader(response: Buffer): Buffer {
  const changed = Buffer.from(response);
  const [topicAt, errorBehindTopic] = [4 + 4 + 4 + 4, 2 + 4 + 4];
  changed.writeInt16BE(
    LEADER_NOT_AVAILABLE,
    topicAt + changed.readInt16BE(topicAt) + errorBehindTopic,
  );
  return changed;
}

/** False for a Produce request with acks=0, the only kind that brokers answer with nothing. */
export function isAnswered(request: Buffer): boolean {
  return !isProduce(request) || acksOf(request) !== 0;
}

function acksOf(request: Buffer): number {
  const version = request.readInt16BE(6);
  const clientId = Math.max(0, request.readInt16BE(12));
  let at = 14 + clientId;
  if (version >= PRODUCE_COMPACT) {
    at += 1; // No tagged fields in the head.
    const transactionalId = request.readUInt8(at);
    at += transactionalId === 0 ? 1 : transactionalId;
  } else if (version >= 3) {
    at += 2 + Math.max(0, request.readInt16BE(at));
  }
  return request.readInt16BE(at);
}

/** Of the frame that begins here; 4 when not even its length is there yet. */
function sizeOf(bytes: Buffer): number {
  return bytes.length < 4 ? 4 : 4 + bytes.readInt32BE(0);
}
