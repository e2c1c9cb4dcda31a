/**
 * A subscription to a window: the objects of a resource as a table, of which the client is shown what it has
 * on its screen. It is no stream of events but a state, so a client that is slow is shown fewer
 * frames, and never falls behind.
 */
import type { Answer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request/request.ts';
import { LIVE_LIMITS } from '../../api/live/live-limits.ts';
import type { LiveWindow, SubscribeMessage } from '../../api/live/live-messages.ts';
import { badRequest, type Status } from '../../api/meta/status.ts';
import type { WatchAnswer } from '../watch/watch-sessions.ts';
import { LoadedWindow } from './loaded-window.ts';
import { AskingOnce } from './live-request.ts';
import type { Arrival, LiveContext, Subscription, Traveller } from './live-subscription.ts';
import type { OutgoingMessage } from './live-wire.ts';
import { isBound, planeOf, watchTarget } from './live-target.ts';
import { statusOfRefusal } from './refusal-status.ts';
import { rowMakerOf, type RowMaker } from './window/window-columns.ts';
import { ShownWindow } from './window/window-frame.ts';
import { WindowRows } from './window/window-rows.ts';

const RATE_MS = 250;
const OK = 200;
const CLIENT_GONE = 499;

export class WindowSubscription implements Subscription, Traveller {
  readonly id: string;
  readonly plane: string;
  readonly #context: LiveContext;
  readonly #subscribed: SubscribeMessage;
  readonly #shown = new ShownWindow();
  #window: LiveWindow;
  #request: AuthenticatedRequest | undefined;
  #loaded: LoadedWindow | undefined;
  /** Of the newest question; answers to others come too late. */
  #asked = 0;
  #moment: string | undefined;
  #sentAt = 0;
  #isDirty = false;
  #isFrameDue = false;
  #isOver = false;
  #gone: (() => void)[] = [];
  #arrived: ((arrival: Arrival | undefined) => void)[] = [];

  constructor(context: LiveContext, subscribed: SubscribeMessage, window: LiveWindow) {
    this.id = subscribed.id;
    this.#context = context;
    this.#subscribed = subscribed;
    this.#window = window;
    this.plane = planeOf(subscribed.path);
    this.#moment = subscribed.at ?? (isBound(subscribed) ? undefined : context.moment);
  }

  get request(): AuthenticatedRequest | undefined {
    return this.#request;
  }

  get traveller(): Traveller | undefined {
    return isBound(this.#subscribed) ? undefined : this;
  }

  begin(): void {
    if (this.#asked === 0) this.#ask();
  }

  moveTo(at: string | undefined): Promise<Arrival | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    this.#leave();
    this.#moment = at;
    return new Promise((resolve) => {
      this.#arrived.push(resolve);
      this.#ask();
    });
  }

  async runTo(time: number): Promise<Arrival | undefined> {
    const loaded = this.#loaded;
    if (this.#isOver || loaded?.isReady !== true) return undefined;
    const version = await loaded.runTo(time);
    if (this.#loaded !== loaded || this.#moment === undefined) return undefined;
    if (version.isTooFar) return this.moveTo(String(version.version));
    this.#moment = String(version.version);
    this.#sentAt = 0;
    this.#changed();
    return { version: version.version, time };
  }

  #ask(): void {
    this.#asked += 1;
    const asked = this.#asked;
    const asking = new AskingOnce(
      (request, answer) => {
        this.#answered(request, answer, asked);
      },
      (callback) => {
        if (this.#isOver) callback();
        else this.#gone.push(callback);
      },
    );
    this.#context.requests.ask(watchTarget(this.#subscribed, { at: this.#moment }), asking);
  }

  askAgain(): void {
    if (this.#isOver) return;
    this.#leave();
    this.#ask();
  }

  resume(): void {
    this.#frameSoon();
  }

  ack(): void {
    // A frame that is not taken holds up the next one anyway.
  }

  show(window: LiveWindow): boolean {
    const unknown = this.#loaded?.rows.unknownColumn(window);
    if (unknown !== undefined) {
      this.#end(unknownColumn(unknown));
      return true;
    }
    this.#window = window;
    this.#loaded?.arrange(window, () => {
      this.#sentAt = 0;
      this.#changed();
    });
    return true;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    this.#tellArrived(undefined);
  }

  #answered(request: ReceivedRequest, answer: Answer, asked: number): void {
    if (this.#isOver || asked !== this.#asked) {
      request.finish({ code: CLIENT_GONE, sizeBytes: 0 });
      return;
    }
    if (answer.kind !== 'Watch') {
      const status =
        statusOfRefusal(request, answer) ?? badRequest('the path is none of a collection');
      request.finish({ code: status.code, sizeBytes: 0 });
      this.#end(status);
      return;
    }
    this.#request = request as AuthenticatedRequest; // It has crossed the filters.
    const { columns } = this.#subscribed;
    const maker = rowMakerOf(answer.served, columns, this.#context.cells);
    if ('kind' in maker) {
      request.finish({ code: maker.code, sizeBytes: 0 });
      this.#end(maker);
      return;
    }
    this.#load(request, answer, maker);
  }

  #load(request: ReceivedRequest, answer: WatchAnswer, maker: RowMaker): void {
    const now = (): number => loaded.ranTo ?? request.momentTime ?? this.#context.clock.now();
    const rows = new WindowRows(maker, this.#window, now);
    const unknown = rows.unknownColumn(this.#window);
    if (unknown !== undefined) {
      request.finish({ code: OK, sizeBytes: 0 });
      this.#end(unknownColumn(unknown));
      return;
    }
    const loaded: LoadedWindow = new LoadedWindow(
      { request, answer, maker, rows, stays: this.#moment !== undefined },
      {
        context: this.#context,
        filled: () => {
          this.#context.hasBegun(this);
          this.#sentAt = 0;
          this.#isDirty = true;
          this.#frame();
          this.#tellArrived({ version: loaded.version, time: request.momentTime });
        },
        changed: () => {
          this.#changed();
        },
        outdated: () => {
          if (this.#loaded === loaded) this.askAgain();
        },
        failed: (status) => {
          if (this.#loaded === loaded) this.#end(status);
        },
      },
    );
    this.#loaded = loaded;
    loaded.begin();
  }

  #changed(): void {
    this.#isDirty = true;
    this.#frameSoon();
  }

  #frameSoon(): void {
    if (this.#isFrameDue || this.#isOver || !this.#isDirty) return;
    this.#isFrameDue = true;
    const { rate = RATE_MS } = this.#subscribed;
    const { clock } = this.#context;
    clock.after(Math.max(0, this.#sentAt + rate - clock.now()), () => {
      this.#isFrameDue = false;
      this.#frame();
    });
  }

  #frame(): void {
    const loaded = this.#loaded;
    if (this.#isOver || loaded?.isReady !== true || !this.#isDirty) return;
    if (!this.#context.hasRoomFor(this)) return;
    this.#isDirty = false;
    this.#sentAt = this.#context.clock.now();
    let frame: OutgoingMessage | undefined;
    try {
      frame = this.#frameOf(loaded);
    } catch (error) {
      // Rows are read when they are shown, and their records may have been cut by then.
      loaded.failed(error);
      return;
    }
    if (frame !== undefined) this.#context.sendMadeOf(this, frame);
  }

  #frameOf({ rows, maker, version }: LoadedWindow): OutgoingMessage | undefined {
    return this.#shown.frame(this.id, {
      revision: String(version),
      total: rows.total,
      matched: rows.matched,
      offset: rows.window.offset,
      columns: maker.columns,
      rows: rows.visible(),
      groups: rows.groups(),
    });
  }

  #tellArrived(arrival: Arrival | undefined): void {
    for (const tell of this.#arrived.splice(0)) tell(arrival);
  }

  #end(status: Status): void {
    if (this.#isOver) return;
    this.close();
    this.#context.ended(this, status);
  }

  #leave(): void {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    loaded?.close();
    for (const callback of this.#gone.splice(0)) callback();
  }
}

function unknownColumn(name: string): Status {
  return badRequest(
    `window: there is no column ${JSON.stringify(name)} among those that are shown`,
  );
}

/** How many windows are among them. */
export function windowCount(subscriptions: Iterable<Subscription>): number {
  let count = 0;
  for (const one of subscriptions) if (one instanceof WindowSubscription) count += 1;
  return count;
}

/** Why there may be no other. */
export const TOO_MANY_WINDOWS = `a socket has at most ${String(LIVE_LIMITS.windowsMax)} windows`;
