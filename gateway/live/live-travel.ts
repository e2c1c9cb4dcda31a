/**
 * The moment of a connection: moves all its subscriptions that have none of their own, and lets time run on
 * from there. Of several moves that are asked for while one is under way, the last one counts: a client
 * that drags a slider is not shown every place that it has passed.
 */
import type { SeekMessage, ServerMessage } from '../../api/live/live-messages.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { Arrival, Subscription, Traveller } from './live-subscription.ts';

/** What is moved, and the way to the client. */
export interface TravelParts {
  readonly clock: Clock;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  send(message: ServerMessage): void;
}

const TICK_MS = 250;
/** So many subscriptions of a control plane move at a time: each may hold some of what it shows. */
const AT_ONCE = 8;

export class LiveTravel {
  readonly #parts: TravelParts;
  #moment: string | undefined;
  #next: SeekMessage | undefined;
  #isMoving = false;
  #isStopped = false;
  #cancelTick: () => void = () => undefined;

  constructor(parts: TravelParts) {
    this.#parts = parts;
  }

  /** Where the subscriptions are; undefined: now. */
  get moment(): string | undefined {
    return this.#moment;
  }

  seek(message: SeekMessage): void {
    this.#cancelTick();
    this.#next = message;
    this.#work();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTick();
  }

  /** One move at a time, and of those that wait the last. */
  #work(): void {
    const next = this.#next;
    if (this.#isMoving || this.#isStopped || next === undefined) return;
    this.#next = undefined;
    this.#isMoving = true;
    const moved = (arrival: Arrival | undefined): void => {
      this.#isMoving = false;
      if (this.#next !== undefined) this.#work();
      else if (!this.#isStopped) this.#arrived(next, arrival);
    };
    this.#move(next.at).then(moved, () => {
      moved(undefined);
    });
  }

  async #move(at: string | undefined): Promise<Arrival | undefined> {
    this.#moment = at;
    const arrivals = [...this.#byPlane()].map(async ([plane, [first, ...others]]) => {
      // By it a time becomes a version, and then all are moved to the same.
      const arrival = await first?.moveTo(at);
      const there = at === undefined || arrival === undefined ? at : String(arrival.version);
      if (plane === '' && there !== undefined) this.#moment = there;
      for (let next = 0; next < others.length; next += AT_ONCE) {
        await Promise.all(others.slice(next, next + AT_ONCE).map((one) => one.moveTo(there)));
      }
      return { plane, arrival };
    });
    const all = await Promise.all(arrivals);
    return (all.find(({ plane }) => plane === '') ?? all[0])?.arrival;
  }

  #byPlane(): Map<string, Traveller[]> {
    const planes = new Map<string, Traveller[]>();
    for (const { traveller } of this.#parts.subscriptions.values()) {
      if (traveller === undefined) continue;
      const others = planes.get(traveller.plane);
      if (others === undefined) planes.set(traveller.plane, [traveller]);
      else others.push(traveller);
    }
    return planes;
  }

  #arrived({ at, speed = 0 }: SeekMessage, arrival: Arrival | undefined): void {
    this.#tellMoved(at, arrival);
    const time = arrival?.time;
    if (at === undefined || speed === 0 || time === undefined) return;
    this.#run({ speed, from: time, since: this.#parts.clock.now() });
  }

  #tellMoved(at: string | undefined, arrival: Arrival | undefined): void {
    const { version, time } = arrival ?? {};
    this.#parts.send({
      type: 'moved',
      ...(at === undefined ? {} : { at }),
      ...(version === undefined ? {} : { revision: String(version) }),
      ...(time === undefined ? {} : { time: new Date(time).toISOString() }),
    });
  }

  /** @param run `from` that time of then, `since` that time of now. */
  #run(run: { readonly speed: number; readonly from: number; readonly since: number }): void {
    const { clock } = this.#parts;
    this.#cancelTick = clock.after(TICK_MS, () => {
      const now = clock.now();
      const time = run.from + (now - run.since) * run.speed;
      if (time >= now) {
        this.seek({ type: 'seek' });
        return;
      }
      this.#isMoving = true;
      const ran = (arrival: Arrival | undefined): void => {
        this.#isMoving = false;
        if (this.#isStopped) return;
        if (this.#next !== undefined) {
          this.#work();
          return;
        }
        this.#tellMoved(new Date(time).toISOString(), { ...arrival, time } as Arrival);
        this.#run(run);
      };
      this.#runTo(time).then(ran, () => {
        ran(undefined);
      });
    });
  }

  async #runTo(time: number): Promise<Arrival | undefined> {
    const planes = [...this.#byPlane()];
    const arrivals = planes.flatMap(([plane, travellers]) =>
      travellers.map(async (one) => ({ plane, arrival: await one.runTo(time) })),
    );
    const all = await Promise.all(arrivals);
    const main = (all.find(({ plane }) => plane === '') ?? all[0])?.arrival;
    if (main !== undefined) this.#moment = String(main.version);
    return main;
  }
}
