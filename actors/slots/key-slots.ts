/**
 * Writes to the same object queue up behind each other; writes to different objects do not.
 *
 * A slot is there only while a write holds it, so objects that rest cost nothing. The surprise is that slots are
 * found by a hash of our own and not in a Map, whose tables would keep what was in them: see under-way.ts.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { NumberedUnderWay } from '../request/under-way.ts';

/** Gives the key to the next write. Calls behind the first do nothing. */
export type Release = () => void;

/** Of a key, so many of the last characters tell where it is found: those in which names differ. */
const TOLD_BY = 16;
/** Numbers of so many bits are kept as they are. */
const HASH_MASK = 0x3fff_ffff;

interface Slot {
  readonly key: string;
  /** Another one of the same hash. */
  next: Slot | undefined;
  /** undefined: no write has waited. */
  waiting: ((release: Release) => void)[] | undefined;
}

export class KeySlots {
  readonly #slots = new NumberedUnderWay<Slot>();
  #size = 0;

  /** Keys being written at the moment. */
  get size(): number {
    return this.#size;
  }

  /** The key is held from when this gives the release, which is at once where no write holds it. */
  take(key: string): MaybePromise<Release> {
    const hash = hashOf(key);
    const first = this.#slots.get(hash);
    const held = find(first, key);
    if (held === undefined) {
      const slot = { key, next: first, waiting: undefined };
      this.#slots.set(hash, slot);
      this.#size += 1;
      return this.#releaseOf(slot, hash);
    }
    return new Promise((resolve) => {
      (held.waiting ??= []).push(resolve);
    });
  }

  #releaseOf(slot: Slot, hash: number): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = slot.waiting?.shift();
      if (next === undefined) this.#remove(slot, hash);
      else next(this.#releaseOf(slot, hash));
    };
  }

  #remove(slot: Slot, hash: number): void {
    this.#size -= 1;
    const first = this.#slots.get(hash);
    if (first !== slot) before(first, slot).next = slot.next;
    else if (slot.next === undefined) this.#slots.delete(hash);
    else this.#slots.set(hash, slot.next);
    slot.next = undefined;
  }
}

function find(first: Slot | undefined, key: string): Slot | undefined {
  let slot = first;
  while (slot !== undefined && slot.key !== key) slot = slot.next;
  return slot;
}

/** @throws Error it is not there. */
function before(first: Slot | undefined, wanted: Slot): Slot {
  let slot = first;
  while (slot !== undefined && slot.next !== wanted) slot = slot.next;
  if (slot === undefined) throw new Error(`${wanted.key} is released and was not held`);
  return slot;
}

function hashOf(key: string): number {
  let hash = key.length;
  for (let at = Math.max(0, key.length - TOLD_BY); at < key.length; at += 1) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(at)) & HASH_MASK;
  }
  return hash;
}

/**
 * One attempt to write, from its beginning until it is known what became of it. A plug-in that takes
 * something for it, as a quota takes its turn, leaves a note to give it back.
 */
export interface WriteAttempt {
  /** Called once when the attempt is over: committed, refused or overtaken. Must not throw. */
  whenOver(note: () => void): void;
  /**
   * Called once when the change is committed, and not otherwise. The client is answered when the
   * promise has settled; what it settles to changes nothing of the answer.
   */
  whenCommitted(work: () => Promise<unknown>): void;
}

/** Keeps what an attempt leaves to be done when it is over, or when its change is in the log. */
export class RunningAttempt implements WriteAttempt {
  #notes: (() => void)[] | undefined;
  #works: (() => Promise<unknown>)[] | undefined;

  whenOver(note: () => void): void {
    (this.#notes ??= []).push(note);
  }

  whenCommitted(work: () => Promise<unknown>): void {
    (this.#works ??= []).push(work);
  }

  end(): void {
    const notes = this.#notes;
    this.#notes = undefined;
    if (notes === undefined) return;
    for (const note of notes) note();
  }

  /** Does what was left for a committed change. @returns undefined: nothing was. */
  committed(): Promise<unknown> | undefined {
    const works = this.#works;
    this.#works = undefined;
    if (works === undefined) return undefined;
    // What throws at once is settled too: the client behind it is answered in any case.
    return Promise.allSettled(works.map(async (work) => work()));
  }
}
