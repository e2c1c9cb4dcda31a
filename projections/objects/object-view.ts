/**
 * The objects of every resource as they are now: the fold of the log that get, list and the
 * next write read.
 */
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { CommittedEvent, StoredObject } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { TouchedPrefixes, type LivePaths, type LiveVersions } from '../fold/live-versions.ts';
import type { Projection } from '../fold/projection.ts';
import type { LabelSelector } from '../../api/selectors/label-selector.ts';
import { isIndexed, LabelIndex, UNREAD, type KnownLabels } from './label-index.ts';
import { PathMap } from './path-map.ts';
import { SortedPaths, type HeldPaths } from './sorted-paths.ts';
import { knownLabels, sizeOf } from './stored-object.ts';

const NEVER = resourceVersion(0);
// Behind '/', so `ns` + this is behind every path of the namespace.
const AFTER_SLASH = '0';
const AFTER_ALL = '\uffff';
/** So many objects stand for all: those that memory does not hold have to be read. */
const SAMPLE_OBJECTS = 32;
/** So many are read before others have their turn: of those that memory does not hold, 5 ms. */
const LABELLED_AT_ONCE = 128;

/** Of more than this nothing is copied: of a million it would be 9 MB, which the collector goes through before it is of no use any more. */
const COPIED_MAX = 16_384;

/** The objects of one resource. */
export class ResourceObjects implements LivePaths {
  readonly #byPath = new PathMap<StoredObject>();
  #sorted = new SortedPaths<StoredObject>();
  #lastPath: string | undefined;
  #lastFound: StoredObject | undefined;
  #changedAt: ResourceVersion;
  readonly #touched = new TouchedPrefixes();
  /** Of all objects there are, but for the ones that are still to be looked at; undefined: it is not made yet. */
  #labels: LabelIndex | undefined = new LabelIndex();
  #labelling: Promise<void> | undefined;

  /** @param changedAt what happened up to here is not known: there may have been deletions. */
  constructor(changedAt: ResourceVersion = NEVER) {
    this.#changedAt = changedAt;
  }

  /** Nothing of this resource has changed after this version. */
  get changedAt(): ResourceVersion {
    return this.#changedAt;
  }

  get size(): number {
    return this.#sorted.size;
  }

  /** About how many bytes all objects have together, as those do that came first. */
  estimatedBytes(): number {
    let [looked, bytes] = [0, 0];
    for (const object of this.#byPath.values()) {
      looked += 1;
      bytes += sizeOf(object);
      if (looked === SAMPLE_OBJECTS) break;
    }
    return looked === 0 ? 0 : Math.round((bytes / looked) * this.size);
  }

  get(path: string): StoredObject | undefined {
    // The fold asks several times in a row for the object of the event that it is at.
    if (path !== this.#lastPath) {
      this.#lastFound = this.#byPath.get(path);
      this.#lastPath = path;
    }
    return this.#lastFound;
  }

  /** The next question is going to be for this object, which is the present one at its path: nothing has to be searched then. */
  found(object: StoredObject): void {
    this.#lastPath = object.path;
    this.#lastFound = object;
  }

  /** By path in order: of one namespace, or of all when it is ''; from the path `from` on. */
  inOrder(namespace: string, from = ''): Generator<StoredObject> {
    const range = rangeOf(namespace);
    return this.#sorted.between(latest(from, range.from), range.to);
  }

  /** The same, and of more than `max` the first. */
  range(namespace: string, from: string, max?: number): StoredObject[] {
    const { from: first, to } = rangeOf(namespace);
    return this.#sorted.range(latest(from, first), to, max);
  }

  /** All of them as they are now, of which many are not copied: they may be read in later turns. */
  all(namespace: string, from = ''): StoredObject[] | HeldPaths<StoredObject> {
    const range = rangeOf(namespace);
    const first = latest(from, range.from);
    const isMany = this.#sorted.countBetween(first, range.to) > COPIED_MAX;
    return isMany ? this.#sorted.hold(first, range.to) : this.#sorted.range(first, range.to);
  }

  /** The same, shown to `visit` until that returns false. */
  visit(namespace: string, from: string, visit: (object: StoredObject) => boolean): void {
    const range = rangeOf(namespace);
    this.#sorted.visit(latest(from, range.from), range.to, visit);
  }

