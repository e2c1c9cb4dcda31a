/**
 * The Huffman code of HPACK, read. Answers are written without it: it costs processor time and saves
 * bytes that no client of an API server misses.
 *
 * The code is canonical, so the length of each symbol's code is all that has to be known of it. Four
 * bits are read at a time, from a table of what they lead to from each node of their tree.
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

/** What four bits lead to: a node in the low byte, the symbol that they end in the next. */
const SYMBOL_SHIFT = 8;
const ENDS_SYMBOL = 1 << 16;
const IS_WRONG = 1 << 17;

/** A node of the tree of codes: what follows a 0 and a 1, a node or a symbol. */
interface CodeNode {
  readonly index: number;
  /** Whether a string may end here. */
  readonly mayEnd: boolean;
  readonly next: [CodeNode | number | undefined, CodeNode | number | undefined];
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
  let node = 0;
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    let step = STEPS[(node << 4) | (byte >> 4)] as number;
    if (step & ENDS_SYMBOL) target[length++] = step >> SYMBOL_SHIFT;
    else if (step & IS_WRONG) return -1;
    step = STEPS[((step & 0xff) << 4) | (byte & 0xf)] as number;
    if (step & ENDS_SYMBOL) target[length++] = step >> SYMBOL_SHIFT;
    else if (step & IS_WRONG) return -1;
    node = step & 0xff;
  }
  return ENDS[node] === 1 ? length : -1;
}

function tables() {
  const nodes = nodesOf(codes());
  const steps = new Uint32Array(nodes.length << 4);
  const ends = new Uint8Array(nodes.length);
  for (const node of nodes) {
    if (node.mayEnd) ends[node.index] = 1;
    for (let bits = 0; bits < 16; bits += 1) steps[(node.index << 4) | bits] = stepFrom(node, bits);
  }
  return { steps, ends };

  function stepFrom(from: CodeNode, bits: number): number {
    let node = from;
    let ended = 0;
    for (let bit = 3; bit >= 0; bit -= 1) {
      const next = node.next[(bits >> bit) & 1 ? 1 : 0];
      if (next === undefined || next === END_OF_STRING) return IS_WRONG;
      if (typeof next === 'number') {
        ended = ENDS_SYMBOL | (next << SYMBOL_SHIFT);
        node = nodes[0] as CodeNode;
      } else node = next;
    }
    return ended | node.index;
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

function nodesOf(all: readonly Code[]): CodeNode[] {
  const nodes: CodeNode[] = [{ index: 0, mayEnd: true, next: [undefined, undefined] }];
  for (const { symbol, length, bits } of all) {
    let node = nodes[0] as CodeNode;
    for (let bit = length - 1; bit > 0; bit -= 1) {
      const way = (bits >> bit) & 1 ? 1 : 0;
      let next = node.next[way];
      if (typeof next !== 'object') {
        const isFilling = node.mayEnd && way === 1 && length - bit <= FILLING_BITS_MAX;
        next = { index: nodes.length, mayEnd: isFilling, next: [undefined, undefined] };
        nodes.push(next);
        node.next[way] = next;
      }
      node = next;
    }
    node.next[bits & 1 ? 1 : 0] = symbol;
  }
  return nodes;
}
