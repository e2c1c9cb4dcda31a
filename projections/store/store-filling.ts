/**
 * What a long log says while it is folded into an empty store: a few bytes for each event, kept until the end of the
 * log is reached and then written in the order of the keys, so that each page of the file is written once. Written
 * as it comes, nearly every event costs a page of its own, since the objects of a log lie anywhere.
 *
 * The surprise: until the last transaction the store says that it is being filled. One that is found so is emptied, and
 * filled again from the parts that were kept meanwhile: see filling-in-parts.ts.
 */
import { othersTurn } from '../../api/meta/others-turn.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { encodePart, type FillingPart } from './filling-part.ts';
import { NumberColumn } from './number-column.ts';
import type { PathVersion, RecordedEvent } from './object-history.ts';
import type { RecordedBatch } from './pending-records.ts';
import { TYPE_CODES } from './store-key.ts';
import type { OpenStore } from './store-tables.ts';

/** Of a longer log the rest is written as it comes: memory is bounded, to some 350 MB. */
const EVENTS_MAX = 16_000_000;
/** Of so many versions it is known which path they are of. */
const VERSIONS_MAX = 2 * EVENTS_MAX;
const VERSIONS_AT_FIRST = 65_536;
/** In a transaction: some 20 ms of the event loop. */
const PUTS_AT_ONCE = 8_192;
/** Of what only memory is needed for. */
const STEPS_AT_ONCE = 131_072;
const NOTHING = Buffer.alloc(0);
/** An event is the number of its path, four times, and its type. */
const TYPE_BITS = 2;
const TYPE_MASK = 3;

/** One transaction. */
export type Change = (puts: (store: OpenStore) => void) => Promise<void>;

/** The events of one resource, in the order of the log. */
interface FilledResource {
  /** Of the paths as far as one was looked up by its text, which hardly any log asks for. */
  readonly numbers: Map<string, number>;
  /** How many of the paths that are. */
  numbered: number;
  /** One that was deleted and made again is here twice. */
  readonly paths: string[];
  readonly versions: NumberColumn<Float64Array>;
  readonly codes: NumberColumn<Uint32Array>;
  /** How much of it is in a part. */
  readonly kept: { events: number; paths: number };
}

export class StoreFilling {
  readonly #resources = new Map<string, FilledResource>();
  readonly #numbers = new PathNumbers();
  readonly #eventsMax: number;
  #events = 0;

  constructor(eventsMax = EVENTS_MAX) {
    this.#eventsMax = eventsMax;
  }

  /** No more should come. */
  get isFull(): boolean {
    return this.#events >= this.#eventsMax;
  }

