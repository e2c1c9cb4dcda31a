/**
 * Reads records of an LMDB file by position (`pread`) instead of by its map. A look at a mapped page maps all that the
 * kernel holds together with it, up to a megabyte, so a thousand records that lie apart map half a gigabyte, and to
 * let go of that costs more than to read the records.
 *
 * The surprise: the process that writes the file uses pages again. Either the caller has a read transaction of LMDB, which keeps
 * the pages of its state from that. Then this finds what LMDB finds, or nothing, and the caller asks LMDB. Or there is none, as in
 * another thread or process than the one that writes: then each page is read first, and believed if it cannot have been used
 * again by then, which the file tells (see {@link PageReads.begin}).
 *
 * In LMDB: mdb_page_search and mdb_node_search of mdb.c, for a tree whose keys are whole numbers.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { DamagedRecordError } from '../event-codec.ts';
import type { DiskUsage } from '../lmdb-usage.ts';
import {
  type Branch,
  branchOf,
  countOf,
  HEADER_BYTES,
  indexFrom,
  indexIn,
  isBranch,
  isLarge,
  isLeaf,
  keyAt,
  nodeAt,
  numberOf,
  pageOfLarge,
  PAGES_MAX,
  placeOf,
  sizeOf,
  transactionOf,
  valueAtOf,
} from './lmdb-pages.ts';
import { PageFile, type Snapshot } from './page-file.ts';

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
/** A greater one has a ninth byte. */
const KEY_MAX = 2 ** 48;
/** For each of them the writer has to end two transactions while a page is read. */
const ATTEMPTS_MAX = 10_000;

/** By the numbers of their pages. */
type Branches = BoundedMap<number, Kept>;

interface Kept extends Branch {
  /** The last transaction of which it is known to be a part. */
  known: number;
}

/** The page is no branch. */
const LEAF: Kept = {
  keys: new Float64Array(0),
  children: new Float64Array(0),
  transaction: 0,
  known: 0,
};

/** What was read may be of a later state than all else. */
class UsedAgain extends Error {}

export class PageReads {
  readonly #pageSize: number;
  readonly #isGuarded: boolean;
  readonly #file: PageFile;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #branches = branches();
  /** The branches at the end, which appends change: of one transaction. */
  #edge = branches();
  readonly #page: Buffer;
  /** The page that was read last. */
  #leaf: Buffer;
  #leafNumber = 0;
  /** The key from which on the next leaf has what there is. */
  #leafEnd = Number.POSITIVE_INFINITY;
  /** Which key of that page was found last, and where it stands among those of the page. */
  #foundKey = 0;
  #foundIndex = 0;
  /** Pages that were read together, behind one that followed another. */
  #span: Buffer | undefined;
  #spanFrom = 0;
  #spanPages = 0;
  /** Others have parts of it. */
  #isSpanShared = false;
  /** What was read, while it is not known whether it is right. A record stays as it is as long as it is there. */
  #large: { readonly key: number; readonly page: number; readonly value: Buffer } | undefined;
  #snapshot: Snapshot | undefined;
  #transaction = -1;
  #isOfUse: boolean;

  /**
   * @param path of the directory of the file. @param pageSize as it was made with.
   * @param isGuarded whether the caller has a read transaction of LMDB whenever it reads.
   */
  constructor(path: string, pageSize: number, isGuarded = true) {
    this.#pageSize = pageSize;
    this.#isGuarded = isGuarded;
    this.#page = Buffer.alloc(pageSize);
    this.#leaf = this.#page;
    this.#file = new PageFile(path);
    this.#isOfUse = this.#file.isThere;
  }

  /** Whether the state of the file has to be looked up, for which the caller opens a read transaction. */
  get isStale(): boolean {
    return this.#isOfUse && this.#snapshot === undefined;
  }

