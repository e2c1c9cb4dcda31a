/**
 * Finds what lies in front of a cut and is not the state at the cut, by looking at everything:
 * for a store that was not there, or not yet done, when its log was cut.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { cutOf, type LogCuts } from '../../streams/log-cuts.ts';
import type { Countable } from '../../streams/lmdb-usage.ts';
import type { SortedKeys } from './history-reads.ts';
import { TYPE_CODES, type HistoryEntry, type StoreKey } from './store-key.ts';
import type { OpenStore } from './store-tables.ts';

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
): Generator<HistoryEntry[]> {
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
    yield gone;
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

/** Smaller stores are looked through whenever something may be left over: that takes some milliseconds. */
const SMALL = 16_384;
/** So the walk comes by four entries, at most, for each that it removes. */
const WORTH_SHARE = 1 / 4;

/**
 * Whether so much is left over in front of the cuts that all of the history should be looked through.
 *
 * @param forgotten of the cuts up to which the changes are told exactly, so that the history has more by what is left over.
 */
export function isWorthTidying(
  { history, changes }: Pick<OpenStore['tables'], 'history' | 'changes'>,
  forgotten: string,
  cuts: LogCuts,
): boolean {
  const [known, left] = [countOf(history), countOf(changes)];
  const over = forgotten === forgottenText(cuts) ? known - left : versionsBetween(forgotten, cuts);
  return over > 0 && (known < SMALL || over >= left * WORTH_SHARE);
}

/** Equal for cuts at the same versions. */
export function forgottenText({
  everything,
  resources,
}: Pick<LogCuts, 'everything' | 'resources'>): string {
  const versions = [...resources].map(([resource, { version }]) => [resource, version]).sort();
  return JSON.stringify([everything.version, versions]);
}

/** How far the cuts have moved, all resources together: no more can have come to lie in front of them. */
function versionsBetween(forgotten: string, cuts: LogCuts): number {
  const [everything, versions] = JSON.parse(forgotten) as [number, [string, number][]];
  const before = new Map(versions);
  let sum = Math.max(0, cuts.everything.version - everything);
  for (const resource of new Set([...before.keys(), ...cuts.resources.keys()])) {
    const was = Math.max(everything, before.get(resource) ?? 0);
    sum += Math.max(0, cutOf(cuts, resource).version - was);
  }
  return sum;
}

function countOf(table: Countable): number {
  return (table.getStats() as { readonly entryCount: number }).entryCount;
}
