/**
 * A watch over HTTP as it comes over the wire: lines, headers, and how it ended.
 *
 * In contrast to `HttpWatch` it tells a complete end from a broken one, takes headers, and
 * can stop reading the socket.
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';

import type { AdminClient } from '../support/admin-client.ts';
import { eventually, type Patience } from '../support/eventually.ts';
import { type JsonObject, parseJson, textAt } from '../support/json.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

export class WatchStream {
  /** Complete lines, without their ends, in the order received. */
  readonly lines: string[] = [];
  readonly headers: IncomingHttpHeaders;
  /** `complete`: the server said that this was all. `broken`: it did not get so far. */
  readonly ended: Promise<'complete' | 'broken'>;
  readonly #incoming: IncomingMessage;
  #parsed: WatchEvent[] = [];

  private constructor(incoming: IncomingMessage, note: (line: string) => string) {
    this.#incoming = incoming;
    this.headers = incoming.headers;
    incoming.setEncoding('utf8');
    // The parts of a line are joined once: a line can be a megabyte, and a part 16 KiB of it.
    let parts: string[] = [];
    incoming.on('data', (chunk: string) => {
      const [first = '', ...others] = chunk.split('\n');
      parts.push(first);
      for (const part of others) {
        this.lines.push(note(parts.join('')));
        parts = [part];
      }
    });
    this.ended = new Promise((resolve) => {
      incoming.on('error', () => undefined); // `close` follows.
      incoming.once('close', () => {
        resolve(incoming.complete ? 'complete' : 'broken');
      });
    });
  }

  /**
   * `path` with everything in it. `note` says what to keep of a line, where all would be too much.
   *
   * @throws when the answer is anything but 200, with its text.
   */
  static async open(
    client: AdminClient,
    path: string,
    headers: OutgoingHttpHeaders = {},
    note: (line: string) => string = (line) => line,
  ): Promise<WatchStream> {
    const incoming = await client.open(path, headers);
    if (incoming.statusCode === 200) return new WatchStream(incoming, note);
    incoming.setEncoding('utf8');
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    throw new Error(`watch ${path}: ${String(incoming.statusCode)} ${text}`);
  }

  /** All lines so far as events. */
  get events(): readonly WatchEvent[] {
    for (let index = this.#parsed.length; index < this.lines.length; index += 1) {
      // A watch's lines are events by contract; a test fails on any other soon enough.
      this.#parsed.push(parseJson(this.lines[index] ?? '') as unknown as WatchEvent);
    }
    return this.#parsed;
  }

  /** Waits until some line, old or new, fits. @throws when none comes in time. */
  async until(what: string, fits: (line: string) => boolean, patience?: Patience): Promise<void> {
    let looked = 0;
    const wanted = () => `${what}; received ${String(this.lines.length)}, last ${this.#lastLine()}`;
    const look = (): true | undefined => {
      while (looked < this.lines.length) {
        looked += 1;
        if (fits(this.lines[looked - 1] ?? '')) return true;
      }
      return undefined;
    };
    await eventually(wanted, look, patience);
  }

  untilCount(count: number): Promise<void> {
    return this.until(`${String(count)} events`, () => this.lines.length >= count);
  }

  /** Stops reading the socket: what the system has buffered is all that the server gets rid of. */
  stall(): void {
    this.#incoming.pause();
  }

  goOn(): void {
    this.#incoming.resume();
  }

  close(): void {
    this.#incoming.destroy();
  }

  #lastLine(): string {
    return (this.lines.at(-1) ?? 'nothing').slice(0, 300);
  }
}

/** `ADDED a@5`, for comparisons that a person can read. */
export function shown({ type, object }: WatchEvent): string {
  const version = textAt(object, 'metadata', 'resourceVersion');
  return `${type} ${textAt(object, 'metadata', 'name')}@${version}`;
}