  /**
   * To be called once the caller has a read transaction, which stays open until {@link end} is called. Without one it is called
   * here, and what is read is of this state until then.
   *
   * LMDB writes to pages again that were freed two transactions before or earlier. Those of the state S are freed by S + 1 or later, so
   * S + 3 is the first that writes to them. It begins when the meta page of S + 2 is written, which takes the place of that of S. So what was
   * read is of S if the meta page of S is still there behind the read.
   */
  begin(): void {
    try {
      this.#snapshot = this.#file.newest(this.#pageSize);
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

  /** The read transaction is not open any more, or a newer state is wanted. */
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

  /**
   * The same, valid until the next one is read.
   *
   * @throws {DamagedRecordError} there is no guard, and a page is not what it should be.
   */
  view(key: number): Buffer | undefined {
    if (Math.abs(key) > KEY_MAX) return undefined;
    this.#large = undefined;
    return this.#tried(({ root }) => this.#valueOf(key, root));
  }

  /** Copies of the values of all keys, in their order, of one state. Throws as {@link view} does. */
  values(keys: readonly number[]): readonly (Buffer | undefined)[] {
    const of = (key: number, root: number) => this.#copied(this.#valueOf(key, root));
    return this.#tried(({ root }) => keys.map((key) => of(key, root))) ?? [];
  }

  /** The first key that is no less; undefined: there is none. Throws as {@link view} does. */
  keyFrom(key: number): number | undefined {
    return this.#tried(({ root }) => this.#keyFrom(key, root));
  }

  /** The last key; undefined: there is none. Throws as {@link view} does. */
  lastKey(): number | undefined {
    return this.#tried(({ root }) => {
      if (!this.#descend(KEY_MAX, root)) return undefined;
      return keyAt(this.#leaf, nodeAt(this.#leaf, countOf(this.#leaf) - 1));
    });
  }

  /** How much of the file is used. Throws as {@link view} does. */
  diskUsage(): DiskUsage | undefined {
    return this.#tried(({ at }) => this.#file.diskUsage(at, this.#pageSize));
  }

  close(): void {
    this.forget();
    this.#file.close();
  }

  /** Without a guard, what was read of a state that may have changed meanwhile is read again, of a newer one. */
  #tried<Found>(look: (snapshot: Snapshot) => Found): Found | undefined {
    for (let left = ATTEMPTS_MAX; left > 0; left -= 1) {
      if (this.#snapshot === undefined && !this.#isGuarded) this.begin();
      try {
        if (this.#snapshot !== undefined) return look(this.#snapshot);
        if (this.#isGuarded) return undefined;
        throw new RangeError('the file is not known');
      } catch (error) {
        this.#snapshot = undefined;
        this.#transaction = -1;
        if (error instanceof UsedAgain) continue;
        // What the page says leads out of it, or the disk fails, of which LMDB tells.
        this.forget();
        if (this.#isGuarded) return undefined;
        throw new DamagedRecordError('the file of the log cannot be read', { cause: error });
      }
    }
    throw new Error('the file of the log changed while it was read, each time');
  }

  #valueOf(key: number, root: number): Buffer | undefined {
    const index = this.#following(key) ?? this.#find(key, root);
    if (index < 0) return undefined;
    [this.#foundKey, this.#foundIndex] = [key, index];
    const page = this.#leaf;
    const at = nodeAt(page, index);
    const size = sizeOf(page, at);
    const valueAt = valueAtOf(page, at);
    if (size > VALUE_BYTES_MAX) throw new RangeError('the value is too large');
    if (isLarge(page, at)) return this.#readLarge(key, pageOfLarge(page, valueAt), size);
    if (valueAt + size > page.length) throw new RangeError('the value leads out of its page');
    return page.subarray(valueAt, valueAt + size);
  }

  #keyFrom(key: number, root: number): number | undefined {
    for (let sought = key; this.#descend(sought, root); sought = this.#leafEnd) {
      const index = indexFrom(this.#leaf, sought);
      if (index < countOf(this.#leaf)) return keyAt(this.#leaf, nodeAt(this.#leaf, index));
      if (this.#leafEnd === Number.POSITIVE_INFINITY) return undefined;
    }
    return undefined;
  }

  /** @throws {UsedAgain} where what was just read may be of a later state. */
  #check(): void {
    if (this.#isGuarded || this.#snapshot === undefined) return;
    if (!this.#file.has(this.#snapshot)) throw new UsedAgain();
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
    return this.#descend(key, root) ? indexIn(this.#leaf, key) : -1;
  }

  /** Puts the page in which the key would be into {@link #leaf}. @returns whether there is any. */
  #descend(key: number, root: number): boolean {
    if (root > PAGES_MAX) return false;
    let number = root;
    let isLast = true;
    let end = Number.POSITIVE_INFINITY;
    for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
      const branch = this.#branchAt(number, isLast ? this.#edge : this.#branches);
      if (branch === LEAF) {
        this.#leafEnd = end;
        return true;
      }
      const index = placeOf(branch.keys, key);
      end = branch.keys[index + 1] ?? end;
      isLast &&= index === branch.keys.length - 1;
      number = branch.children[index] ?? 0;
    }
    throw new RangeError('the tree is too deep');
  }

  #branchAt(number: number, kept: Branches): Kept {
    const branch = kept.peek(number);
    return branch !== undefined && this.#isAsKept(number, branch)
      ? branch
      : this.#read(number, kept);
  }

  /** Whether the page is still the branch that was kept: the number of its transaction tells. */
  #isAsKept(number: number, branch: Kept): boolean {
    if (this.#isGuarded || branch.known === this.#transaction) return true;
    this.#file.fill(this.#header, number * this.#pageSize);
    this.#check();
    if (numberOf(this.#header) !== number) return false;
    if (transactionOf(this.#header) !== branch.transaction) return false;
    branch.known = this.#transaction;
    return true;
  }

  /** Puts a leaf into its place here, and a branch among the others. */
  #read(number: number, kept: Branches): Kept {
    if (number === this.#leafNumber) return LEAF;
    const page = this.#pageOf(number);
    this.#leafNumber = 0;
    if (numberOf(page) !== number) throw new RangeError('the page is another one');
    const isTorn = number === this.#snapshot?.root && transactionOf(page) !== this.#transaction;
    // The meta page was read while it was written: it names the transaction, and still the root before.
    if (isTorn && !this.#isGuarded) throw new UsedAgain();
    this.#leaf = page;
    if (isLeaf(page)) {
      this.#leafNumber = number;
      return LEAF;
    }
    if (!isBranch(page)) throw new RangeError('the page is no part of a tree');
    const branch = { known: this.#transaction, ...branchOf(page) };
    kept.set(number, branch);
    return branch;
  }

  /** Of pages one behind the other, as a log is written, many are read at a time. */
  #pageOf(number: number): Buffer {
    const behind = this.#leafNumber > 0 ? number - this.#leafNumber : 0;
    const follows = behind > 0 && behind <= NEAR_PAGES;
    const isRead = number >= this.#spanFrom && number < this.#spanFrom + this.#spanPages;
    if (!isRead && !follows) {
      this.#file.fill(this.#page, number * this.#pageSize);
      this.#check();
      return this.#page;
    }
    if (!isRead) this.#readSpan(number);
    const at = (number - this.#spanFrom) * this.#pageSize;
    if (this.#span === undefined || this.#spanPages === 0) throw new RangeError('no such page');
    return this.#span.subarray(at, at + this.#pageSize);
  }

  #readSpan(from: number): void {
    this.#spanPages = 0;
    if (this.#isSpanShared) this.#span = undefined;
    this.#isSpanShared = false;
    this.#span ??= Buffer.allocUnsafeSlow(SPAN_PAGES * this.#pageSize);
    const read = this.#file.read(this.#span, from * this.#pageSize);
    this.#check();
    this.#spanFrom = from;
    this.#spanPages = Math.floor(read / this.#pageSize);
  }

  #dropPages(): void {
    this.#leafNumber = 0;
    this.#spanPages = 0;
  }

  /** A writer may end two transactions while a megabyte is read: then it is right if a later state has it in the same place. */
  #readLarge(key: number, page: number, size: number): Buffer {
    const before = this.#large;
    this.#large = undefined;
    if (before?.key === key && before.page === page && before.value.length === size) {
      return before.value;
    }
    const value = Buffer.allocUnsafe(size);
    this.#file.fill(value, page * this.#pageSize + HEADER_BYTES);
    // What is no record may have had another value in the same place.
    if (key > 0) this.#large = { key, page, value };
    this.#check();
    this.#large = undefined;
    return value;
  }
}

function branches(): Branches {
  const bytesOf = (_: number, { keys }: Kept): number => keys.byteLength * 2;
  return new BoundedMap(KEPT_PAGES_MAX, { bytesMax: KEPT_BYTES_MAX, bytesOf });
}
