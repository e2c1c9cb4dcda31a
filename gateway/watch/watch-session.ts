/**
 * One client's watch: first the state, where it asked for it, then every change, until its time is
 * up, the client goes or the server does.
 *
 * It never holds more than one chunk that the socket has not taken. When the socket is full the
 * view lets it fall behind, and `resume` at the next drain lets it catch up. What may happen in which
 * state is said by its statechart, {@link WATCH_LIFE}.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { expired, internalError, type Status } from '../../api/meta/status.ts';
import type { WatchPlan } from '../../actors/request/answer.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { ListPage } from '../../projections/list/list-page.ts';
import { pageInTurns } from '../../projections/list/page-in-turns.ts';
import {
  failureOf,
  type Watcher,
  type WatchFailure,
  type WatchView,
} from '../../projections/watch/watch-view.ts';
import type { WatchEvent } from '../../projections/watch/watch-event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { chunkToCome, type RenderedLater } from './chunk-to-come.ts';
import type { WatchEncoder } from './watch-encoder.ts';
import {
  WATCH_LIFE,
  type WatchEffect,
  type WatchSignal,
  type WatchState,
} from './watch-session.machine.ts';
import type { WatchMeter } from '../metrics/watch-meters.ts';

/** The wire under a watch. */
export interface WatchWire {
  /** False: full, go on at drain. */
  write(chunk: Buffer): boolean;
  /** Nothing more is written. */
  end(): void;
  /** There is one listener. */
  listen(listener: WireListener): void;
}

/** What a wire tells. */
export interface WireListener {
  /** There is room again. */
  drained(): void;
  /** It is at its end. Told once, and at once where it is closed already. */
  closed(): void;
}

/** The request that a watch answers. */
export interface WatchRequest {
  /** All that it begins with is sent: from then on it waits for changes. Told at most once. */
  initialized(session: WatchSession): void;
  /** Told once, at the end of the wire, from whichever side that came. */
  ended(session: WatchSession): void;
}

/** Hears how far a session has come, in the order in which the chunks go to the wire. */
export interface WatchFollower {
  /** The whole state was written, which is that of this version. */
  stateShown(version: ResourceVersion): void;
  /** Everything up to here was written. Told when it becomes live, and then from time to time. */
  caughtUp(version: ResourceVersion): void;
  /** Takes the place of the ERROR event; the wire is ended next. */
  failed(status: Status): void;
}

/** What all watches of a resource have in common. */
export interface SessionContext {
  readonly clock: Clock;
  /** Told why a watch could not go on, where that is the server's fault. */
  readonly failed: (error: unknown) => void;
  /** Counts what is sent; undefined: what is sent is not counted. */
  readonly meter?: Pick<WatchMeter, 'sent'> | undefined;
}

export interface SessionParts {
  readonly plan: WatchPlan;
  readonly shape: WatchEncoder;
  readonly context: SessionContext;
  readonly wire: WatchWire;
  readonly request: WatchRequest;
  /** undefined: events are all that is told. */
  readonly follower?: WatchFollower | undefined;
}

/** What is rendered and handed to the socket at once. */
const INITIAL_SLICE = { events: 128, bytes: 256 * 1024 };
/** How many objects of the past are held at a time: those of now are in memory anyway. */
const PAST_PAGE = 512;

/** One for each watch that is open, and of those there are thousands: it makes no functions of its own to wait for others. */
export class WatchSession implements Watcher, WireListener {
  readonly shape: WatchEncoder;
  readonly #plan: WatchPlan;
  readonly #context: SessionContext;
  readonly #wire: WatchWire;
  readonly #request: WatchRequest;
  readonly #follower: WatchFollower | undefined;
  #state: WatchState = 'opening';
  /** The state that is being sent, where it is at hand. */
  #slices: Iterator<WatchEvent[]> | undefined;
  #cancelTimeout: () => void = nothing;
  /** Milliseconds since 1970. */
  #endsAt = Number.POSITIVE_INFINITY;
  #hasBegun = false;
  #cancelWaiting: () => void = nothing;

