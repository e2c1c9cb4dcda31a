/**
 * Reads records of an LMDB file by position (`pread`) instead of by its map. A look at a mapped page maps all that the
 * kernel holds together with it, up to a megabyte, so a thousand records that lie apart map half a gigabyte, and to
 * let go of that costs more than to read the records.
 *
 * The surprise: it only ever finds what LMDB finds, or nothing. A page that is not what it is expected to be, a file of
 * another layout, a key that is not there: each is undefined, and the caller asks LMDB. Pages are read that LMDB
 * does not use again as long as the caller's read transaction is open.
 *
 * In LMDB: mdb_page_search and mdb_node_search of mdb.c, for a tree whose keys are positive whole numbers.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { BoundedMap } from '../../api/meta/bounded-map.ts';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const HEADER_BYTES = 24;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const IS_BRANCH = 1;
const IS_LEAF = 2;

/** Of a meta page, behind its header. */
const META = { version: 4, pageSize: 24, root: 112, transaction: 128, end: 136 };
const NODE_BYTES = 8;
const IS_LARGE = 1;
const DEPTH_MAX = 8;
/** No record is as large. */
const VALUE_BYTES_MAX = 64 * 1024 * 1024;
/** Between the pages of records lie those of large ones. */
const NEAR_PAGES = 4;
/** 256 KiB where pages are of 16. */
const SPAN_PAGES = 16;
/** Of branches: 52 MiB, which lead to some 3,200,000 leaves, where a log has as many. */
const KEPT_PAGES_MAX = 4_096;
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

/** As lmdb writes them: positive numbers begin with 1, what stands before them with less. */
const NUMBER_FROM = 0x10;
const NUMBER_TO = 0x18;
const TOP_BITS = 0x0fffffff;
/** A greater one has a ninth byte. */
const KEY_MAX = 2 ** 48;

interface Snapshot {
  readonly root: number;
  readonly transaction: number;
}

interface Branch {
  readonly keys: Float64Array;
  /** The numbers of their pages. */
  readonly children: Float64Array;
}

/** By the numbers of their pages. */
type Branches = BoundedMap<number, Branch>;

/** The page is no branch. */
const LEAF: Branch = { keys: new Float64Array(0), children: new Float64Array(0) };

export class PageReads {
  readonly #pageSize: number;
  readonly #file: number | undefined;
  readonly #meta: Buffer;
  #branches = branches();
  /** The branches at the end, which appends change: of one transaction. */
  #edge = branches();
  readonly #page: Buffer;
  /** The page that was read last. */
  #leaf: Buffer;
  #leafNumber = 0;
  /** Which key of that page was found last, and where it stands among those of the page. */
  #foundKey = 0;
  #foundIndex = 0;
  /** Pages that were read together, behind one that followed another. */
  #span: Buffer | undefined;
  #spanFrom = 0;
  #spanPages = 0;
  /** Others have parts of it. */
  #isSpanShared = false;
  #snapshot: Snapshot | undefined;
  #transaction = -1;
  #isOfUse: boolean;

  /** @param path of the directory of the file. @param pageSize as it was made with. */
  constructor(path: string, pageSize: number) {
    this.#pageSize = pageSize;
    this.#meta = Buffer.alloc(HEADER_BYTES + META.end);
    this.#page = Buffer.alloc(pageSize);
    this.#leaf = this.#page;
    this.#file = endianness() === 'LE' ? opened(join(path, 'data.mdb')) : undefined;
    this.#isOfUse = this.#file !== undefined;
  }

  /** Whether the state of the file has to be looked up, for which the caller opens a read transaction. */
  get isStale(): boolean {
    return this.#isOfUse && this.#snapshot === undefined;
  }

