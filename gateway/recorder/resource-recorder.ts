/**
 * Records one resource: lists it, watches it from there, and begins again wherever it broke off.
 * When the cluster has forgotten what came in between, it lists again, records the differences as
 * such, and notes that something may be missing.
 *
 * In Kubernetes: the reflector of client-go, whose store is our log.
 */
import { isJsonObject, listAt, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import {
  ClusterUnreachableError,
  hasCause,
  problemOf,
  type ClusterAnswer,
  type ClusterClient,
} from '../remote-cluster/cluster-client.ts';
import { collectionPath, type ClusterResource } from '../remote-cluster/cluster-resources.ts';
import type { BackOff } from './back-off.ts';
import { observedObject, type ObservedObject } from './observed-object.ts';
import type { Learned, Observation, RecordBook, WrittenCounts } from './record-book.ts';
import type { RecordGap, RecordPlace } from './record-place.ts';

export interface ResourceRecorderParts {
  readonly resource: ClusterResource;
  readonly client: ClusterClient;
  readonly book: RecordBook;
  readonly place: RecordPlace;
  readonly backOff: BackOff;
  /** RFC 3339, now. */
  readonly timeText: () => string;
  /** Which cluster answers. @throws ClusterUnreachableError it does not answer, or not say so. */
  readonly clusterEpoch: () => Promise<ClusterEpoch>;
  /** How long the server is asked to keep a watch open, in seconds. */
  readonly watchSeconds: () => number;
  readonly report: RecordReport;
}

/** The time of one cluster at an address. */
export interface ClusterEpoch {
  /** Rises when another cluster answers. */
  readonly number: number;
  /** Aborted then: a watch that was opened in between is one of the other cluster. */
  readonly over: AbortSignal;
}

/** Is told what happens. */
export interface RecordReport {
  /** A list of the resource was read and is written. */
  listed(resource: string): void;
  /** Called for each batch: of a watch, or of the pages of a list. */
  written(resource: string, counts: WrittenCounts): void;
  /** Something may have happened that is not recorded. */
  gap(gap: RecordGap): void;
  /** Something is wrong, and is tried again. */
  trouble(resource: string, problem: string): void;
}

/** Asked anew each time: a signal that was not aborted before can be by now. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** The server does not know it any more, or may not show it. */
export type Ended = 'stopped' | 'not served';

const PAGE_SIZE = 500;
const BEHIND_MAX = 4;

type WatchEnd = 'ended' | 'gone' | 'behind' | 'failed' | 'not served';

/** Records one resource until it is stopped, or until the cluster does not serve it any more. */
export class ResourceRecorder {
  readonly #parts: ResourceRecorderParts;
  readonly #storage: string;
  #epoch: ClusterEpoch = { number: 0, over: new AbortController().signal };
  /** Why it has to be listed, until it was; '' when it can be watched from where we are. */
  #reason = '';
  #listEnd: WatchEnd = 'failed';
  /** Whether the last watch brought anything. */
  #wasTold = false;
  /** How often in turn the server knew less than we do. */
  #behind = 0;

  constructor(parts: ResourceRecorderParts) {
    this.#parts = parts;
    this.#storage = parts.resource.storage;
  }

  /** @throws what the log throws. */
  async run(signal: AbortSignal): Promise<Ended> {
    while (!signal.aborted) {
      try {
        const end = await this.#round(signal);
        if (end === 'not served') return end;
        this.#reason ||= this.#reasonToList(end);
        // A server that ends each watch at once must not be asked without pause.
        if (!this.#wasTold) await this.#parts.backOff.wait(signal);
      } catch (error) {
        if (!(error instanceof ClusterUnreachableError)) throw error;
        const isExpected = isOver(signal) || isOver(this.#epoch.over);
        if (!isExpected) this.#parts.report.trouble(this.#storage, error.message);
        await this.#parts.backOff.wait(signal);
      }
    }
    return 'stopped';
  }

  /** Lists if that is needed, then watches until it ends. */
  async #round(signal: AbortSignal): Promise<WatchEnd> {
    this.#wasTold = false;
    const strangeness = await this.#strangeness();
    if (strangeness !== '') this.#reason = strangeness;
    const from = this.#reason === '' ? this.#resumeFrom() : undefined;
    const since = from ?? (await this.#list(signal));
    if (since === undefined) return this.#listEnd;
    return this.#watch(since, AbortSignal.any([signal, this.#epoch.over]));
  }

  /** Why what we know is not of this cluster. */
  async #strangeness(): Promise<string> {
    const { clusterEpoch, book } = this.#parts;
    const epoch = await clusterEpoch();
    const isAnother = epoch.number !== this.#epoch.number && book.last(this.#storage) !== undefined;
    this.#epoch = epoch;
    return isAnother ? 'another cluster answers at this address' : '';
  }

  #reasonToList(end: WatchEnd): string {
    if (end === 'gone') return 'the cluster has forgotten what came after the last event (410)';
    this.#behind = end === 'behind' ? this.#behind + 1 : 0;
    if (this.#behind < BEHIND_MAX) return '';
    this.#behind = 0;
    return 'the cluster is older than what was recorded of it';
  }

  /** The cluster's version up to which everything is recorded. */
  #resumeFrom(): string | undefined {
    const { book, place } = this.#parts;
    const last = book.last(this.#storage);
    const saved = place.of(this.#storage);
    if (saved !== undefined && saved.recorded >= (last?.version ?? 0)) return saved.resourceVersion;
    // A listing that was broken off has recorded objects, and not all.
    if (last?.learned !== 'watch' || last.clusterVersion === '') return undefined;
    return last.version > (place.cluster?.since ?? 0) ? last.clusterVersion : undefined;
  }

  /** @returns the version to watch from; undefined when it could not be listed. */
  async #list(signal: AbortSignal): Promise<string | undefined> {
    const { book, report } = this.#parts;
    const reason = this.#reason;
    const isFirst = book.last(this.#storage) === undefined && reason === '';
    const learned: Learned = isFirst ? 'list' : 'relist';
    const known = this.#knownTo();
    const unseen = new Set(book.paths(this.#storage));
    const counts = { added: 0, modified: 0, deleted: 0 };
    const write = async (observations: readonly Observation[]): Promise<void> => {
      const written = await book.write(this.#storage, observations);
      counts.added += written.added;
      counts.modified += written.modified;
      counts.deleted += written.deleted;
      report.written(this.#storage, written);
    };

    let version = '';
    for (let token = ''; ;) {
      const page = await this.#page(token, signal);
      if (page === undefined) return undefined;
      const objects = page.items;
      for (const { path } of objects) unseen.delete(path);
      await write(objects.map((object) => ({ path: object.path, object, isGone: false, learned })));
      version = page.version;
      token = page.next;
      if (token === '') break;
    }
    const gone = { object: undefined, isGone: true, learned } as const;
    await write([...unseen].map((path) => ({ path, ...gone })));
    if (!isFirst) this.#noteGap(reason, { knownTo: known, knownFrom: version, counts });
    this.#reason = '';
    this.#moveTo(version);
    await this.#parts.place.save();
    report.listed(this.#storage);
    return version;
  }

  async #page(
    token: string,
    signal: AbortSignal,
  ): Promise<{ items: ObservedObject[]; version: string; next: string } | undefined> {
    const { client, resource } = this.#parts;
    const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
    if (token !== '') query.set('continue', token);
    const path = `${collectionPath(resource)}?${query.toString()}`;
    const answer = await client.send('GET', path, { signal });
    if (answer.status !== 200) {
      this.#listEnd = this.#endOf(answer);
      return undefined;
    }
    const metadata = objectAt(answer.body, 'metadata');
    return {
      items: this.#observed(listAt(answer.body, 'items').filter(isJsonObject)),
      version: stringAt(metadata, 'resourceVersion'),
      next: stringAt(metadata, 'continue'),
    };
  }

  #observed(objects: readonly JsonObject[]): ObservedObject[] {
    return objects.map((object) => observedObject(this.#parts.resource, object));
  }

  #knownTo(): string {
    const last = this.#parts.book.last(this.#storage);
    const place = this.#parts.place.of(this.#storage);
    return this.#resumeFrom() ?? place?.resourceVersion ?? last?.clusterVersion ?? '';
  }

  #noteGap(
    reason: string,
    what: { knownTo: string; knownFrom: string; counts: WrittenCounts },
  ): void {
    const { place, book, timeText, report } = this.#parts;
    const gap: RecordGap = {
      time: timeText(),
      resource: this.#storage,
      reason: reason === '' ? 'a listing was broken off' : reason,
      knownTo: what.knownTo,
      knownFrom: what.knownFrom,
      version: book.newest,
      ...what.counts,
    };
    place.addGap(gap);
    report.gap(gap);
  }

  async #watch(since: string, signal: AbortSignal): Promise<WatchEnd> {
    const { client, resource, watchSeconds, backOff } = this.#parts;
    const query = new URLSearchParams({
      watch: 'true',
      resourceVersion: since,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(watchSeconds()),
    });
    const path = `${collectionPath(resource)}?${query.toString()}`;
    const { status, body, events } = await client.watch(path, signal);
    if (status !== 200) return this.#endOf({ status, body });
    for await (const batch of events) {
      const end = await this.#take(batch);
      if (end !== undefined) return end;
      this.#wasTold = true;
      backOff.reset();
    }
    return 'ended';
  }

  /** @returns why the watch is over, if it is. */
  async #take(batch: readonly JsonObject[]): Promise<WatchEnd | undefined> {
    const observations: Observation[] = [];
    let version = '';
    let end: WatchEnd | undefined;
    for (const event of batch) {
      const type = stringAt(event, 'type');
      const object = objectAt(event, 'object') ?? {};
      if (type === 'ERROR') {
        end = this.#endOf({ status: Number(object['code'] ?? 500), body: object });
        break;
      }
      version = stringAt(objectAt(object, 'metadata'), 'resourceVersion');
      if (type === 'BOOKMARK') continue;
      const observed = observedObject(this.#parts.resource, object);
      const isGone = type === 'DELETED';
      observations.push({ path: observed.path, object: observed, isGone, learned: 'watch' });
    }
    if (observations.length > 0) {
      const counts = await this.#parts.book.write(this.#storage, observations);
      this.#parts.report.written(this.#storage, counts);
    }
    if (version !== '') this.#moveTo(version);
    return end;
  }

  #moveTo(resourceVersion: string): void {
    const { book, place } = this.#parts;
    // Of this resource alone: what others are writing may not be durable yet.
    const recorded = book.last(this.#storage)?.version ?? 0;
    place.move(this.#storage, { resourceVersion, recorded });
  }

  #endOf(answer: ClusterAnswer): WatchEnd {
    const { status, body } = answer;
    if (status === 410) return 'gone';
    if (status === 404 || status === 405) return 'not served';
    this.#parts.report.trouble(this.#storage, problemOf(answer));
    const isBehind =
      hasCause(body, 'ResourceVersionTooLarge') ||
      stringAt(body, 'message').includes('Too large resource version');
    return isBehind ? 'behind' : 'failed';
  }
}
