/**
 * What really happened, as the log says it: a fold of its records, written a second time from
 * docs/event-format.md and sharing nothing with the server's own, so that it can disagree.
 */
import type { JsonObject } from '../support/json.ts';
import {
  type ResourceName,
  resourceOfStorage,
  seenObject,
  type SeenObject,
} from './seen-object.ts';

/** One record as any reader of the log finds it. */
export interface LogRecord {
  readonly version: number;
  readonly writer: string;
  readonly sequence: number;
  readonly type: string;
  /** `<group>/<resource>`. */
  readonly resource: string;
  readonly path: string;
  readonly previous: number;
  readonly requires: readonly (readonly [string, string, number])[];
  readonly auditID: string;
  /** Undefined for a marker, and where the resource is none of the traffic's. */
  readonly object?: JsonObject;
}

/** A record that took effect, of a resource of the traffic. */
export interface Change {
  readonly version: number;
  readonly type: 'added' | 'modified' | 'deleted';
  readonly resource: ResourceName;
  readonly path: string;
  /** Of the operation that asked for it. */
  readonly id: string;
  readonly object: SeenObject;
  readonly previous: Change | undefined;
}

export interface RecordCounts {
  readonly records: number;
  readonly effective: number;
  readonly overtaken: number;
  readonly duplicates: number;
  readonly markers: number;
}

export class LogTruth {
  readonly #changes = new Map<ResourceName, Change[]>();
  readonly #histories = new Map<string, Change[]>();
  readonly #byOperation = new Map<string, Change[]>();
  readonly #byVersion = new Map<number, Change>();
  readonly #versions = new Map<string, number>();
  /** Every effective record of any resource: its version, its object, what the object has by it. */
  readonly #effects: (readonly [number, string, number])[] = [];
  readonly #writers = new Map<string, number>();
  readonly #counts = { records: 0, effective: 0, overtaken: 0, duplicates: 0, markers: 0 };
  #newest = 0;

  static of(records: Iterable<LogRecord>): LogTruth {
    const truth = new LogTruth();
    for (const record of records) truth.add(record);
    return truth;
  }

  /** The next record. @throws where it does not stand behind the one before. */
  add(record: LogRecord): void {
    const { version } = record;
    if (version <= this.#newest) throw new Error(`${String(version)} comes a second time`);
    this.#newest = version;
    this.#counts.records += 1;
    const verdict = this.#judge(record);
    this.#counts[verdict] += 1;
    if (verdict !== 'effective') return;
    const { resource, path, type } = record;
    const now = type === 'deleted' ? 0 : version;
    this.#versions.set(`${resource} ${path}`, now);
    this.#effects.push([version, `${resource} ${path}`, now]);
    const ours = resourceOfStorage(resource);
    if (ours !== undefined) this.#note(changeOf(record, ours, this.historyOf(ours, path).at(-1)));
  }

  get newest(): number {
    return this.#newest;
  }

  get counts(): RecordCounts {
    return this.#counts;
  }

  /** In order. */
  changes(resource: ResourceName): readonly Change[] {
    return this.#changes.get(resource) ?? [];
  }

  historyOf(resource: ResourceName, path: string): readonly Change[] {
    return this.#histories.get(`${resource} ${path}`) ?? [];
  }

  at(version: number): Change | undefined {
    return this.#byVersion.get(version);
  }

  /** The versions of all objects of all resources at a version, by `<group>/<resource> <path>`. */
  stateAt(version: number): Map<string, number> {
    const state = new Map<string, number>();
    for (const [at, object, now] of this.#effects) {
      if (at > version) break;
      if (now === 0) state.delete(object);
      else state.set(object, now);
    }
    return state;
  }

  /** What an operation brought about: nothing, or one change. */
  ofOperation(id: string): readonly Change[] {
    return this.#byOperation.get(id) ?? [];
  }

  operations(): Iterable<string> {
    return this.#byOperation.keys();
  }

  #judge(record: LogRecord): 'effective' | 'overtaken' | 'duplicates' | 'markers' {
    const last = this.#writers.get(record.writer);
    if (last !== undefined && record.sequence <= last) return 'duplicates';
    this.#writers.set(record.writer, record.sequence);
    if (record.type === 'marker') return 'markers';
    const { type, resource, path, previous, requires } = record;
    const now = this.#versions.get(`${resource} ${path}`) ?? 0;
    const isFree = (type === 'added') === (previous === 0) && now === previous;
    const holds = requires.every(([other, where, said]) => {
      const version = said < 0 ? record.version + said : said;
      return /^[^/]*\/$/.test(where)
        ? this.#newestUnder(`${other} ${where}`) <= version
        : (this.#versions.get(`${other} ${where}`) ?? 0) === version;
    });
    return isFree && holds ? 'effective' : 'overtaken';
  }

  /** Of the objects that are there under a prefix, the greatest version; 0 where there are none. */
  #newestUnder(prefix: string): number {
    let newest = 0;
    for (const [object, version] of this.#versions) {
      if (version > newest && object.startsWith(prefix)) newest = version;
    }
    return newest;
  }

  #note(change: Change): void {
    const { resource, path, id, version } = change;
    listIn(this.#changes, resource).push(change);
    listIn(this.#histories, `${resource} ${path}`).push(change);
    listIn(this.#byOperation, id).push(change);
    this.#byVersion.set(version, change);
  }
}

/** The last change at or before a version; undefined where there is none. */
export function lastChange(history: readonly Change[], version: number): Change | undefined {
  return history[placeOf(history, version)];
}

/** The place of the last change at or before a version; -1 where there is none. */
export function placeOf(history: readonly Change[], version: number): number {
  let [from, to] = [0, history.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((history[middle]?.version ?? 0) <= version) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** `key=value` or '' against labels. */
export function isSelected(selector: string, labels: Readonly<Record<string, string>>): boolean {
  const [key = '', value] = selector.split('=');
  return selector === '' || labels[key] === value;
}

export function isInNamespace(path: string, namespace: string): boolean {
  return namespace === '' || path.startsWith(`${namespace}/`);
}

function changeOf(record: LogRecord, resource: ResourceName, previous: Change | undefined): Change {
  const { version, type, path, auditID, object } = record;
  if (type !== 'added' && type !== 'modified' && type !== 'deleted') {
    throw new Error(`${String(version)} is ${type}`);
  }
  if (object === undefined) throw new Error(`${String(version)} has no object`);
  const seen = seenObject(resource, object, version);
  const before = previous?.type === 'deleted' ? undefined : previous;
  return { version, type, resource, path, id: auditID, object: seen, previous: before };
}

function listIn<Key, Value>(map: Map<Key, Value[]>, key: Key): Value[] {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made: Value[] = [];
  map.set(key, made);
  return made;
}
