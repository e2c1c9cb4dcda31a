/** Shows the clock of a replay: one line that changes on a terminal, elsewhere a line now and then. */
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import type { PlayedPosition } from '../../../streams/replay/player.ts';
import type { StatusLine } from '../tool/status-line.ts';

const LINE_EVERY_MS = 5_000;

export class ReplayClock {
  readonly #line: StatusLine;
  readonly #clock: Clock;
  readonly #speed: number;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(line: StatusLine, clock: Clock, speed: number) {
    this.#line = line;
    this.#clock = clock;
    this.#speed = speed;
  }

  show(position: PlayedPosition): void {
    if (this.#line.isSeen) {
      this.#line.show(() => this.text(position));
      return;
    }
    const now = this.#clock.now();
    if (now - this.#saidAt < LINE_EVERY_MS) return;
    this.#saidAt = now;
    this.#line.say(this.text(position));
  }

  text({ time, version, count }: PlayedPosition): string {
    const shown = Number.isFinite(time) ? formatTime(time) : 'nothing played yet';
    const speed = this.#speed === Infinity ? 'max' : `x${String(this.#speed)}`;
    return `${shown}   version ${String(version)}   ${String(count)} records   ${speed}`;
  }
}
