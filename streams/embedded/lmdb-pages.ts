/**
 * What lies in the pages of an LMDB file whose keys are numbers, as bytes: the two pages that say what the newest transactions are,
 * branches, and leaves. Nothing is read from a file here.
 *
 * In LMDB: MDB_meta, MDB_page and MDB_node of mdb.c; the keys are those of ordered-binary.
 */
import type { DiskUsage } from '../lmdb-usage.ts';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** In front of what is in a page. */
export const HEADER_BYTES = 24;
const TRANSACTION_AT = 8;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const IS_BRANCH = 1;
const IS_LEAF = 2;

/** Of a meta page, behind its header. */
const META = {
  version: 4,
  pageSize: 24,
  free: 24,
  main: 72,
  root: 112,
  lastPage: 120,
  transaction: 128,
  end: 136,
};
/** Of a tree: how many branches, leaves and pages of large values it has. */
const TREE_COUNTS = [8, 16, 24];
/** How much of a meta page is to be read. */
export const META_BYTES = HEADER_BYTES + META.end;
/** Two pages begin the file and say what is in it. */
const META_PAGES = 2;
/** In front of each key of a page. */
const NODE_BYTES = 8;
const IS_LARGE = 1;
/** A page has a smaller number; that of the root of a tree without a page is greater. */
export const PAGES_MAX = 2 ** 48;

/** As lmdb writes them: numbers that are not negative begin with 1, negative ones with 08 to 0f. */
const NUMBER_FROM = 0x10;
const NUMBER_TO = 0x18;
const NEGATIVE_FROM = 0x08;
const TOP_BITS = 0x0fffffff;
const SIGN = 0x7fffffff;

/** What a meta page says. */
export interface Meta {
  readonly root: number;
  /** The number of the transaction that wrote it. */
  readonly transaction: number;
}

/** A branch of the tree. */
export interface Branch {
  readonly keys: Float64Array;
  /** The numbers of their pages. */
  readonly children: Float64Array;
  /** The number of the transaction that wrote the page. */
  readonly transaction: number;
}

/** What the bytes of a meta page say; undefined: it is none, or of another layout. */
export function metaOf(bytes: Buffer): (Meta & { readonly pageSize: number }) | undefined {
  const at = (place: number): number => HEADER_BYTES + place;
  const isKnown =
    bytes.readUInt32LE(at(0)) === MAGIC &&
    (bytes.readUInt32LE(at(META.version)) & 0xffff) === DATA_VERSION;
  if (!isKnown) return undefined;
  return {
    pageSize: bytes.readUInt32LE(at(META.pageSize)),
    root: numberAt(bytes, at(META.root)),
    transaction: numberAt(bytes, at(META.transaction)),
  };
}

/** Where a meta page says which state it is of, and how many bytes of it do. */
export const STATE_AT = HEADER_BYTES + META.root;
export const STATE_BYTES = META.end - META.root;

/** Whether these are the bytes of the state. */
export function isStateOf(bytes: Buffer, { root, transaction }: Meta): boolean {
  return (
    numberAt(bytes, 0) === root && numberAt(bytes, META.transaction - META.root) === transaction
  );
}

/** How much of the file is used as the bytes of a meta page say. */
export function usageOf(bytes: Buffer, pageSize: number): DiskUsage {
  const pages = numberAt(bytes, HEADER_BYTES + META.lastPage) + 1;
  let used = META_PAGES;
  for (const tree of [META.free, META.main]) {
    for (const count of TREE_COUNTS) used += numberAt(bytes, HEADER_BYTES + tree + count);
  }
  return { bytes: pages * pageSize, freeBytes: Math.max(0, pages - used) * pageSize };
}

/** The number that the page says it has. */
export function numberOf(page: Buffer): number {
  return numberAt(page, 0);
}

/** The number of the transaction that wrote the page. */
export function transactionOf(page: Buffer): number {
  return numberAt(page, TRANSACTION_AT);
}