  /** To be called once the caller has a read transaction, which stays open until {@link end} is called. */
  begin(): void {
    try {
      this.#snapshot = this.#newest();
    } catch {
      // LMDB tells what is wrong.
    }
    if (this.#snapshot === undefined) {
      this.#isOfUse = false;
      return;
    }
    const { transaction } = this.#snapshot;
    if (transaction === this.#transaction) return;
    this.#transaction = transaction;
    this.#dropPages();
    this.#edge = branches();
  }

  /** The read transaction is not open any more. */
  end(): void {
    this.#snapshot = undefined;
  }

  /** Something was removed from the file, so pages have moved that stay where they are otherwise. */
  forget(): void {
    this.#branches = branches();
    this.#edge = branches();
    this.#dropPages();
    this.#snapshot = undefined;
  }

  /** A copy of the value; undefined: it is not found here. */
  read(key: number): Buffer | undefined {
    return this.#copied(this.view(key));
  }

  #copied(shared: Buffer | undefined): Buffer | undefined {
    if (shared === undefined || shared.buffer !== this.#leaf.buffer) return shared;
    const value = Buffer.allocUnsafe(shared.length);
    value.set(shared);
    return value;
  }

  /** The same for keys that follow each other: many values are parts of what is read at once, and hold all of it. */
  share(key: number): Buffer | undefined {
    const shared = this.view(key);
    if (shared === undefined || shared.buffer !== this.#span?.buffer) return this.#copied(shared);
    this.#isSpanShared = true;
    return shared;
  }

  /** The same, valid until the next one is read. */
  view(key: number): Buffer | undefined {
    if (this.#snapshot === undefined || key < 1 || key > KEY_MAX) return undefined;
    try {
      return this.#valueOf(key, this.#snapshot.root);
    } catch {
      // What the page says leads out of it, or the disk fails, of which LMDB tells.
      this.forget();
      return undefined;
    }
  }

  #valueOf(key: number, root: number): Buffer | undefined {
    const index = this.#following(key) ?? this.#find(key, root);
    if (index < 0) return undefined;
    [this.#foundKey, this.#foundIndex] = [key, index];
    const page = this.#leaf;
    const at = nodeAt(page, index);
    const size = page.readUInt32LE(at);
    const valueAt = at + NODE_BYTES + page.readUInt16LE(at + 6);
    if (size > VALUE_BYTES_MAX) return undefined;
    if ((page.readUInt16LE(at + 4) & IS_LARGE) !== 0) return this.#readLarge(page, valueAt, size);
    if (valueAt + size > page.length) return undefined;
    return page.subarray(valueAt, valueAt + size);
  }

  close(): void {
    this.forget();
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #newest(): Snapshot | undefined {
    let newest: Snapshot | undefined;
    for (const page of [0, 1]) {
      const meta = this.#meta;
      if (!this.#fill(meta, page * this.#pageSize)) return undefined;
      const at = (place: number): number => HEADER_BYTES + place;
      const isKnown =
        meta.readUInt32LE(at(0)) === MAGIC &&
        (meta.readUInt32LE(at(META.version)) & 0xffff) === DATA_VERSION &&
        meta.readUInt32LE(at(META.pageSize)) === this.#pageSize;
      if (!isKnown) return undefined;
      const transaction = numberAt(meta, at(META.transaction));
      if (newest !== undefined && newest.transaction > transaction) continue;
      newest = { root: numberAt(meta, at(META.root)), transaction };
    }
    return newest;
  }

  /** Where the key stands that follows the last one in its page; undefined: it is to be searched. */
  #following(key: number): number | undefined {
    const index = this.#foundIndex + 1;
    if (this.#leafNumber === 0 || key !== this.#foundKey + 1 || index >= countOf(this.#leaf))
      return undefined;
    return keyAt(this.#leaf, nodeAt(this.#leaf, index)) === key ? index : undefined;
  }

  /** Where the key stands in {@link #leaf}, which is the page of it then; -1: it is not there. */
  #find(key: number, root: number): number {
    let number = root;
    let isLast = true;
    for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
      const kept: Branches = isLast ? this.#edge : this.#branches;
      const branch: Branch | undefined = kept.peek(number) ?? this.#read(number, kept);
      if (branch === undefined) return -1;
      if (branch === LEAF) return indexIn(this.#leaf, key);
      const index = placeOf(branch.keys, key);
      isLast &&= index === branch.keys.length - 1;
      number = branch.children[index] ?? 0;
    }
    return -1;
  }

  /** Puts a leaf into its place here, and a branch among the others. undefined: it is neither. */
  #read(number: number, kept: Branches): Branch | undefined {
    if (number === this.#leafNumber) return LEAF;
    const page = this.#pageOf(number);
    this.#leafNumber = 0;
    if (page === undefined || numberAt(page, 0) !== number) return undefined;
    this.#leaf = page;
    const flags = page.readUInt16LE(FLAGS_AT);
    if ((flags & IS_LEAF) !== 0) {
      this.#leafNumber = number;
      return LEAF;
    }
    if ((flags & IS_BRANCH) === 0) return undefined;
    const branch = branchOf(page);
    kept.set(number, branch);
    return branch;
  }

  /** Of pages one behind the other, as a log is written, many are read at a time. */
  #pageOf(number: number): Buffer | undefined {
    const behind = this.#leafNumber > 0 ? number - this.#leafNumber : 0;
    const follows = behind > 0 && behind <= NEAR_PAGES;
    const isRead = number >= this.#spanFrom && number < this.#spanFrom + this.#spanPages;
    if (!isRead && !follows) {
      return this.#fill(this.#page, number * this.#pageSize) ? this.#page : undefined;
    }
    if (!isRead) this.#readSpan(number);
    const at = (number - this.#spanFrom) * this.#pageSize;
    return this.#spanPages === 0 ? undefined : this.#span?.subarray(at, at + this.#pageSize);
  }

  #readSpan(from: number): void {
    this.#spanPages = 0;
    if (this.#file === undefined) return;
    if (this.#isSpanShared) this.#span = undefined;
    this.#isSpanShared = false;
    this.#span ??= Buffer.allocUnsafeSlow(SPAN_PAGES * this.#pageSize);
    const read = readSync(this.#file, this.#span, 0, this.#span.length, from * this.#pageSize);
    this.#spanFrom = from;
    this.#spanPages = Math.floor(read / this.#pageSize);
  }

  #dropPages(): void {
    this.#leafNumber = 0;
    this.#spanPages = 0;
  }

  #readLarge(page: Buffer, at: number, size: number): Buffer | undefined {
    const value = Buffer.allocUnsafe(size);
    const from = numberAt(page, at) * this.#pageSize + HEADER_BYTES;
    return this.#fill(value, from) ? value : undefined;
  }

  #fill(target: Buffer, from: number): boolean {
    if (this.#file === undefined) return false;
    return readSync(this.#file, target, 0, target.length, from) === target.length;
  }
}

function branches(): Branches {
  const bytesOf = (_: number, { keys }: Branch): number => keys.byteLength * 2;
  return new BoundedMap(KEPT_PAGES_MAX, { bytesMax: KEPT_BYTES_MAX, bytesOf });
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}

/** The children of the branch that lies in the page, and from which key on each of them has what there is. */
function branchOf(page: Buffer): Branch {
  const count = countOf(page);
  const branch = { keys: new Float64Array(count), children: new Float64Array(count) };
  for (let index = 0; index < count; index += 1) {
    const at = nodeAt(page, index);
    // The first one has what comes before the second, whatever its key says.
    branch.keys[index] = index === 0 ? 0 : keyAt(page, at);
    branch.children[index] = page.readUInt16LE(at + 4) * 2 ** 32 + page.readUInt32LE(at);
  }
  return branch;
}

/** The last of the keys, which rise, that is no greater than `key`. */
function placeOf(keys: Float64Array, key: number): number {
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
function indexIn(page: Buffer, key: number): number {
  let low = 0;
  let high = countOf(page);
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = keyAt(page, nodeAt(page, middle));
    if (there === key) return middle;
    if (there < key) low = middle + 1;
    else high = middle;
  }
  return -1;
}

function countOf(page: Buffer): number {
  return page.readUInt16LE(LOWER_AT) >> 1;
}

function nodeAt(page: Buffer, index: number): number {
  return page.readUInt16LE(HEADER_BYTES + index * 2) + HEADER_BYTES;
}

const BITS = new DataView(new ArrayBuffer(8));

/** The number that is the node's key; 0 for what stands before all numbers, and infinite for what stands behind. */
function keyAt(page: Buffer, at: number): number {
  const size = page.readUInt16LE(at + 6);
  const from = at + NODE_BYTES;
  const first = page[from] ?? 0;
  if (size === 0 || first < NUMBER_FROM) return 0;
  if (first >= NUMBER_TO || size < 4) return Number.POSITIVE_INFINITY;
  const high = page.readUInt32BE(from);
  const low =
    size >= 8 ? page.readUInt32BE(from + 4) : size >= 6 ? page.readUInt16BE(from + 4) * 65_536 : 0;
  BITS.setUint32(0, (((high & TOP_BITS) << 4) | (low >>> 28)) >>> 0);
  BITS.setUint32(4, (low << 4) >>> 0);
  return BITS.getFloat64(0);
}

function numberAt(page: Buffer, at: number): number {
  return page.readUInt32LE(at + 4) * 2 ** 32 + page.readUInt32LE(at);
}
