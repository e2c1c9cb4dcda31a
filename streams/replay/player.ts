/**
 * Plays records as they came: with the pauses that were between them, or a part of these.
 *
 * Time is the records' own and that of the clock that is handed in. Writers' clocks may
 * differ, so a record that says an earlier time than one before it comes at once.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { pause } from '../../api/meta/rxjs-clock.ts';
import type { LoggedEvent } from '../event.ts';

/** Where the player is. */
export interface PlayedPosition {
  /** The time it is in the recording, in milliseconds since 1970. */
  readonly time: number;
  /** The version of the last record that was played; 0 before the first. */
  readonly version: number;
  /** How many were played. */
  readonly count: number;
}

/** What is played, how fast, and to what. */
export interface PlayerParts {
  readonly clock: Clock;
  /** In the order of the log, in batches of any size. */
  readonly records: AsyncIterable<readonly LoggedEvent[]>;
  /** 1: as it was; 60: a minute in a second; Infinity: without any pause. */
  readonly speed: number;
  /** The time in the recording at which to begin; else that of the first record. */
  readonly beginTime?: number;
  /** Waits for leave to play the next record; false ends. Without it the clock alone decides. */
  readonly step?: (next: LoggedEvent) => Promise<boolean>;
  /** Gets the records that are due, in order. The next come when it has resolved. */
  readonly deliver: (records: readonly LoggedEvent[]) => Promise<void>;
  /** Told whenever the position has changed, and each second while nothing happens. */
  readonly moved?: (position: PlayedPosition) => void;
}

/** So that what a fast player hands over at once stays small. */
const DELIVERED_MAX = 256;
const TICK_MS = 1_000;

export class Player {
  readonly #parts: PlayerParts;
  readonly #signal: AbortSignal;
  #due: LoggedEvent[] = [];
  #began: { readonly clockTime: number; readonly recordTime: number } | undefined;
  #version = 0;
  #count = 0;
  /** The latest time that a record said. */
  #latest = Number.NEGATIVE_INFINITY;

  /** @param signal ends it between two records, without an error. */
  constructor(parts: PlayerParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Resolves when all is played, or it was ended. @throws what `records` and `deliver` throw. */
  async play(): Promise<PlayedPosition> {
    for await (const batch of this.#parts.records) {
      for (const record of batch) {
        if (!(await this.#isTurnOf(record))) return this.#position();
        this.#due.push(record);
        if (this.#due.length >= DELIVERED_MAX) await this.#deliver();
      }
      // What is due goes out before the source is asked for more, which may take its time.
      await this.#deliver();
    }
    return this.#position();
  }

  async #isTurnOf(record: LoggedEvent): Promise<boolean> {
    if (this.#signal.aborted) return false;
    const { step, speed } = this.#parts;
    if (step !== undefined) {
      await this.#deliver();
      return (await step(record)) && !this.#signal.aborted;
    }
    if (speed !== Infinity) await this.#waitUntilDue(record);
    return !this.#signal.aborted;
  }

  async #waitUntilDue({ time }: LoggedEvent): Promise<void> {
    const { clock, speed, beginTime = time } = this.#parts;
    this.#began ??= { clockTime: clock.now(), recordTime: beginTime };
    this.#latest = Math.max(this.#latest, time);
    const { clockTime, recordTime } = this.#began;
    const dueAt = clockTime + (this.#latest - recordTime) / speed;
    if (dueAt > clock.now()) await this.#deliver();
    for (let wait = dueAt - clock.now(); wait > 0; wait = dueAt - clock.now()) {
      if (this.#signal.aborted) return;
      await pause(clock, Math.ceil(Math.min(wait, TICK_MS)), this.#signal);
      this.#parts.moved?.(this.#position());
    }
  }

  async #deliver(): Promise<void> {
    if (this.#due.length === 0) return;
    const due = this.#due;
    this.#due = [];
    await this.#parts.deliver(due);
    this.#count += due.length;
    const last = due.at(-1);
    if (last !== undefined) this.#version = last.resourceVersion;
    for (const { time } of due) this.#latest = Math.max(this.#latest, time);
    this.#parts.moved?.(this.#position());
  }

  #position(): PlayedPosition {
    const counted = { version: this.#version, count: this.#count };
    const began = this.#began;
    if (began === undefined) return { time: this.#latest, ...counted };
    const { clock, speed } = this.#parts;
    return { time: began.recordTime + (clock.now() - began.clockTime) * speed, ...counted };
  }
}
