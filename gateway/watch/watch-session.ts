/**
 * One client's watch: first the state, where it asked for it, then every change, until its time is
 * up, the client goes or the server does.
 *
 * It never holds more than one chunk that the socket has not taken. When the socket is full the
 * view lets it fall behind, and `resume` at the next drain lets it catch up.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { expired, internalError } from '../../api/meta/status.ts';
import type { WatchPlan } from '../../actors/request/watch-plan.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import { pageAt, pageNow, type ListPage } from '../../projections/list/list-page.ts';
import {
  failureOf,
  type Watcher,
  type WatchFailure,
  type WatchView,
} from '../../projections/watch/watch-view.ts';
import type { WatchEvent } from '../../projections/watch/watch-event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { WatchEncoder } from './watch-encoder.ts';
import type { WatchMeter } from '../metrics/watch-meters.ts';

/** The wire under a watch. */
export interface WatchWire {
  /** False: full, go on at drain. */
  write(chunk: Buffer): boolean;
  end(): void;
  onDrain(callback: () => void): void;
  onClose(callback: () => void): void;
}

export interface SessionParts {
  readonly plan: WatchPlan;
  readonly shape: WatchEncoder;
  readonly clock: Clock;
  readonly wire: WatchWire;
  /** Told why a watch was ended that nobody wanted to end. */
  readonly failed: (error: unknown) => void;
  /** Counts what is sent; undefined: nobody does. */
  readonly meter?: Pick<WatchMeter, 'sent'> | undefined;
  /** Told when all that it begins with is sent: from then on it waits for changes. */
  readonly initialized?: () => void;
}

/** What is rendered and handed to the socket at once. */
const INITIAL_SLICE = { events: 128, bytes: 256 * 1024 };
/** How many objects of the past are held at a time: those of now are in memory anyway. */
const PAST_PAGE = 512;

