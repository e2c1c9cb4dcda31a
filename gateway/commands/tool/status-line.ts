/**
 * One line on a terminal that is written over again and again: how far long work has come. In a pipe
 * or a file nothing is written.
 */
import type { Clock } from '../../../api/meta/clock.ts';

export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const EVERY_MS = 100;
const COLUMNS = 80;
const CLEAR = '\r\u001b[K';

export class StatusLine {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  #shownAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(terminal: Terminal, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
  }

  get isSeen(): boolean {
    return this.#terminal.isTTY === true;
  }

  /** @param text is not asked for when it would not be shown, as when the last is just there. */
  show(text: () => string): void {
    if (!this.isSeen) return;
    const now = this.#clock.now();
    if (now - this.#shownAt < EVERY_MS) return;
    this.#shownAt = now;
    this.#isShown = true;
    this.#terminal.write(CLEAR + text().slice(0, (this.#terminal.columns ?? COLUMNS) - 1));
  }

  /** A line that stays, above the one that changes. */
  say(line: string): void {
    this.clear();
    this.#terminal.write(`${line}\n`);
  }

  clear(): void {
    if (this.#isShown) this.#terminal.write(CLEAR);
    this.#isShown = false;
    this.#shownAt = Number.NEGATIVE_INFINITY;
  }
}

/** `12.3 MB` */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit += 1) value /= 1_000;
  return `${unit === 0 ? String(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}
