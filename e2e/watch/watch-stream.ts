/**
 * A watch over HTTP as it comes over the wire: lines, headers, and how it ended.
 *
 * In contrast to `HttpWatch` it tells a complete end from a broken one, takes headers, and
 * can stop reading the socket.
 */
import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { connect, constants } from 'node:http2';
import type { Readable } from 'node:stream';

import type { AdminClient } from '../support/admin-client.ts';
import { eventually, type Patience } from '../support/eventually.ts';
import { type JsonObject, parseJson, textAt } from '../support/json.ts';
import type { ClusterAccess } from '../support/kubeconfig.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

interface Http2Status {
  readonly ':status'?: number;
}

/** What a watch comes by, whichever version of HTTP. */
interface Incoming {
  readonly stream: Readable;
  readonly headers: IncomingHttpHeaders;
  /** Once it is closed: whether the server said that this was all. */
  isComplete(): boolean;
  close(): void;
}

type Note = (line: string) => string;

export class WatchStream {
  /** Complete lines, without their ends, in the order received. */
  readonly lines: string[] = [];
  readonly headers: IncomingHttpHeaders;
  /** `complete`: the server said that this was all. `broken`: it did not get so far. */
  readonly ended: Promise<'complete' | 'broken'>;
  readonly #incoming: Incoming;
  #parsed: WatchEvent[] = [];

  private constructor(incoming: Incoming, note: Note) {
    const { stream, headers } = incoming;
    this.#incoming = incoming;
    this.headers = headers;
    stream.setEncoding('utf8');
    // The parts of a line are joined once: a line can be a megabyte, and a part 16 KiB of it.
    let parts: string[] = [];
    stream.on('data', (chunk: string) => {
      const [first = '', ...others] = chunk.split('\n');
      parts.push(first);
      for (const part of others) {
        this.lines.push(note(parts.join('')));
        parts = [part];
      }
    });
    this.ended = new Promise((resolve) => {
      stream.on('error', () => undefined); // `close` follows.
      stream.once('close', () => {
        resolve(incoming.isComplete() ? 'complete' : 'broken');
      });
    });
  }

  /**
   * Over HTTP/1.1. `path` with everything in it. `note` says what to keep of a line, where all
   * would be too much.
   *
   * @throws when the answer is anything but 200, with its text.
   */
  static async open(
    client: AdminClient,
    path: string,
    headers: OutgoingHttpHeaders = {},
    note: Note = whole,
  ): Promise<WatchStream> {
    const incoming = await client.open(path, headers);
    if (incoming.statusCode !== 200) throw await refusal(path, incoming.statusCode, incoming);
    return new WatchStream(
      {
        stream: incoming,
        headers: incoming.headers,
        isComplete: () => incoming.complete,
        close: () => void incoming.destroy(),
      },
      note,
    );
  }

  /** Over HTTP/2, on a connection of its own. @throws as `open` does. */
  static async openHttp2(
    { url, ca, cert, key }: ClusterAccess,
    path: string,
    note: Note = whole,
  ): Promise<WatchStream> {
    const session = connect(url, { ca, cert, key });
    const stream = session.request({ ':path': path, accept: 'application/json' });
    let hasEnded = false;
    stream.once('end', () => (hasEnded = true));
    stream.once('close', () => {
      session.close();
    });
    // By the event's name.
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & Http2Status];
    const status = headers[':status'];
    if (status !== 200) throw await refusal(path, status, stream);
    const isComplete = () => hasEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR;
    return new WatchStream({ stream, headers, isComplete, close: () => session.destroy() }, note);
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
    this.#incoming.stream.pause();
  }

  goOn(): void {
    this.#incoming.stream.resume();
  }

  close(): void {
    this.#incoming.close();
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

function whole(line: string): string {
  return line;
}

async function refusal(path: string, status: number | undefined, body: Readable): Promise<Error> {
  body.setEncoding('utf8');
  let text = '';
  for await (const chunk of body) text += String(chunk);
  return new Error(`watch ${path}: ${String(status)} ${text}`);
}
