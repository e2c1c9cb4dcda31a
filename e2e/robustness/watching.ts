/**
 * Watchers: each watches for a while, is closed or broken off, and goes on from the last version
 * it has seen on another replica, or begins anew, now from the past and now from the present.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { at, type JsonObject, parseJson, textAt } from '../support/json.ts';
import { collectionPath } from './asking.ts';
import { Chance } from './chance.ts';
import type { HistoryRecorder, Watch, WatchShown, WatchStart } from './history.ts';
import type { ReplicaClient } from './replica-client.ts';
import { seenObject } from './seen-object.ts';
import { NAMESPACES } from './traffic.ts';

const OPEN_TIMEOUT_MS = 5_000;
const INITIAL_END = 'k8s.io/initial-events-end';

export interface WatcherParts {
  readonly seed: number;
  readonly recorder: HistoryRecorder;
  readonly replicas: readonly ReplicaClient[];
  /** How long one watch lives at most. */
  readonly lifeMs: number;
}

type Wanted = Pick<Watch, 'resource' | 'namespace' | 'selector'>;

interface Opening {
  readonly wanted: Wanted;
  readonly start: WatchStart;
  readonly replica: number;
  /** How long it takes its time over each line. */
  readonly slowMs: number;
  /** 0: it has no end of its own. */
  readonly timeoutSeconds: number;
  /** From then on none does. */
  readonly settling: AbortSignal;
}

export class Watcher {
  readonly #parts: WatcherParts;
  readonly #name: string;
  #count = 0;
  #last = 0;
  #watch: Watch | undefined;

  constructor(name: string, parts: WatcherParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** The watch that is open now. */
  get watch(): Watch | undefined {
    return this.#watch;
  }

  /** Until `stopped`; from `settling` on a watch that is open stays so, and the next one too. */
  async run(stopped: AbortSignal, settling: AbortSignal): Promise<void> {
    let wanted: Wanted | undefined;
    while (!stopped.aborted) {
      const chance = new Chance(this.#parts.seed, this.#name, this.#count);
      this.#count += 1;
      const goesOn = wanted !== undefined && this.#last > 0 && chance.happens(0.7);
      if (!goesOn || wanted === undefined) wanted = wantedBy(chance);
      const start: WatchStart = goesOn
        ? { kind: 'after', version: this.#last }
        : this.#newStart(chance);
      const replica = chance.below(this.#parts.replicas.length);
      const lifeMs = chance.between(50, this.#parts.lifeMs);
      // Some say themselves when they are to end, and are told by a bookmark how far they came.
      const isTimed = chance.happens(0.4) && !settling.aborted;
      const timeoutSeconds = isTimed ? Math.ceil(lifeMs / 1_000) : 0;
      const closing = isTimed ? stopped : AbortSignal.any([stopped, lifeAfter(lifeMs, settling)]);
      // Some read slowly, so that the server has to wait for them and let them catch up.
      const slowMs = chance.happens(0.15) ? chance.between(5, 40) : 0;
      const opening = { wanted, start, replica, slowMs, timeoutSeconds, settling };
      if (!(await this.#watchOnce(opening, closing))) await sleep(100);
    }
  }

  #newStart(chance: Chance): WatchStart {
    if (chance.happens(0.4)) return { kind: 'initial', moment: '' };
    if (this.#last > 0 && chance.happens(0.2))
      return { kind: 'initial', moment: String(this.#last) };
    return { kind: 'after', version: chance.between(1, Math.max(1, this.#last)) };
  }

  /** Whether it came to be open. */
  async #watchOnce(
    { wanted, start, replica, slowMs, timeoutSeconds, settling }: Opening,
    closing: AbortSignal,
  ): Promise<boolean> {
    const { recorder, replicas } = this.#parts;
    const opened = recorder.now();
    const path = watchPath(wanted, start, timeoutSeconds);
    const ending = new AbortController();
    const end = (): void => {
      ending.abort();
    };
    closing.addEventListener('abort', end);
    const timer = setTimeout(end, OPEN_TIMEOUT_MS);
    try {
      const incoming = await replicas[replica]?.open(path, ending.signal);
      clearTimeout(timer);
      if (incoming?.statusCode !== 200) {
        incoming?.destroy();
        return false;
      }
      const named = { watch: `${this.#name}-${String(this.#count)}`, replica };
      const watch = recorder.opened({ ...named, ...wanted, start, opened });
      this.#watch = watch;
      for await (const line of createInterface({ input: incoming })) {
        this.#take(watch, line);
        if (slowMs > 0 && !settling.aborted) await sleep(slowMs);
      }
    } catch {
      // It was closed by us or broken off; either way it goes on from what it has seen.
    } finally {
      clearTimeout(timer);
      closing.removeEventListener('abort', end);
    }
    const wasOpen = this.#watch !== undefined;
    this.#watch = undefined;
    return wasOpen;
  }

  #take(watch: Watch, line: string): void {
    if (!line.endsWith('}')) return; // Broken off within a line.
    const event = parseJson(line);
    const object = at(event, 'object') as JsonObject; // A watch event has one by contract.
    const type = textAt(event, 'type') as WatchShown['type'];
    const shown = { type, at: this.#parts.recorder.now(), ...shownObject(watch, type, object) };
    this.#parts.recorder.shown(watch, shown);
    const isState =
      watch.start.kind === 'initial' && !watch.shown.some(({ isInitialEnd }) => isInitialEnd);
    if (type !== 'ERROR' && !isState) this.#last = Math.max(this.#last, shown.version);
  }
}

function shownObject(
  { resource }: Watch,
  type: WatchShown['type'],
  object: JsonObject,
): Omit<WatchShown, 'type' | 'at'> {
  if (type === 'ERROR') {
    return { version: 0, path: '', digest: '', message: JSON.stringify(object) };
  }
  if (type === 'BOOKMARK') {
    const isEnd = textAt(object, 'metadata', 'annotations', INITIAL_END) === 'true';
    const version = Number(textAt(object, 'metadata', 'resourceVersion'));
    return { version, path: '', digest: '', ...(isEnd ? { isInitialEnd: true } : {}) };
  }
  const { version, path, digest } = seenObject(resource, object);
  return { version, path, digest };
}

function wantedBy(chance: Chance): Wanted {
  return {
    resource: chance.happens(0.85) ? 'configmaps' : 'secrets',
    namespace: chance.oneOf(['', ...NAMESPACES]),
    selector: chance.happens(0.4) ? 'color=red' : '',
  };
}

function watchPath(
  { resource, namespace, selector }: Wanted,
  start: WatchStart,
  timeoutSeconds: number,
): string {
  const query = new URLSearchParams({ watch: 'true', allowWatchBookmarks: 'true' });
  if (selector !== '') query.set('labelSelector', selector);
  if (timeoutSeconds > 0) query.set('timeoutSeconds', String(timeoutSeconds));
  if (start.kind === 'after') query.set('resourceVersion', String(start.version));
  else {
    query.set('sendInitialEvents', 'true');
    query.set('resourceVersionMatch', 'NotOlderThan');
    if (start.moment !== '') query.set('resourceVersion', start.moment);
  }
  return `${collectionPath(resource, namespace)}?${query.toString()}`;
}

/** Aborts after a time, but not any more once `settling` has. */
function lifeAfter(lifeMs: number, settling: AbortSignal): AbortSignal {
  const ending = new AbortController();
  const timer = setTimeout(() => {
    if (!settling.aborted) ending.abort();
  }, lifeMs);
  timer.unref();
  return ending.signal;
}
