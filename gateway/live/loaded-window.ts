/** The rows that one answered request shows, and how they are kept as they are in the views. */
import type { ReceivedRequest } from '../../actors/request/request.ts';
import type { LiveWindow } from '../../api/live/live-messages.ts';
import { expired, internalError, type Status } from '../../api/meta/status.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import { pageInTurns } from '../../projections/list/page-in-turns.ts';
import type { WatchEvent } from '../../projections/watch/watch-event.ts';
import {
  failureOf,
  type Watcher,
  type WatchFailure,
  type WatchShape,
  type WatchView,
} from '../../projections/watch/watch-view.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { OpenWatch, WatchAnswer } from '../watch/watch-sessions.ts';
import { changesUntil } from './live-journey.ts';
import type { LiveContext } from './live-subscription.ts';
import { WindowObjects } from './window-objects.ts';
import type { RowMaker } from './window/window-columns.ts';
import type { WindowRows } from './window/window-rows.ts';

/** So often rows are printed anew whose cells tell how long ago something was. */
const AGING_MS = 10_000;
const OK = 200;

interface LoadedParts {
  readonly request: ReceivedRequest;
  readonly answer: WatchAnswer;
  readonly maker: RowMaker;
  readonly rows: WindowRows;
  /** Whether what comes later is not followed. */
  readonly stays: boolean;
}

interface LoadedListener {
  readonly context: LiveContext;
  /** All rows are there. */
  readonly filled: () => void;
  readonly changed: () => void;
  /** The watch has ended from the side of the server: it has to be asked for anew. */
  readonly outdated: () => void;
  readonly failed: (status: Status) => void;
}

export class LoadedWindow implements Watcher, OpenWatch {
  readonly shape: WatchShape;
  readonly #parts: LoadedParts;
  readonly #listener: LoadedListener;
  readonly #objects: WindowObjects;
  readonly #forget: () => void;
  readonly #leaveCells: () => void;
  #cancelWaiting: () => void = () => undefined;
  #cancelAging: () => void = () => undefined;
  #version: ResourceVersion;
  #ranTo: number | undefined;
  #arrangements = 0;
  #isFilled = false;
  #isClosed = false;

  constructor(parts: LoadedParts, listener: LoadedListener) {
    this.#parts = parts;
    this.#listener = listener;
    const { plan, served } = parts.answer;
    this.#objects = new WindowObjects(served, plan.selection, () => this.#isClosed);
    this.#version = plan.start.version;
    loadedWindows += 1;
    this.shape = {
      // No other watcher has rows to change.
      key: `window\u0001${String(loadedWindows)}`,
      selection: this.#objects.selection,
      render: (events) => {
        this.#take(events);
        return NOTHING;
      },
    };
    this.#forget = listener.context.sessions.add(this);
    listener.context.follow(this.view);
    this.#leaveCells = listener.context.cells.use();
  }

  get view(): WatchView {
    return this.#parts.answer.plan.resource.watch;
  }

  get resource(): string {
    return this.#parts.answer.plan.resource.resource;
  }

  get applied(): AppliedVersion {
    return this.#parts.answer.plan.applied;
  }

  /** The time that it has run to, in milliseconds since 1970. */
  get ranTo(): number | undefined {
    return this.#ranTo;
  }

  get rows(): WindowRows {
    return this.#parts.rows;
  }

  get maker(): RowMaker {
    return this.#parts.maker;
  }

  /** As of which the rows are. */
  get version(): ResourceVersion {
    return this.#version;
  }

  /** Whether the rows are in order. */
  get isReady(): boolean {
    return this.#isFilled && this.#arrangements === 0;
  }