  /**
   * The same of those that a selector may select, and others. Where no index tells, it is all of them.
   *
   * @param labels undefined: all.
   */
  visitSelected(
    labels: LabelSelector | undefined,
    range: { readonly namespace: string; readonly from: string },
    visit: (object: StoredObject) => boolean,
  ): void {
    const { namespace, from } = range;
    const index = this.#labelling === undefined ? this.#labels : undefined;
    const asksIndex = labels !== undefined && isIndexed(labels);
    if (asksIndex) index?.read((path) => this.#byPath.get(path)?.labels);
    const { from: first, to } = rangeOf(namespace);
    const visitPath = (path: string): boolean => {
      const object = this.#byPath.get(path);
      return object === undefined || visit(object);
    };
    if (asksIndex && index?.visit(labels, [latest(from, first), to], visitPath)) return;
    this.visit(namespace, from, visit);
  }

  /**
   * The same of those that a selector selects, at most `max`, of which none is looked at; undefined: no index tells.
   * They are as many as the selector has labels of, so `max` is what bounds the turn.
   */
  selected(
    labels: LabelSelector,
    range: { readonly namespace: string; readonly from: string },
    max: number,
  ): StoredObject[] | undefined {
    if (this.#labelling !== undefined) return undefined;
    const { from: first, to } = rangeOf(range.namespace);
    const index = this.#labels;
    index?.read((path) => this.#byPath.get(path)?.labels);
    const paths = index?.selected(labels, [latest(range.from, first), to], max);
    if (paths === undefined) return undefined;
    const selected: StoredObject[] = [];
    for (const path of paths) {
      const object = this.#byPath.get(path);
      if (object !== undefined) selected.push(object);
    }
    return selected;
  }

  /** Makes the index that {@link visitSelected} asks, in turns, where there is none; undefined: there is. */
  labelled(): Promise<void> | undefined {
    if (this.#labels === undefined) {
      this.#labels = new LabelIndex();
      this.#labelling = this.#label(this.#labels);
    }
    return this.#labelling;
  }

  /** All in order, at most so many at a time. Between them others may change what comes. */
  *slices(count: number): Generator<readonly StoredObject[]> {
    for (let from = ''; ;) {
      const slice = this.range('', from, count);
      const last = slice.at(-1);
      if (last === undefined) return;
      yield slice;
      from = `${last.path}\0`;
    }
  }

  versionOf(path: string): ResourceVersion {
    return this.get(path)?.resourceVersion ?? NEVER;
  }

  /** @param prefix `<namespace>/`. */
  *under(prefix: string): Generator<readonly [path: string, version: ResourceVersion]> {
    for (const object of this.#sorted.between(prefix, prefix.slice(0, -1) + AFTER_SLASH)) {
      yield [object.path, object.resourceVersion];
    }
  }

  /** See LiveVersions. */
  isUnchangedUnder(prefix: string, since: ResourceVersion): boolean {
    return this.#changedAt <= since || this.#touched.isUnchanged(prefix, since, this);
  }

  /** How many objects stand behind `path` in the same range. */
  countAfter(namespace: string, path: string): number {
    const { from, to } = rangeOf(namespace);
    return this.#sorted.countBetween(latest(`${path}\0`, from), to);
  }

  /** The same objects, of which from now on others tell. */
  copy(changedAt: ResourceVersion): ResourceObjects {
    const copy = new ResourceObjects(changedAt);
    copy.#labels = undefined;
    copy.#sorted = this.#sorted.copy();
    for (const object of this.#byPath.values()) copy.#byPath.set(object.path, object);
    return copy;
  }

  set(object: StoredObject, changedAt: ResourceVersion): void {
    this.#index(object.path, object);
    if (object.path === this.#lastPath) this.#lastFound = object;
    this.#byPath.set(object.path, object);
    this.#sorted.set(object);
    this.#touched.touch(object.path, object.resourceVersion);
    this.#changedAt = changedAt;
  }

  /** Whether an object may become the next version and be the same value: no index tells of it. */
  get canRenew(): boolean {
    return this.#labels === undefined;
  }

  /** The object at the path is the same value, and has this version now. */
  renewed(path: string, version: ResourceVersion): void {
    this.#touched.touch(path, version);
    this.#changedAt = version;
  }

  delete(path: string, changedAt: ResourceVersion): void {
    this.#index(path, undefined);
    if (path === this.#lastPath) this.#lastFound = undefined;
    if (this.#byPath.delete(path)) this.#sorted.delete(path);
    this.#changedAt = changedAt;
  }

  /** @param now undefined: it is gone. */
  #index(path: string, now: StoredObject | undefined): void {
    const index = this.#labels;
    if (index === undefined) return;
    const known = now && knownLabels(now);
    const labels = known === UNREAD && index.isKeptUp(this.size) ? readLabels(now) : known;
    const there = this.get(path);
    // While the index is made, it knows nothing by itself of what was there before.
    const isKnown = this.#labelling === undefined;
    if (!isKnown) index.mayBeLeft();
    index.set(path, there !== undefined && isKnown ? knownLabels(there) : undefined, labels);
    if (!index.isOfUse(this.size)) this.#labels = undefined;
  }

  async #label(index: LabelIndex): Promise<void> {
    try {
      // The caller knows by then that it is under way.
      await othersTurn();
      await this.#labelAll(index);
    } catch (error) {
      // What cannot be read now may be read by the next list.
      if (this.#labels === index) this.#labels = undefined;
      throw error;
    }
    if (this.#labels === index) this.#labelling = undefined;
  }

  async #labelAll(index: LabelIndex): Promise<void> {
    let looked = 0;
    for (const object of this.all('')) {
      looked += 1;
      index.asked();
      if (looked % LABELLED_AT_ONCE === 0) await othersTurn();
      // Meanwhile there was too much that has to be read again.
      if (this.#labels !== index) return;
      // What was put in its place meanwhile is known already.
      if (this.#byPath.get(object.path) === object)
        index.set(object.path, undefined, object.labels);
    }
  }
}

/** What there is under a path, at whatever moment this is a view of. */
export interface ObjectReads {
  get(resource: string, path: string): StoredObject | undefined;
}

/** Gives the objects of a resource as of the version that the view began at. */
export type FillObjects = (resource: string, beganAt: ResourceVersion) => ResourceObjects;

export class ObjectView implements Projection, ObjectReads, LiveVersions {
  readonly name = 'objects';
  readonly #resources = new Map<string, ResourceObjects>();
  readonly #fill: FillObjects | undefined;
  #beganAt = NEVER;

  /** @param fill for a view that is too large to be filled before it is looked at. */
  constructor(fill?: FillObjects) {
    this.#fill = fill;
  }

  /** Whether a resource's objects come when they are first asked for. Else the projector puts them in. */
  get fillsItself(): boolean {
    return this.#fill !== undefined;
  }

  /** The view is going to be filled with what there is at this version. Before anything else. */
  beginAt(version: ResourceVersion): void {
    this.#beganAt = version;
  }

  /** The version as of which the view was filled, or fills itself. */
  get beganAt(): ResourceVersion {
    return this.#beganAt;
  }

  /** Whether a reader has looked at the resource. */
  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  /** Takes the objects of a resource that was not looked at yet, as of {@link beganAt}. */
  adopt(resource: string, objects: ResourceObjects): void {
    if (!this.#resources.has(resource)) this.#resources.set(resource, objects);
  }

  of(resource: string): ResourceObjects {
    let objects = this.#resources.get(resource);
    if (objects === undefined) {
      objects = this.#fill?.(resource, this.#beganAt) ?? new ResourceObjects(this.#beganAt);
      this.#resources.set(resource, objects);
    }
    return objects;
  }

  resources(): Iterable<[string, ResourceObjects]> {
    return this.#resources;
  }

  get(resource: string, path: string): StoredObject | undefined {
    return this.#at(resource)?.get(path);
  }

  isUnchangedUnder(resource: string, prefix: string, since: ResourceVersion): boolean {
    return this.#at(resource)?.isUnchangedUnder(prefix, since) ?? true;
  }

  /** 0 when there is no such object. */
  versionOf(resource: string, path: string): ResourceVersion {
    return this.get(resource, path)?.resourceVersion ?? NEVER;
  }

  apply({ type, resource, path, object, resourceVersion: version }: CommittedEvent): void {
    if (type === 'deleted') this.of(resource).delete(path, version);
    else this.of(resource).set(object, version);
  }

  #at(resource: string): ResourceObjects | undefined {
    return this.fillsItself ? this.of(resource) : this.#resources.get(resource);
  }
}

/** Those that cannot be read are read again by the next list, which can say so. */
function readLabels(object: StoredObject | undefined): KnownLabels {
  try {
    return object?.labels;
  } catch {
    return UNREAD;
  }
}

function latest(one: string, other: string): string {
  return one > other ? one : other;
}

function rangeOf(namespace: string): { readonly from: string; readonly to: string } {
  if (namespace === '') return { from: '', to: AFTER_ALL };
  return { from: `${namespace}/`, to: `${namespace}${AFTER_SLASH}` };
}