  constructor(parts: SessionParts) {
    this.shape = parts.shape;
    this.#plan = parts.plan;
    this.#context = parts.context;
    this.#wire = parts.wire;
    this.#request = parts.request;
    this.#follower = parts.follower;
  }

  /** What it watches. */
  get view(): WatchView {
    return this.#plan.resource.watch;
  }

  /** Where the objects lie that it shows. */
  get resource(): string {
    return this.#plan.resource.resource;
  }

  /** How far the control plane has come that it is a watch of. */
  get applied(): AppliedVersion {
    return this.#plan.applied;
  }

  /** Whether the client is told where what it begins with ends. */
  get sendsInitialEvents(): boolean {
    return this.#plan.endOfInitialEvents;
  }

  /** Where it is in its life. */
  get state(): WatchState {
    return this.#state;
  }

  start(): void {
    const plan = this.#plan;
    const wire = this.#wire;
    const { clock } = this.#context;
    const { applied } = plan;
    wire.listen(this);
    if (this.#state === 'ended') return; // The client went while its watch was on the way.
    // A follower asks anew and is one of thousands, for each of which a timer would be a tenth of what it holds.
    if (this.#follower === undefined) this.#endLater();
    else this.#endsAt = clock.now() + plan.timeoutMs;
    if (plan.start.kind === 'after') this.#begun();
    // A version of the future is waited for: nothing before it may be shown.
    this.#cancelWaiting = applied.onceApplied(plan.start.version, plan.timeoutMs, (isApplied) => {
      if (isApplied) this.#begin();
    });
  }

