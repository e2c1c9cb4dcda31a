/**
 * Finds what lies in front of a cut and is not the state at the cut, by looking at everything:
 * for a store that was not there, or not yet done, when its log was cut.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { SortedKeys } from './history-reads.ts';
import type { PastEntry } from './object-history.ts';
import { TYPE_CODES, typeOfCode, type HistoryEntry, type StoreKey } from './store-key.ts';

const PIECE = 512;

/** Every resource that has a history. */
export function* resourcesIn(history: SortedKeys<HistoryEntry>): Generator<string> {
  for (let start: StoreKey = { resource: '' }; ;) {
    const [entry] = history.getKeys({ start, end: BEHIND_ALL, limit: 1 });
    if (entry === undefined) return;
    yield entry.name.resource;
    start = { resource: entry.name.resource, isResourceEnd: true };
  }
}

/** In pieces, between which nothing is held open: what was yielded may be removed. */
export function* leftovers(
  history: SortedKeys<HistoryEntry>,
  resource: string,
  cut: ResourceVersion,
): Generator<PastEntry[]> {
  const end = { resource, isResourceEnd: true };
  let start: StoreKey = { resource };
  let last: HistoryEntry | undefined;
  for (;;) {
    const gone: HistoryEntry[] = [];
    let read = 0;
    for (const entry of history.getKeys({ start, end, limit: PIECE })) {
      if (last !== undefined && isOver(last, entry, cut)) gone.push(last);
      last = entry;
      read += 1;
    }
    if (read < PIECE && last !== undefined && isOver(last, undefined, cut)) gone.push(last);
    yield gone.map(pastEntryOf);
    if (read < PIECE || last === undefined) return;
    const { resource, path } = last.name;
    start = { resource, path, version: resourceVersion(last.version + 1) };
  }
}

const BEHIND_ALL: StoreKey = { resource: '\uffff', isResourceEnd: true };

/** Whether the entry is not what stands at the cut. @param next the one behind it. */
function isOver(
  entry: HistoryEntry,
  next: HistoryEntry | undefined,
  cut: ResourceVersion,
): boolean {
  if (entry.version > cut) return false;
  if (entry.type === TYPE_CODES.deleted) return true;
  return isSameObject(entry, next) && next.version <= cut;
}

function isSameObject(entry: HistoryEntry, next: HistoryEntry | undefined): next is HistoryEntry {
  return next?.name.path === entry.name.path;
}

function pastEntryOf({ name, version, type }: HistoryEntry): PastEntry {
  const { resource, path } = name;
  return { resource, path, resourceVersion: version, type: typeOfCode(type) };
}
