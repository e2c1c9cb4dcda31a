/**
 * The filling of a store, of which parts are kept in the store's file while the log is read: a process that ends
 * meanwhile, or while the tables are written, has them when it starts again, and reads the log from the last one on.
 *
 * The surprise: the file says how far it is filled by its parts alone, until the last transaction writes what all other
 * stores say. So a program that knows nothing of parts finds a store that is being filled, empties it, and reads all.
 */
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { decodePart } from './filling-part.ts';
import type { RecordedEvent } from './object-history.ts';
import type { RecordedBatch } from './pending-records.ts';
import { StoreFilling, type Change } from './store-filling.ts';
import type { OpenStore } from './store-tables.ts';

/** Of a store that is being filled: what its tables have is not all of it. */
const FILLING = 'filling';
/** Some half of a second of a fold, and two megabytes with the paths of as many objects ten. */
const PART_EVENTS = 131_072;

/** What a process that has ended had folded. */
export interface LeftFilling {
  readonly filling: StoreFilling;
  /** How many there are. */
  readonly parts: number;
  /** How far the fold had come, batch by batch. */
  readonly batches: readonly RecordedBatch[];
}

export class FillingInParts {
  readonly #change: Change;
  readonly #filling: StoreFilling;
  /** What is recorded behind it is written as it comes. */
  #end: ResourceVersion;
  #isSealed = false;
  #parts: number;
  /** Since the last part. */
  #batches: RecordedBatch[] = [];
  #events = 0;
  #keeping: Promise<void> = Promise.resolve();
  /** The disk did not take a part, so those behind it are of no use. */
  #isBroken = false;
  #isOfOthers: boolean;

  constructor(change: Change, end: ResourceVersion, left?: LeftFilling) {
    this.#change = change;
    this.#end = end;
    this.#filling = left?.filling ?? new StoreFilling();
    this.#parts = left?.parts ?? 0;
    this.#isOfOthers = left !== undefined;
  }

  /** Whether it gets more. */
  get isOpen(): boolean {
    return !this.#isSealed;
  }

  /** What a process has left is gone on with, where nothing was added behind it. */
  goOnTo(end: ResourceVersion): void {
    if (this.#isOfOthers && !this.#isSealed) this.#end = end;
  }

  /** Whether a batch up to there is added. Else it is written as it comes, and all behind it. */
  isOpenTo(applied: ResourceVersion): boolean {
    this.#isOfOthers = false;
    this.#isSealed ||= applied >= this.#end || this.#filling.isFull;
    return !this.#isSealed;
  }

  add(events: readonly RecordedEvent[], batch: RecordedBatch): void {
    this.#filling.add(events);
    this.#batches.push(batch);
    this.#events += events.length;
    if (this.#events >= PART_EVENTS) this.#keepPart();
  }

  /** The objects there are behind all that was added. */
  current(): ReturnType<StoreFilling['current']> {
    return this.#filling.current();
  }

  /** Resolves when what was added so far is in parts, or cannot be. */
  kept(): Promise<void> {
    if (this.#batches.length > 0) this.#keepPart();
    return this.#keeping;
  }

  /** Writes the tables. @param isOver asked between transactions: whether to give up. */
  async write(isOver: () => boolean): Promise<void> {
    this.#isSealed = true;
    await this.kept();
    await this.#change(putMark);
    await this.#filling.write(this.#change, isOver);
  }

  /** To be put into the transaction by which the store is like all others. */
  putEnd({ database, tables }: OpenStore): void {
    void database.remove(FILLING);
    for (let part = 0; part < this.#parts; part += 1) void tables.parts.remove(part);
  }

  #keepPart(): void {
    const part = this.#isBroken ? undefined : this.#filling.nextPart(this.#batches);
    const number = this.#parts;
    [this.#batches, this.#events] = [[], 0];
    this.#parts += 1;
    this.#keeping = this.#keeping.then(async () => {
      if (part === undefined || this.#isBroken) return;
      try {
        await this.#change((store) => {
          putMark(store);
          void store.tables.parts.put(number, part);
        });
      } catch {
        this.#isBroken = true;
      }
    });
  }
}

function putMark({ database }: OpenStore): void {
  void database.put(FILLING, FILLING);
}

/** What there is of a filling that a process did not end. Whatever is in the tables is let go of. */
export function leftFilling({ database, tables }: OpenStore): LeftFilling | undefined {
  const isFilling = database.get(FILLING) !== undefined;
  const left = isFilling ? adoptedParts(tables.parts.getRange()) : undefined;
  if (isFilling) {
    for (const table of [tables.current, tables.history, tables.changes]) table.clearSync();
  }
  if (left !== undefined) return left;
  if (isFilling) database.removeSync(FILLING);
  // A program that knows nothing of them may have filled the store.
  if (hasAny(tables.parts.getKeys({ limit: 1 }))) tables.parts.clearSync();
  return undefined;
}

/** undefined: there are none, or none that can be read. */
function adoptedParts(
  parts: Iterable<{ readonly key: number; readonly value: Buffer }>,
): LeftFilling | undefined {
  const filling = new StoreFilling();
  const batches: RecordedBatch[] = [];
  let count = 0;
  try {
    for (const { key, value } of parts) {
      if (key !== count) break;
      const part = decodePart(value);
      filling.adopt(part);
      for (const batch of part.batches) batches.push(batch);
      count += 1;
    }
  } catch {
    return undefined;
  }
  return count === 0 ? undefined : { filling, parts: count, batches };
}

function hasAny(keys: Iterable<unknown>): boolean {
  for (const _ of keys) return true;
  return false;
}
