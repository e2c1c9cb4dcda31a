/**
 * The Huffman code of HPACK, read. Answers are written without it: it costs processor time and saves
 * bytes that no client of an API server misses.
 *
 * The code is canonical, so the length of each symbol's code is all that has to be known of it. Four
 * bits are read at a time, from a table of what they lead to from each place inside the code.
 *
 * In the RFCs: RFC 7541, section 5.2 and appendix B.
 */

/** In bits, as digits of base 36: of the 256 bytes, and of the end of a string. */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca' +
  'd67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq';

const END_OF_STRING = 256;
const LENGTH_RADIX = 36;
/** The end of a string is filled up with as many bits as are missing to the byte, each of them 1. */
const FILLING_BITS_MAX = 7;

/** What four bits lead to: a place in the low byte, the symbol that they end in the next. */
const SYMBOL_SHIFT = 8;
const ENDS_SYMBOL = 1 << 16;
const IS_WRONG = 1 << 17;

/** A place inside the code: what follows a 0 and a 1, a place or a symbol. */
interface Place {
  readonly index: number;
  /** Whether a string may end here. */
  readonly mayEnd: boolean;
  readonly next: [Place | number | undefined, Place | number | undefined];
}

const { steps: STEPS, ends: ENDS } = tables();

/**
 * The bytes of a string, written to `target`, which has room for eight fifths of the code.
 *
 * @returns how many there are; -1: it is no code of a string.
 */
export function decodeHuffman(
  bytes: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
): number {
  let place = 0;
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    let step = STEPS[(place << 4) | (byte >> 4)] as number;
    if (step & ENDS_SYMBOL) target[length++] = step >> SYMBOL_SHIFT;
    else if (step & IS_WRONG) return -1;
    step = STEPS[((step & 0xff) << 4) | (byte & 0xf)] as number;
    if (step & ENDS_SYMBOL) target[length++] = step >> SYMBOL_SHIFT;
    else if (step & IS_WRONG) return -1;
    place = step & 0xff;
  }
  return ENDS[place] === 1 ? length : -1;
}

function tables() {
  const places = placesOf(codes());
  const steps = new Uint32Array(places.length << 4);
  const ends = new Uint8Array(places.length);
  for (const place of places) {
    if (place.mayEnd) ends[place.index] = 1;
    for (let bits = 0; bits < 16; bits += 1)
      steps[(place.index << 4) | bits] = stepFrom(place, bits);
  }
  return { steps, ends };

  function stepFrom(from: Place, bits: number): number {
    let place = from;
    let ended = 0;
    for (let bit = 3; bit >= 0; bit -= 1) {
      const next = place.next[(bits >> bit) & 1 ? 1 : 0];
      if (next === undefined || next === END_OF_STRING) return IS_WRONG;
      if (typeof next === 'number') {
        ended = ENDS_SYMBOL | (next << SYMBOL_SHIFT);
        place = places[0] as Place;
      } else place = next;
    }
    return ended | place.index;
  }
}

interface Code {
  readonly symbol: number;
  readonly length: number;
  readonly bits: number;
}

/** Shorter codes first, and symbols of the same length in their order; each is the one before and 1. */
function codes(): Code[] {
  const lengths = Array.from(LENGTHS, (digit, symbol) => ({
    symbol,
    length: Number.parseInt(digit, LENGTH_RADIX),
  }));
  lengths.sort((one, other) => one.length - other.length || one.symbol - other.symbol);
  let bits = 0;
  let before = 0;
  return lengths.map(({ symbol, length }) => {
    bits <<= length - before;
    before = length;
    const code = { symbol, length, bits };
    bits += 1;
    return code;
  });
}

function placesOf(all: readonly Code[]): Place[] {
  const places: Place[] = [{ index: 0, mayEnd: true, next: [undefined, undefined] }];
  for (const { symbol, length, bits } of all) {
    let place = places[0] as Place;
    for (let bit = length - 1; bit > 0; bit -= 1) {
      const way = (bits >> bit) & 1 ? 1 : 0;
      let next = place.next[way];
      if (typeof next !== 'object') {
        const isFilling = place.mayEnd && way === 1 && length - bit <= FILLING_BITS_MAX;
        next = { index: places.length, mayEnd: isFilling, next: [undefined, undefined] };
        places.push(next);
        place.next[way] = next;
      }
      place = next;
    }
    place.next[bits & 1 ? 1 : 0] = symbol;
  }
  return places;
}
