/**
 * Records a whole cluster: everything that its discovery says can be listed and watched, and what
 * is added to that while it records.
 */
import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '../../api/meta/clock.ts';
import { formatTime } from '../../api/meta/clock.ts';
import { pause } from '../../api/meta/rxjs-clock.ts';
import { objectAt, stringAt } from '../../api/json/json.ts';
import { StartupError } from '../process/startup-error.ts';
import { BackOff, isOver } from '../remote-cluster/back-off.ts';
import { ClusterUnreachableError, type ClusterClient } from '../remote-cluster/cluster-client.ts';
import type { ClusterDiscovery, ClusterResource } from '../remote-cluster/cluster-resources.ts';
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

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #backOffs = new Map<string, BackOff>();
  /** Whether nobody answered when it was last asked who answers. */
  #isAway = false;
  #epoch = 0;
  #leaving = new AbortController();
  #asking: Promise<ClusterEpoch> | undefined;
  #wake = new AbortController();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /**
   * Records until the signal says stop; then everything that was seen is durable.
   *
   * @throws StartupError the cluster cannot be recorded here. @throws what the log throws.
   */
  async run(signal: AbortSignal): Promise<void> {
    await this.#checkCluster(signal);
    const stopping = new AbortController();
    const both = AbortSignal.any([signal, stopping.signal]);
    // Every resource listens, each with its watch and its pauses.
    setMaxListeners(0, both);
    const failures: unknown[] = [];
    const failed = (error: unknown): void => {
      failures.push(error);
      stopping.abort();
    };
    const saving = this.#saveAgainAndAgain(both).catch(failed);
    await this.#discoverAgainAndAgain(both, failed).catch(failed);
    await Promise.all(this.#running.values());
    await saving;
    await this.#parts.place.save();
    if (failures.length > 0) throw failures[0];
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

  /** Who finds the cluster there again tells all others: after an outage they wait for long. */
  #isBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    for (const backOff of this.#backOffs.values()) backOff.hurry();
  }

  async #saveAgainAndAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#parts.clock, SAVE_EVERY_MS, signal);
      await this.#parts.place.save();
    }
  }

  async #discoverAgainAndAgain(
    signal: AbortSignal,
    failed: (error: unknown) => void,
  ): Promise<void> {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        await this.#discover(signal, failed);
      } catch (error) {
        const isPassing = error instanceof ClusterUnreachableError || error instanceof StartupError;
        if (isFirst || !isPassing) throw error;
        if (!isOver(signal)) this.#parts.report.trouble('discovery', error.message);
      }
      await pause(
        this.#parts.clock,
        DISCOVER_EVERY_MS,
        AbortSignal.any([signal, this.#wake.signal]),
      );
      if (!this.#wake.signal.aborted) continue;
      this.#wake = new AbortController();
      await pause(this.#parts.clock, DISCOVER_SOON_MS, signal);
    }
  }

  async #discover(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    const { discovery, wants } = this.#parts;
    const { resources, isComplete } = await discovery.resources(signal);
    const recorded = discovery.recorded(resources);
    for (const resource of recorded.filter(wants)) {
      if (!this.#running.has(resource.storage)) this.#start(resource, signal, failed);
    }
    if (isComplete) await this.#closeGone(new Set(recorded.map(({ storage }) => storage)));
  }

  #start(resource: ClusterResource, signal: AbortSignal, failed: (error: unknown) => void): void {
    const { storage } = resource;
    const running = this.#recorderOf(resource, signal)
      .run(signal)
      .then((ended) => {
        this.#running.delete(storage);
        this.#backOffs.delete(storage);
        if (ended === 'not served') this.#wake.abort();
      }, failed);
    this.#running.set(storage, running);
  }

  #recorderOf(resource: ClusterResource, signal: AbortSignal): ResourceRecorder {
    const { client, book, place, clock, random, report } = this.#parts;
    const backOff = new BackOff(clock, random);
    this.#backOffs.set(resource.storage, backOff);
    return new ResourceRecorder({
      resource,
      client,
      book,
      place,
      backOff,
      timeText: () => formatTime(clock.now()),
      clusterEpoch: () => this.#clusterEpoch(signal),
      watchSeconds: () => WATCH_SECONDS_MIN + random.integer(WATCH_SECONDS_MIN),
      report: {
        listed: (storage) => {
          report.listed(storage);
        },
        written: (storage, counts) => {
          if (storage === DEFINITIONS) this.#wake.abort();
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