  add(events: readonly RecordedEvent[]): void {
    this.#events += events.length;
    for (const event of events) {
      const { resource, resourceVersion: version, type, previousResourceVersion: before } = event;
      const filled = this.#of(resource);
      const isMade = type === 'added' && before === 0;
      const number = isMade
        ? filled.paths.push(event.path) - 1
        : (this.#numbers.of(before) ?? numberOf(filled, event.path));
      this.#numbers.set(version, number);
      filled.versions.push(version);
      filled.codes.push((number << TYPE_BITS) | TYPE_CODES[type]);
    }
  }

  /** What was added behind the part before. @param batches in which it came. */
  nextPart(batches: readonly RecordedBatch[]): Buffer {
    const resources = [];
    for (const [resource, { paths, versions, codes, kept }] of this.#resources) {
      if (versions.length === kept.events) continue;
      const from = kept.events;
      const newPaths = paths.slice(kept.paths);
      const [someVersions, someCodes] = [versions.from(from), codes.from(from)];
      resources.push({ resource, paths: newPaths, versions: someVersions, codes: someCodes });
      [kept.events, kept.paths] = [versions.length, paths.length];
    }
    return encodePart({ resources, batches });
  }

  /** Takes back the next of the parts, before anything is added. */
  adopt({ resources }: FillingPart): void {
    for (const { resource, paths, versions, codes } of resources) {
      const filled = this.#of(resource);
      for (const path of paths) filled.paths.push(path);
      for (const [nth, version] of versions.entries()) {
        const code = codes[nth] ?? 0;
        this.#numbers.set(resourceVersion(version), code >> TYPE_BITS);
        filled.versions.push(version);
        filled.codes.push(code);
      }
      filled.kept.events = filled.versions.length;
      filled.kept.paths = filled.paths.length;
      this.#events += versions.length;
    }
  }

  /** The objects that exist behind all that was added, of each resource in order of their paths. */
  *current(): Generator<PathVersion & { readonly resource: string }> {
    for (const resource of [...this.#resources.keys()].sort()) {
      for (const one of currentOf(this.#of(resource))) yield { resource, ...one };
    }
  }

  /** Writes all of it, in many transactions. @param isOver asked between them: whether to give up. */
  async write(change: Change, isOver: () => boolean): Promise<void> {
    for (const [resource, filled] of this.#resources) {
      const { versions } = filled;
      const order = await orderOf(filled);
      for (let from = 0; from < order.length && !isOver(); from += PUTS_AT_ONCE) {
        const nth = order.subarray(from, from + PUTS_AT_ONCE + 1);
        await change((store) => {
          putHistory(store, { resource, filled, nth });
        });
      }
      for (let from = 0; from < versions.length && !isOver(); from += PUTS_AT_ONCE) {
        const some = versions.from(from, from + PUTS_AT_ONCE);
        await change(({ tables }) => {
          for (const version of some) {
            void tables.changes.put({ resource, version: resourceVersion(version) }, NOTHING);
          }
        });
      }
    }
  }

  #of(resource: string): FilledResource {
    const filled = this.#resources.get(resource) ?? {
      ...{ numbers: new Map(), paths: [] },
      versions: new NumberColumn((length) => new Float64Array(length)),
      codes: new NumberColumn((length) => new Uint32Array(length)),
      ...{ numbered: 0, kept: { events: 0, paths: 0 } },
    };
    this.#resources.set(resource, filled);
    return filled;
  }
}

function* currentOf({ paths, versions, codes }: FilledResource): Generator<PathVersion> {
  const last = new Int32Array(paths.length);
  for (let event = 0; event < codes.length; event += 1) last[codes.at(event) >> TYPE_BITS] = event;
  for (const numbers of inOrder(spacesOf(paths), paths)) {
    for (const number of numbers) {
      const event = last[number] ?? 0;
      if ((codes.at(event) & TYPE_MASK) === TYPE_CODES.deleted) continue;
      yield { path: paths[number] ?? '', resourceVersion: resourceVersion(versions.at(event)) };
    }
  }
}

function numberOf(filled: FilledResource, path: string): number {
  const { numbers, paths } = filled;
  for (let number = filled.numbered; number < paths.length; number += 1) {
    numbers.set(paths[number] ?? '', number);
  }
  const there = numbers.get(path);
  const number = there ?? paths.push(path) - 1;
  if (there === undefined) numbers.set(path, number);
  filled.numbered = paths.length;
  return number;
}

/** The numbers of paths by the versions that their objects had: to find a path by its text costs a fold as much as to judge its event. */
class PathNumbers {
  #base = 0;
  /** One more than the number; 0: it is not known. */
  #numbers = new Uint32Array(0);

  /** @param version of the object at the path, as an event that took effect names it. */
  of(version = 0): number | undefined {
    const number = this.#numbers[version - this.#base] ?? 0;
    return number === 0 ? undefined : number - 1;
  }

  set(version: ResourceVersion, number: number): void {
    if (this.#numbers.length === 0) this.#base = version;
    const at = version - this.#base;
    // Versions may have gaps of any size.
    if (at < 0 || at >= VERSIONS_MAX) return;
    if (at >= this.#numbers.length) {
      const more = new Uint32Array(Math.max(VERSIONS_AT_FIRST, at + 1, this.#numbers.length * 2));
      more.set(this.#numbers);
      this.#numbers = more;
    }
    this.#numbers[at] = number + 1;
  }
}

interface HistoryPart {
  readonly resource: string;
  readonly filled: FilledResource;
  /** Which events, and the first of the next part, by which the last one of an object is known. */
  readonly nth: Uint32Array;
}

function putHistory({ tables }: OpenStore, { resource, filled, nth }: HistoryPart): void {
  const { paths, versions, codes } = filled;
  const count = Math.min(nth.length, PUTS_AT_ONCE);
  for (let at = 0; at < count; at += 1) {
    const event = nth[at] ?? 0;
    const code = codes.at(event);
    const path = paths[code >> TYPE_BITS] ?? '';
    const version: ResourceVersion = resourceVersion(versions.at(event));
    const type = code & TYPE_MASK;
    void tables.history.put({ resource, path, version, type }, NOTHING);
    const next = nth[at + 1];
    const isLast = next === undefined || codes.at(next) >> TYPE_BITS !== code >> TYPE_BITS;
    if (isLast && type !== TYPE_CODES.deleted)
      void tables.current.put({ resource, path }, String(version));
  }
}

/** The events by their paths in order, and those of one path as they came. */
async function orderOf({ paths, codes }: FilledResource): Promise<Uint32Array> {
  const ranks = await ranksOf(paths);
  const starts = new Uint32Array(paths.length + 1);
  const rankOf = (event: number): number => ranks[codes.at(event) >> TYPE_BITS] ?? 0;
  await inTurns(codes.length, (event) => {
    starts[rankOf(event) + 1] = (starts[rankOf(event) + 1] ?? 0) + 1;
  });
  for (let rank = 1; rank < starts.length; rank += 1) {
    starts[rank] = (starts[rank] ?? 0) + (starts[rank - 1] ?? 0);
  }
  const order = new Uint32Array(codes.length);
  await inTurns(codes.length, (event) => {
    const rank = rankOf(event);
    const at = starts[rank] ?? 0;
    order[at] = event;
    starts[rank] = at + 1;
  });
  return order;
}

/** The place of each path in the order of them all, found namespace by namespace. */
async function ranksOf(paths: readonly string[]): Promise<Uint32Array> {
  const spaces: Spaces = new Map();
  await inTurns(paths.length, (number) => {
    putInSpace(spaces, number, paths);
  });
  const ranks = new Uint32Array(paths.length);
  let rank = 0;
  for (const numbers of inOrder(spaces, paths)) {
    for (const number of numbers) {
      ranks[number] = rank;
      rank += 1;
    }
    await othersTurn();
  }
  return ranks;
}

/** The numbers of paths by their namespace with the slash. */
type Spaces = Map<string, number[]>;

function spacesOf(paths: readonly string[]): Spaces {
  const spaces: Spaces = new Map();
  for (let number = 0; number < paths.length; number += 1) putInSpace(spaces, number, paths);
  return spaces;
}

function putInSpace(spaces: Spaces, number: number, paths: readonly string[]): void {
  const path = paths[number] ?? '';
  const space = path.slice(0, path.indexOf('/') + 1);
  const there = spaces.get(space);
  if (there === undefined) spaces.set(space, [number]);
  else there.push(number);
}

/** The numbers of all paths in their order, those of a namespace at a time. */
function* inOrder(spaces: Spaces, paths: readonly string[]): Generator<readonly number[]> {
  for (const space of [...spaces.keys()].sort()) {
    const numbers = spaces.get(space) ?? [];
    yield numbers.sort((a, b) => {
      const [one, other] = [paths[a] ?? '', paths[b] ?? ''];
      // What was deleted and made again stands behind what it was.
      return one === other ? a - b : one < other ? -1 : 1;
    });
  }
}

async function inTurns(count: number, step: (nth: number) => void): Promise<void> {
  for (let from = 0; from < count; from += STEPS_AT_ONCE) {
    const end = Math.min(count, from + STEPS_AT_ONCE);
    for (let nth = from; nth < end; nth += 1) step(nth);
    await othersTurn();
  }
}