  /** Asked from time to time: ends one whose time is up, and which has no timer of its own. */
  endIfOver(): void {
    if (this.#context.clock.now() >= this.#endsAt) this.end();
  }

  /** Ends cleanly: the client may go on from what it has seen. */
  end(): void {
    // Where changes that were gathered do not go out at once, no bookmark may name their version.
    if (this.#state === 'live' && this.#plan.bookmarks) this.view.showGathered();
    this.#tell('end');
  }

  drained(): void {
    this.#tell('drained');
  }

  closed(): void {
    this.#tell('closed');
    this.#request.ended(this);
  }

  offer(chunk: Buffer): boolean {
    if (this.#state === 'ended') return false;
    const toCome = chunkToCome(chunk);
    if (toCome === undefined) return this.#write(chunk);
    this.#tell('convert');
    this.#await(toCome());
    return false;
  }

  caughtUp(): void {
    if (this.#tell('caughtUp')) this.#follower?.caughtUp(this.view.applied);
  }

  progressed(version: ResourceVersion): void {
    if (this.#state !== 'live') return;
    this.#follower?.caughtUp(version);
    if (this.#plan.bookmarks) this.#wire.write(this.shape.bookmark(version, false));
  }

  fail(failure: WatchFailure): void {
    this.#tell('fail', failure);
  }

  /** Goes to the state that the chart says and does what belongs to it; false: nothing changes. */
  #tell(signal: WatchSignal, failure?: WatchFailure): boolean {
    const step = WATCH_LIFE[this.#state][signal];
    if (step === undefined) return false;
    this.#state = step.target;
    for (const effect of step.effects) this.#perform(effect, failure);
    return true;
  }

  #perform(effect: WatchEffect, failure: WatchFailure | undefined): void {
    const plan = this.#plan;
    const wire = this.#wire;
    switch (effect) {
      case 'sendState':
        this.#guarded(() => {
          this.#sendState();
        });
        break;
      case 'resume':
        this.#guarded(() => {
          this.view.resume(this);
        });
        break;
      case 'bookmark':
        if (plan.bookmarks) wire.write(this.shape.bookmark(this.view.showGathered(), false));
        break;
      case 'tellError':
        if (failure !== undefined) this.#tellError(failure);
        break;
      case 'release':
        this.#release();
        break;
      case 'closeWire':
        wire.end();
    }
  }

  #write(chunk: Buffer): boolean {
    this.#context.meter?.sent(chunk);
    // A wire that broke while it was written to has ended the session already.
    if (this.#wire.write(chunk)) return this.#state !== 'ended';
    this.#tell('full');
    return false;
  }

  /** As long as a webhook is asked, or a large object is read and written, the session is as one whose wire is full. */
  #await(coming: Promise<RenderedLater>): void {
    const show = (chunk: RenderedLater): void => {
      this.#guarded(() => {
        if ('message' in chunk) throw new Error(chunk.message);
        this.#tell('converted');
        // Nothing of it may have been wanted.
        if (chunk.length === 0 || this.#write(chunk)) this.#tell('drained');
      });
    };
    coming.then(show, (error: unknown) => {
      show({ message: String(error) });
    });
  }

  #tellError({ kind, error }: WatchFailure): void {
    const follower = this.#follower;
    if (kind === 'unreadable') this.#context.failed(error);
    const status =
      kind === 'expired' && error instanceof Error
        ? expired(`too old resource version: ${error.message}`)
        : internalError(error);
    if (follower === undefined) this.#wire.write(this.shape.error(status));
    else follower.failed(status);
  }

  #begin(): void {
    const { applied, start } = this.#plan;
    this.#guarded(() => {
      if (start.kind === 'after') {
        this.#follow(start.version);
        return;
      }
      this.#tell('showState');
      if (start.kind === 'past') this.#show('', start.version, PAST_PAGE);
      else this.#show('', applied.current, 0);
    });
  }

  /** The state of a moment, page by page where that is over; at once where memory reaches back to it. */
  #show(after: string, version: ResourceVersion, limit: number): void {
    const { resource } = this.#plan;
    const { selection } = this.shape;
    const page = pageInTurns(resource, version, { selection, after, limit, isUncounted: true });
    if (!(page instanceof Promise)) {
      this.#showPage(page, version);
      return;
    }
    page.then(
      (read) => {
        this.#guarded(() => {
          this.#showPage(read, version);
        });
      },
      (error: unknown) => {
        this.fail(failureOf(error));
      },
    );
  }

  #showPage(page: ListPage, version: ResourceVersion): void {
    this.#slices = this.#slicesOf(page, version);
    this.#sendState();
  }

  /** It is called by sockets and by the fold, and neither must end by what one watch throws. */
  #guarded(step: () => void): void {
    if (this.#state === 'ended') return;
    try {
      step();
    } catch (error) {
      this.fail({ kind: 'unreadable', error });
    }
  }

  #sendState(): void {
    const { shape } = this;
    const { counts } = this.view;
    const slices = this.#slices;
    for (let slice = slices?.next(); slice?.done === false; slice = slices?.next()) {
      counts.initial += slice.value.length;
      if (!this.offer(shape.render(slice.value))) return;
    }
  }

  /** The state as ADDED events, slice by slice; behind the last one the changes begin. */
  *#slicesOf({ items, lastPath }: ListPage, version: ResourceVersion): Generator<WatchEvent[]> {
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
    this.#slices = undefined;
    if (lastPath === '') this.#endState(version);
    else this.#showNext(lastPath, version);
  }

  #endState(version: ResourceVersion): void {
    this.#follower?.stateShown(version);
    if (this.#plan.endOfInitialEvents) this.#wire.write(this.shape.bookmark(version, true));
    this.#follow(version);
    this.#begun();
  }

  #begun(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#request.initialized(this);
  }

  #endLater(): void {
    this.#cancelTimeout = this.#context.clock.after(this.#plan.timeoutMs, () => {
      this.end();
    });
  }

  #follow(version: ResourceVersion): void {
    if (this.#tell('follow')) this.view.start(this, version);
  }

  /** In a turn of its own, so that a long state holds up no other request. */
  #showNext(after: string, version: ResourceVersion): void {
    setImmediate(() => {
      this.#guarded(() => {
        this.#show(after, version, PAST_PAGE);
      });
    });
  }

  #release(): void {
    this.#slices = undefined;
    this.#cancelTimeout();
    this.#cancelWaiting();
    this.view.stop(this);
  }
}

function nothing(): void {
  // No timeout is running yet.
}