  begin(): void {
    const { plan } = this.#parts.answer;
    this.#cancelWaiting = this.applied.onceApplied(plan.start.version, plan.timeoutMs, (is) => {
      if (is) this.#read().catch((error: unknown) => this.failed(error));
      else this.#listener.outdated();
    });
  }

  /** Orders the rows by another window. */
  arrange(window: LiveWindow, then: () => void): void {
    this.#arrangements += 1;
    const mine = this.rows.arrange(window, () => this.#isClosed || this.rows.window !== window);
    mine.then(
      () => {
        this.#arrangements -= 1;
        if (this.isReady && !this.#isClosed) then();
      },
      (error: unknown) => this.failed(error),
    );
  }

  /** Changes the rows to what they were at a time, if that is not too far. */
  async runTo(time: number) {
    const { plan } = this.#parts.answer;
    const { selection } = this.#objects;
    const { version, changes } = await changesUntil({ ...plan, selection }, this.#version, time);
    const shown = changes === undefined ? undefined : await this.#shown(changes);
    if (shown === undefined || this.#isClosed) return { version, isTooFar: true };
    this.#ranTo = time;
    this.#change(shown);
    this.#version = version;
    return { version, isTooFar: false };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelWaiting();
    this.#cancelAging();
    this.#forget();
    this.#listener.context.leave(this.view);
    this.#leaveCells();
    this.view.stop(this);
    this.#parts.request.finish({ code: OK, sizeBytes: 0 });
  }

  /** Of the server, which ends the watch. */
  end(): void {
    if (!this.#isClosed) this.#listener.outdated();
  }

  offer(): boolean {
    return true;
  }

  caughtUp(): void {
    // What it was behind by, it has taken.
  }

  progressed(): void {
    // A window tells its revision with its frames.
  }

  /** What it shows cannot be read, or made of what was read. */
  failed(error: unknown): void {
    this.fail(failureOf(error));
  }

  fail({ kind, error }: WatchFailure): void {
    const isExpired = kind === 'expired' && error instanceof Error;
    this.#listener.failed(isExpired ? expired(error.message) : internalError(error));
  }

  async #read(): Promise<void> {
    const { answer, rows, stays, request } = this.#parts;
    const { plan } = answer;
    const version = plan.start.kind === 'past' ? plan.start.version : this.applied.current;
    const read = this.#objects.all((query) => pageInTurns(plan.resource, version, query));
    const objects = read instanceof Promise ? await read : read;
    if (this.#isClosed) return;
    this.#version = version;
    const filled = rows.fill(objects, () => this.#isClosed);
    if (!stays) this.view.start(this, version);
    if (!(await filled)) return;
    this.#isFilled = true;
    request.waits();
    this.#ageLater();
    this.#listener.filled();
  }

  /** undefined: an object cannot be shown, which the state that is shown then tells. */
  async #shown(events: readonly WatchEvent[]): Promise<readonly WatchEvent[] | undefined> {
    try {
      return await this.#objects.changes(events);
    } catch {
      return undefined;
    }
  }

  #take(events: readonly WatchEvent[]): void {
    const changes = this.#objects.changes(events);
    if (!(changes instanceof Promise)) {
      this.#change(changes, events.at(-1)?.resourceVersion);
      return;
    }
    changes.then(
      (shown) => {
        if (!this.#isClosed) this.#change(shown, events.at(-1)?.resourceVersion);
      },
      (error: unknown) => {
        if (!this.#isClosed) this.failed(error);
      },
    );
  }

  /** @param version as of which the rows are then; undefined: as before. */
  #change(events: readonly WatchEvent[], version?: ResourceVersion): void {
    const { rows } = this.#parts;
    try {
      for (const { type, object } of events) {
        if (type === 'DELETED') rows.delete(object.path);
        else rows.set(object);
      }
    } catch (error) {
      // It is told by the fold, which must not end by an object that is odd.
      this.failed(error);
      return;
    }
    this.#version = version ?? this.#version;
    this.#listener.changed();
  }

  #ageLater(): void {
    const { request, maker, rows } = this.#parts;
    if (!maker.ages || request.momentTime !== undefined) return;
    this.#cancelAging = this.#listener.context.clock.after(AGING_MS, () => {
      rows.age();
      this.#listener.changed();
      this.#ageLater();
    });
  }
}

let loadedWindows = 0;
const NOTHING = Buffer.alloc(0);