/** Whether it has keys with their values. */
export function isLeaf(page: Buffer): boolean {
  return (page.readUInt16LE(FLAGS_AT) & IS_LEAF) !== 0;
}

/** Whether it has keys with the pages behind them. */
export function isBranch(page: Buffer): boolean {
  return (page.readUInt16LE(FLAGS_AT) & IS_BRANCH) !== 0;
}

/** The children of the branch that lies in the page, and from which key on each of them has what there is. */
export function branchOf(page: Buffer): Branch {
  const count = countOf(page);
  const transaction = transactionOf(page);
  const branch = { keys: new Float64Array(count), children: new Float64Array(count), transaction };
  for (let index = 0; index < count; index += 1) {
    const at = nodeAt(page, index);
    // The first one has what comes before the second, whatever its key says.
    branch.keys[index] = index === 0 ? Number.NEGATIVE_INFINITY : keyAt(page, at);
    branch.children[index] = page.readUInt16LE(at + 4) * 2 ** 32 + page.readUInt32LE(at);
  }
  return branch;
}

/** The last of the keys, which rise, that is no greater than `key`. */
export function placeOf(keys: Float64Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? 0) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Which of the nodes of the leaf has this key; -1: none. */
export function indexIn(page: Buffer, key: number): number {
  const index = indexFrom(page, key);
  return index < countOf(page) && keyAt(page, nodeAt(page, index)) === key ? index : -1;
}

/** The first of the nodes of the leaf whose key is no less; their count: there is none. */
export function indexFrom(page: Buffer, key: number): number {
  let low = 0;
  let high = countOf(page);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyAt(page, nodeAt(page, middle)) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many keys the page has. */
export function countOf(page: Buffer): number {
  return page.readUInt16LE(LOWER_AT) >> 1;
}

/** Where the node begins that stands at `index` in the page. */
export function nodeAt(page: Buffer, index: number): number {
  return page.readUInt16LE(HEADER_BYTES + index * 2) + HEADER_BYTES;
}

const BITS = new DataView(new ArrayBuffer(8));

/** The number that is the node's key; infinite for what is none, negative where it stands before all numbers. */
export function keyAt(page: Buffer, at: number): number {
  const size = page.readUInt16LE(at + 6);
  const from = at + NODE_BYTES;
  const first = page[from] ?? 0;
  if (size === 0 || first < NEGATIVE_FROM) return Number.NEGATIVE_INFINITY;
  if (first >= NUMBER_TO || size < 4) return Number.POSITIVE_INFINITY;
  const high = page.readUInt32BE(from);
  const low =
    size >= 8 ? page.readUInt32BE(from + 4) : size >= 6 ? page.readUInt16BE(from + 4) * 65_536 : 0;
  const top = ((high & TOP_BITS) << 4) | (low >>> 28);
  const isNegative = first < NUMBER_FROM;
  BITS.setUint32(0, (isNegative ? top ^ SIGN : top) >>> 0);
  BITS.setUint32(4, (isNegative ? ~((low << 4) | 0xf) : low << 4) >>> 0);
  return BITS.getFloat64(0);
}

/** Of the node's value, in bytes. */
export function sizeOf(page: Buffer, at: number): number {
  return page.readUInt32LE(at);
}

/** Where the node's value lies, or what {@link pageOfLarge} reads. */
export function valueAtOf(page: Buffer, at: number): number {
  return at + NODE_BYTES + page.readUInt16LE(at + 6);
}

/** Whether the node's value has pages of its own. */
export function isLarge(page: Buffer, at: number): boolean {
  return (page.readUInt16LE(at + 4) & IS_LARGE) !== 0;
}

/** The first of the pages of a large value, behind whose header it lies. */
export function pageOfLarge(page: Buffer, valueAt: number): number {
  return numberAt(page, valueAt);
}

function numberAt(page: Buffer, at: number): number {
  return page.readUInt32LE(at + 4) * 2 ** 32 + page.readUInt32LE(at);
}
