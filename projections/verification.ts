/**
 * The law of all views, put to the test: what the local store remembers is the fold of the log.
 *
 * The log is folded again from its beginning. Where the store says it has come, both are compared:
 * every object that exists, every version that ever took effect, every writer. Counts and hash are
 * those of the whole log, so they do not depend on how far a store lags.
 */
import { createHash, type Hash } from 'node:crypto';
import type { LoggedEvent } from '../streams/event.ts';
import { othersTurn } from '../api/meta/others-turn.ts';
import type { EventReader } from '../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../streams/resource-version.ts';
import { Arbiter } from './fold/arbiter.ts';
import { VersionTable } from './fold/live-versions.ts';
import type { ObjectStore } from './store/object-history.ts';

export interface Verification {
  /** Events that are left in the log, applied or not. */
  readonly events: number;
  /** Of these, those that took effect. */
  readonly effective: number;
  /** Of these, those that the next start folds: all of them in a directory that was just imported. */
  readonly notApplied: number;
  /** Objects that exist at the end of the log. */
  readonly objects: number;
  /** SHA-256 over every object that exists: resource, path, version and bytes. */
  readonly hash: string;
  /** What the store has otherwise than the log, in words; empty is good. */
  readonly differences: readonly string[];
}

const DIFFERENCES_SHOWN = 20;
const NONE = resourceVersion(0);
const BEGINNING = resourceVersion(1);
const NEWEST_TIMEOUT_MS = 30_000;

/** Reads all that is left of the log. @throws Error when a record cannot be read. */
export async function verifyStore(log: EventReader, store: ObjectStore): Promise<Verification> {
  await store.settled();
  store.adoptCuts(log.cuts());
  const newest = await log.newest(NEWEST_TIMEOUT_MS);
  const upTo = store.appliedVersion;
  const fold = new Refold(log);
  await fold.readUpTo(resourceVersion(Math.min(upTo, newest)));
  const differences = compare(fold, store).slice(0, DIFFERENCES_SHOWN);
  await fold.readUpTo(newest);
  const { hash, objects } = fold.hashOfState();
  return {
    events: fold.events,
    effective: fold.effective,
    notApplied: newest - upTo,
    objects,
    hash,
    differences,
  };
}

/** The state that the log says, as versions alone: bytes are read where they are asked for. */
class Refold {
  readonly current = new Map<string, Map<string, ResourceVersion>>();
  readonly changes = new Map<string, ResourceVersion[]>();
  readonly arbiter: Arbiter;
  readonly #log: EventReader;
  readonly #versions = new VersionTable();
  #next = BEGINNING;
  events = 0;
  effective = 0;

  constructor(log: EventReader) {
    this.#log = log;
    this.arbiter = new Arbiter(new Map(), this.#versions, log.cuts());
  }

  /** Goes on behind the version that it was last read up to. */
  async readUpTo(version: ResourceVersion): Promise<void> {
    if (version < this.#next) return;
    const reading = new AbortController();
    for await (const batch of this.#log.read(this.#next, reading.signal)) {
      for (const event of batch) if (event.resourceVersion <= version) this.#apply(event);
      if ((batch.at(-1)?.resourceVersion ?? 0) >= version) break;
      await othersTurn();
    }
    reading.abort();
    this.#next = resourceVersion(version + 1);
  }

  #apply(event: LoggedEvent): void {
    this.events += 1;
    if (this.arbiter.judge(event) !== 'effective') return;
    this.effective += 1;
    this.#versions.note(event);
    const { resource, path, type, resourceVersion: version } = event;
    const objects = entryOf(this.current, resource, () => new Map<string, ResourceVersion>());
    if (type === 'deleted') objects.delete(path);
    else objects.set(path, version);
    entryOf(this.changes, resource, () => []).push(version);
  }

  hashOfState(): { hash: string; objects: number } {
    const hash = createHash('sha256');
    let objects = 0;
    for (const [resource, paths] of [...this.current].sort(byKey)) {
      for (const [path, version] of [...paths].sort(byKey)) {
        objects += 1;
        addToHash(hash, `${resource}\0${path}\0${String(version)}\0`, this.#log.at(version));
      }
    }
    return { hash: hash.digest('hex'), objects };
  }
}

function compare(fold: Refold, store: ObjectStore): string[] {
  const differences: string[] = [];
  const stored = new Map<string, ResourceVersion>();
  for (const { resource, path, resourceVersion: version } of store.current()) {
    stored.set(`${resource} ${path}`, version);
  }
  for (const [resource, paths] of fold.current) {
    for (const [path, version] of paths) {
      const key = `${resource} ${path}`;
      const found = stored.get(key);
      stored.delete(key);
      if (found !== version) {
        differences.push(`${key}: the log says ${String(version)}, the store ${String(found)}`);
      }
    }
  }
  for (const key of stored.keys()) differences.push(`${key}: the store has it, the log does not`);
  for (const [resource, versions] of fold.changes) {
    if (!isSameHistory(store, resource, versions)) {
      differences.push(`${resource}: the store's history is not the log's`);
    }
  }
  for (const [writer, sequence] of fold.arbiter.writers) {
    const found = store.writers().get(writer);
    if (found !== sequence) {
      differences.push(
        `writer ${writer}: the log says ${String(sequence)}, the store ${String(found)}`,
      );
    }
  }
  return differences;
}

/** In front of a cut the store may know more than what is left: it forgets a little later. */
function isSameHistory(
  store: ObjectStore,
  resource: string,
  versions: readonly ResourceVersion[],
): boolean {
  const since = store.readableSince(resource);
  const found = [...store.changesAfter(resource, NONE)];
  const before = new Set(found.filter((version) => version <= since));
  const after = found.filter((version) => version > since);
  const isLeft = versions.every((version) => version > since || before.has(version));
  return isLeft && after.join() === versions.filter((version) => version > since).join();
}

function addToHash(hash: Hash, head: string, event: LoggedEvent | undefined): void {
  hash.update(head);
  if (event !== undefined) hash.update(event.json);
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
