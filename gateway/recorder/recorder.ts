/**
 * Records a whole cluster: everything that its discovery says can be listed and watched, and what
 * is added to that while it records.
 */
import { setMaxListeners } from 'node:events';
import {
  BehaviorSubject,
  catchError,
  concatMap,
  defer,
  delay,
  EMPTY,
  exhaustMap,
  expand,
  filter,
  interval,
  lastValueFrom,
  map,
  merge,
  mergeMap,
  Subject,
  take,
  takeUntil,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { formatTime, type Clock, type Random } from '../../api/meta/clock.ts';
import { rxjsScheduler, whenAborted } from '../../api/meta/rxjs-clock.ts';
import { objectAt, stringAt } from '../../api/json/json.ts';
import { StartupError } from '../process/startup-error.ts';
import { ClusterUnreachableError, type ClusterClient } from '../remote-cluster/cluster-client.ts';
import type { ClusterDiscovery, ClusterResource } from '../remote-cluster/cluster-resources.ts';
import { BackOff } from './back-off.ts';
import type { RecordBook } from './record-book.ts';
import type { RecordPlace } from './record-place.ts';
import { ResourceRecorder, type ClusterEpoch, type RecordReport } from './resource-recorder.ts';

export interface RecorderParts {
  readonly client: ClusterClient;
  readonly discovery: ClusterDiscovery;
  readonly book: RecordBook;
  readonly place: RecordPlace;
  readonly clock: Clock;
  readonly random: Random;
  /** Which resources are wanted. */
  readonly wants: (resource: ClusterResource) => boolean;
  readonly report: RecordReport;
}

const SAVE_EVERY_MS = 1_000;
const DISCOVER_EVERY_MS = 30_000;
/** A new definition is served a moment after it was written. */
const DISCOVER_SOON_MS = 1_000;
const WATCH_SECONDS_MIN = 300;
const IDENTITY_PATH = '/api/v1/namespaces/kube-system';
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

/** Records every resource that is wanted, each by a ResourceRecorder. */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #scheduler: SchedulerLike;
  readonly #running = new Set<string>();
  /** Emits when the cluster answers again after an outage, in which all recorders wait longer and longer. */
  readonly #returned = new Subject<void>();
  /** Whether resources may have come or gone since discovery last began. */
  readonly #hasChanged = new BehaviorSubject(false);
  /** Whether the last request for the identity of the cluster was not answered. */
  #isAway = false;
  #epoch = 0;
  #leaving = new AbortController();
  #asking: Promise<ClusterEpoch> | undefined;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#scheduler = rxjsScheduler(parts.clock);
  }

  /**
   * Records until the signal is aborted; then everything that was seen is durable. The first failure
   * ends everything else in the same good order.
   *
   * @throws StartupError the cluster cannot be recorded here. @throws what the log throws.
   */
  async run(signal: AbortSignal): Promise<void> {
    await this.#checkCluster(signal);
    const failing = new AbortController();
    const stop = AbortSignal.any([signal, failing.signal]);
    // Every resource listens, each with its watch and its pauses.
    setMaxListeners(0, stop);
    const stopAll = <T>(work: Observable<T>): Observable<T> =>
      work.pipe(
        catchError((error: unknown) => {
          failing.abort(error);
          return EMPTY;
        }),
      );
    const recordings = this.#discoveries(stop).pipe(
      stopAll,
      mergeMap((resources) => resources),
      mergeMap((resource) => this.#record(resource, stop).pipe(stopAll)),
    );
    const saves = this.#saves(stop).pipe(stopAll);
    await lastValueFrom(merge(recordings, saves), { defaultValue: undefined });
    await this.#parts.place.save();
    failing.signal.throwIfAborted();
  }

  /** A log is of one cluster, or of one address at which there is another cluster now. */
  async #checkCluster(signal: AbortSignal): Promise<void> {
    const { place, client, book } = this.#parts;
    const uid = await this.#identity(signal);
    const known = place.cluster;
    if (known === undefined) {
      place.setCluster({ server: client.server, uid, since: book.newest });
      return;
    }
    if (known.uid === uid || uid === '') return;
    if (known.server !== client.server) {
      throw new StartupError(
        `this log is a recording of ${known.server}, and ${client.server} is another cluster: ` +
          'record it into a directory of its own',
      );
    }
    this.#meet(uid);
  }

  #meet(uid: string): void {
    const { place, client, book } = this.#parts;
    place.setCluster({ server: client.server, uid, since: book.newest });
    this.#epoch += 1;
    this.#leaving.abort();
    this.#leaving = new AbortController();
  }

  /** '' when it is not told. @throws ClusterUnreachableError */
  async #identity(signal: AbortSignal): Promise<string> {
    const { status, body } = await this.#parts.client.send('GET', IDENTITY_PATH, { signal });
    return status === 200 ? stringAt(objectAt(body, 'metadata'), 'uid') : '';
  }

  /** Asked by many at the same time, and answered once. */
  #clusterEpoch(signal: AbortSignal): Promise<ClusterEpoch> {
    this.#asking ??= this.#identity(signal)
      .then((uid) => {
        if (!this.#isSame(uid)) this.#meet(uid);
        this.#isBack();
        return { number: this.#epoch, over: this.#leaving.signal };
      })
      .catch((error: unknown) => {
        this.#isAway = true;
        throw error;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  /**
   * A server that comes up has no kube-system yet, and may be of another cluster, so one that once
   * said which it is has to say so again.
   *
   * @throws ClusterUnreachableError it does not.
   */
  #isSame(uid: string): boolean {
    const known = this.#parts.place.cluster?.uid ?? '';
    if (uid === '' && known !== '') {
      throw new ClusterUnreachableError(
        `${this.#parts.client.server} does not say which cluster it is (${IDENTITY_PATH})`,
      );
    }
    return uid === known;
  }

  #isBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#returned.next();
  }

  // What is under way when it stops is waited for: the ends stand before the operators that run work.

  #saves(stop: AbortSignal): Observable<void> {
    return interval(SAVE_EVERY_MS, this.#scheduler).pipe(
      takeUntil(whenAborted(stop)),
      exhaustMap(() => this.#parts.place.save()),
    );
  }

  /** The resources that are to be recorded from now on, found by one discovery after the other. */
  #discoveries(stop: AbortSignal): Observable<readonly ClusterResource[]> {
    const soon = this.#hasChanged.pipe(
      filter((hasChanged) => hasChanged),
      delay(DISCOVER_SOON_MS, this.#scheduler),
    );
    const next = merge(timer(DISCOVER_EVERY_MS, this.#scheduler), soon).pipe(
      take(1),
      takeUntil(whenAborted(stop)),
    );
    return defer(() => this.#discover(stop)).pipe(
      expand(() => next.pipe(concatMap(() => this.#discoverAgain(stop)))),
    );
  }

  /** A cluster that was discovered once may be away now. */
  async #discoverAgain(stop: AbortSignal): Promise<readonly ClusterResource[]> {
    try {
      return await this.#discover(stop);
    } catch (error) {
      const isPassing = error instanceof ClusterUnreachableError || error instanceof StartupError;
      if (!isPassing) throw error;
      if (!stop.aborted) this.#parts.report.trouble('discovery', error.message);
      return [];
    }
  }

  /** @returns the resources that are not recorded yet. */
  async #discover(stop: AbortSignal): Promise<readonly ClusterResource[]> {
    const { discovery, wants } = this.#parts;
    this.#hasChanged.next(false);
    const { resources, isComplete } = await discovery.resources(stop);
    const recorded = discovery.recorded(resources);
    const added = recorded.filter((one) => wants(one) && !this.#running.has(one.storage));
    for (const { storage } of added) this.#running.add(storage);
    if (isComplete) await this.#closeGone(new Set(recorded.map(({ storage }) => storage)));
    return added;
  }

  #record(resource: ClusterResource, stop: AbortSignal): Observable<void> {
    return defer(() => this.#recorderOf(resource, stop).run(stop)).pipe(
      map((ended) => {
        this.#running.delete(resource.storage);
        if (ended === 'not served') this.#hasChanged.next(true);
      }),
    );
  }

  #recorderOf(resource: ClusterResource, signal: AbortSignal): ResourceRecorder {
    const { client, book, place, clock, random, report } = this.#parts;
    return new ResourceRecorder({
      resource,
      client,
      book,
      place,
      backOff: new BackOff({ clock, random, returned: this.#returned }),
      timeText: () => formatTime(clock.now()),
      clusterEpoch: () => this.#clusterEpoch(signal),
      watchSeconds: () => WATCH_SECONDS_MIN + random.integer(WATCH_SECONDS_MIN),
      report: {
        listed: (storage) => {
          report.listed(storage);
        },
        written: (storage, counts) => {
          if (storage === DEFINITIONS) this.#hasChanged.next(true);
          report.written(storage, counts);
        },
        gap: (gap) => {
          report.gap(gap);
        },
        trouble: (storage, problem) => {
          report.trouble(storage, problem);
        },
      },
    });
  }

  /** What is not served any more has no objects any more. */
  async #closeGone(served: ReadonlySet<string>): Promise<void> {
    const { book, place, report, clock } = this.#parts;
    for (const storage of book.resources()) {
      const paths = book.paths(storage);
      if (served.has(storage) || this.#running.has(storage) || paths.length === 0) continue;
      const knownTo = place.of(storage)?.resourceVersion ?? '';
      const gone = { object: undefined, isGone: true, learned: 'relist' } as const;
      const counts = await book.write(
        storage,
        paths.map((path) => ({ path, ...gone })),
      );
      report.written(storage, counts);
      const gap = {
        time: formatTime(clock.now()),
        resource: storage,
        reason: 'the cluster does not serve this resource any more',
        knownTo,
        knownFrom: '',
        version: book.newest,
        ...counts,
      };
      place.addGap(gap);
      place.forget(storage);
      report.gap(gap);
    }
  }
}
