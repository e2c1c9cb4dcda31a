/**
 * A watch over HTTP, line by line, that keeps everything it has received.
 *
 * It never reconnects: what happens at the end of a watch is the test's business.
 */
import type { AdminClient } from './admin-client.ts';
import { eventually } from './eventually.ts';
import { type JsonObject, parseJson, textAt } from './json.ts';

export interface WatchEvent {
  /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. */
  readonly type: string;
  readonly object: JsonObject;
}

export class HttpWatch {
  /** In the order received. */
  readonly received: WatchEvent[] = [];
  /** Resolves when the answer has ended, whichever way. */
  readonly ended: Promise<void>;
  readonly #abort: () => void;

  private constructor(lines: AsyncIterable<string>, abort: () => void) {
    this.#abort = abort;
    this.ended = this.#read(lines);
  }

  /**
   * `path` without `watch=true`.
   *
   * @throws when the server answers with anything but 200, with its answer as the message.
   */
  static async open(client: AdminClient, path: string): Promise<HttpWatch> {
    const incoming = await client.open(`${path}${path.includes('?') ? '&' : '?'}watch=true`);
    incoming.setEncoding('utf8');
    if (incoming.statusCode === 200) {
      return new HttpWatch(linesOf(incoming), () => void incoming.destroy());
    }
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    throw new Error(`watch ${path}: ${String(incoming.statusCode)} ${text}`);
  }

  /** Waits until some event received, old or new, fits. @throws when none comes in time. */
  until(what: string, fits: (event: WatchEvent) => boolean): Promise<WatchEvent> {
    const wanted = () => `${what}; received ${summaryOf(this.received)}`;
    return eventually(wanted, () => this.received.find(fits));
  }

  close(): void {
    this.#abort();
  }

  async #read(lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) {
        // A watch's lines are watch events by contract; a test fails on any other soon enough.
        this.received.push(parseJson(line) as unknown as WatchEvent);
      }
    } catch {
      // The connection broke or was closed by us. Either way the watch has ended.
    }
  }
}

export function nameOf(event: WatchEvent): string {
  return textAt(event.object, 'metadata', 'name');
}

export function versionOf(event: WatchEvent): string {
  return textAt(event.object, 'metadata', 'resourceVersion');
}

/** For messages: `ADDED a@5, MODIFIED a@6`. */
export function summaryOf(events: readonly WatchEvent[]): string {
  return events.map((event) => `${event.type} ${nameOf(event)}@${versionOf(event)}`).join(', ');
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}
