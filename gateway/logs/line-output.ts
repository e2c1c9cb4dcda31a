/**
 * One line of the log, before it has a form, and where lines go: all of them to stderr at once, or, with
 * split streams, information to stdout, gathered for a while where that is wanted. A line is handed to the
 * operating system before the server goes on, so that the last words of a process are never lost.
 *
 * In Kubernetes: component-base/logs/api/v1, text.go.
 */
import { writeSync } from 'node:fs';

import type { LogFields } from '../../actors/request/logger.ts';
import type { Clock } from '../../api/meta/clock.ts';

/** klog's letters: information, warning, error, and the last words of the process. */
export type Severity = 'I' | 'W' | 'E' | 'F';

export interface LogLine {
  readonly severity: Severity;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Where it was written: `cli/serve.ts:137`. */
  readonly site: string;
  /** The verbosity that shows it; 0: always. */
  readonly verbosity: number;
  readonly message: string;
  /** Under `err` stands what was thrown. */
  readonly fields: LogFields;
}

/** The line as text, with the newline at its end. */
export type LineFormat = (line: LogLine) => string;

/** What a program without call sites writes in their place, as klog does. */
export const UNKNOWN_SITE = '???:1';

/** `a: b: c`: what an error says, and behind it what its causes say, unless it says that itself. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = error.message === '' ? error.name : error.message;
  if (error.cause === undefined || error.cause === error) return said;
  const cause = errorText(error.cause);
  return said.includes(cause) ? said : `${said}: ${cause}`;
}

export interface LineOutput {
  /** @param line with its end. */
  write(severity: Severity, line: string): void;
  /** Writes what was gathered. */
  flush(): void;
}

/** Writes to a file descriptor. */
export type WriteText = (text: string) => void;

interface SplitOptions {
  /** Bytes that are gathered of stdout; 0: none. */
  readonly bufferBytes: number;
  /** Milliseconds after which what was gathered is written. */
  readonly flushEveryMs: number;
  readonly clock: Clock;
}

/** Everything to one stream. */
export function oneStream(write: WriteText): LineOutput {
  return {
    write: (_severity, line) => {
      write(line);
    },
    flush: () => undefined,
  };
}

/** Information to one stream, and the rest to the other. */
export function splitStreams(
  { info, error }: { readonly info: WriteText; readonly error: WriteText },
  options: SplitOptions,
): LineOutput {
  const gathered = new GatheredLines(info, options);
  return {
    write: (severity, line) => {
      if (severity === 'I') gathered.write(line);
      else error(line);
    },
    flush: () => {
      gathered.flush();
    },
  };
}

/** Whole lines, as many as fit. */
class GatheredLines {
  readonly #write: WriteText;
  readonly #options: SplitOptions;
  #lines: string[] = [];
  #sizeBytes = 0;

  constructor(write: WriteText, options: SplitOptions) {
    this.#write = write;
    this.#options = options;
  }

  write(line: string): void {
    const { bufferBytes, flushEveryMs, clock } = this.#options;
    const sizeBytes = Buffer.byteLength(line);
    if (this.#sizeBytes + sizeBytes > bufferBytes) this.flush();
    if (sizeBytes > bufferBytes) {
      this.#write(line);
      return;
    }
    if (this.#lines.length === 0) {
      clock.after(flushEveryMs, () => {
        this.flush();
      });
    }
    this.#lines.push(line);
    this.#sizeBytes += sizeBytes;
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#sizeBytes = 0;
    this.#write(text);
  }
}

const RETRY_MS = 5;
const SLEEPING = new Int32Array(new SharedArrayBuffer(4));

/**
 * @returns writes whole texts, and says what kept it from that. A reader that is slow holds the server up, as
 *   it does with klog; a reader that has gone, or a disk that is full, costs the line.
 */
export function descriptorWriter(descriptor: number): (text: string) => string | undefined {
  return (text) => {
    let left = Buffer.from(text);
    while (left.length > 0) {
      try {
        left = left.subarray(writeSync(descriptor, left));
      } catch (error) {
        if (!(error instanceof Error)) return String(error);
        if (!('code' in error) || error.code !== 'EAGAIN') return error.message;
        Atomics.wait(SLEEPING, 0, 0, RETRY_MS);
      }
    }
    return undefined;
  };
}