export class WatchSession implements Watcher {
  readonly shape: WatchEncoder;
  readonly #parts: SessionParts;
  #initial: Iterator<WatchEvent[]> | undefined;
  #isConverting = false;
  #ended = false;
  #cancelTimeout: () => void = nothing;
  #cancelWaiting: () => void = nothing;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.shape = parts.shape;
  }

  /** What it watches. */
  get view(): WatchView {
    return this.#parts.plan.resource.watch;
  }

  /** Where the objects lie that it shows. */
  get resource(): string {
    return this.#parts.plan.resource.resource;
  }

  /** How far the control plane has come that it is a watch of. */
  get applied(): AppliedVersion {
    return this.#parts.plan.applied;
  }

  /** @param ended is called once, whoever ended it. */
  start(ended: () => void): void {
    const { plan, wire, clock } = this.#parts;
    const { applied } = plan;
    wire.onClose(() => {
      this.#stop();
      ended();
    });
    if (this.#ended) return; // The client went while its watch was on the way.
    wire.onDrain(() => {
      this.#goOn();
    });
    this.#cancelTimeout = clock.after(plan.timeoutMs, () => {
      this.end();
    });
    if (plan.start.kind === 'after') this.#parts.initialized?.();
    // A version of the future is waited for: nothing before it may be shown.
    this.#cancelWaiting = applied.whenApplied(plan.start.version, plan.timeoutMs, (isApplied) => {
      if (isApplied) this.#guarded(() => this.#begin());
    });
  }

  /** Ends cleanly: the client may go on from what it has seen. */
  end(): void {
    if (this.#ended) return;
    const { plan, wire, shape } = this.#parts;
    if (plan.bookmarks && this.view.isLive(this)) {
      wire.write(shape.bookmark(this.view.showGathered(), false));
    }
    this.#stop();
    wire.end();
  }

  offer(chunk: Buffer): boolean {
    const waiting = this.shape.takeWaiting();
    if (waiting === undefined) return this.#write(chunk);
    this.#convert(waiting);
    return false;
  }

  #write(chunk: Buffer): boolean {
    this.#parts.meter?.sent(chunk);
    return this.#parts.wire.write(chunk);
  }

  /** As long as a webhook is asked, the session is as one whose wire is full. */
  #convert(events: readonly WatchEvent[]): void {
    this.#isConverting = true;
    const show = (converted: Awaited<ReturnType<WatchEncoder['converted']>>): void => {
      this.#isConverting = false;
      this.#guarded(() => {
        if ('message' in converted) throw new Error(converted.message);
        if (this.#write(this.shape.renderShown(converted))) this.#goOn();
      });
    };
    this.shape.converted(events).then(show, (error: unknown) => {
      show({ message: String(error) });
    });
  }

  progressed(version: ResourceVersion): void {
    const { plan, wire, shape } = this.#parts;
    if (plan.bookmarks) wire.write(shape.bookmark(version, false));
  }

  fail({ kind, error }: WatchFailure): void {
    if (this.#ended) return;
    const { wire, shape, failed } = this.#parts;
    if (kind === 'unreadable') failed(error);
    const status =
      kind === 'expired' && error instanceof Error
        ? expired(`too old resource version: ${error.message}`)
        : internalError(error);
    wire.write(shape.error(status));
    this.#stop();
    wire.end();
  }

  #begin(): void {
    const { plan } = this.#parts;
    const { resource, applied, selection } = plan;
    switch (plan.start.kind) {
      case 'after':
        this.view.start(this, plan.start.version);
        break;
      case 'current': {
        const page = pageNow(resource.objects, { selection, after: '', limit: 0 });
        this.#showPage(page, applied.current);
        break;
      }
      case 'past':
        this.#showPast('');
    }
  }

  /** The state of a moment that is over, page by page; at once where memory reaches back to it. */
  #showPast(after: string): void {
    const { resource, start, selection } = this.#parts.plan;
    const query = { selection, after, limit: PAST_PAGE, isUncounted: true };
    const page = pageAt(resource, start.version, query);
    if (!(page instanceof Promise)) {
      this.#showPage(page, start.version);
      return;
    }
    page.then(
      (read) => {
        this.#guarded(() => {
          this.#showPage(read, start.version);
        });
      },
      (error: unknown) => {
        this.fail(failureOf(error));
      },
    );
  }

  #showPage(page: ListPage, version: ResourceVersion): void {
    this.#initial = this.#state(page, version);
    this.#goOn();
  }

  /** Goes on with whatever was being sent when the wire was full. */
  #goOn(): void {
    if (this.#isConverting) return;
    this.#guarded(() => {
      if (this.#initial === undefined) this.view.resume(this);
      else this.#sendState(this.#initial);
    });
  }

  /** It is called by sockets and by the fold, and neither must end by what one watch throws. */
  #guarded(step: () => void): void {
    if (this.#ended) return;
    try {
      step();
    } catch (error) {
      this.fail({ kind: 'unreadable', error });
    }
  }

  #sendState(slices: Iterator<WatchEvent[]>): void {
    const { shape } = this.#parts;
    const { counts } = this.view;
    for (let slice = slices.next(); slice.done !== true; slice = slices.next()) {
      counts.initial += slice.value.length;
      if (slice.value.length > 0 && !this.offer(shape.render(slice.value))) return;
    }
  }

  /** The state as ADDED events, slice by slice; behind the last one the changes begin. */
  *#state({ items, lastPath }: ListPage, version: ResourceVersion): Generator<WatchEvent[]> {
    let slice: WatchEvent[] = [];
    let sizeBytes = 0;
    for (const object of items) {
      slice.push({ type: 'ADDED', resourceVersion: object.resourceVersion, object });
      sizeBytes += object.json.length;
      if (slice.length < INITIAL_SLICE.events && sizeBytes < INITIAL_SLICE.bytes) continue;
      yield slice;
      slice = [];
      sizeBytes = 0;
    }
    if (slice.length > 0) yield slice;
    this.#initial = undefined;
    if (lastPath === '') this.#endState(version);
    else this.#showNext(lastPath);
  }

  #endState(version: ResourceVersion): void {
    const { plan, wire, shape } = this.#parts;
    if (plan.endOfInitialEvents) wire.write(shape.bookmark(version, true));
    this.view.start(this, version);
    this.#parts.initialized?.();
  }

  /** In a turn of its own, so that a long state holds up nobody. */
  #showNext(after: string): void {
    setImmediate(() => {
      this.#guarded(() => {
        this.#showPast(after);
      });
    });
  }

  #stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#initial = undefined;
    this.#cancelTimeout();
    this.#cancelWaiting();
    this.view.stop(this);
  }
}

function nothing(): void {
  // No timeout is running yet.
}
