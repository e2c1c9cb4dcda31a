/** A client that watches a collection through everything: a watch that ends goes on where it was. */
import type { AdminClient } from '../support/admin-client.ts';
import { HttpWatch, nameOf, versionOf, type WatchEvent } from '../support/http-watch.ts';
import { textAt } from '../support/json.ts';

/** One event, as in `ADDED web-1@17`. */
export type Seen = string;

export class Witness {
  readonly seen: Seen[] = [];
  /** How often a watch has ended, and the next has begun. */
  moves = 0;
  readonly from: string;
  readonly #client: AdminClient;
  readonly #path: string;
  #watch: HttpWatch | undefined;
  #isOver = false;
  #watching: Promise<void> = Promise.resolve();

  private constructor(client: AdminClient, path: string, from: string) {
    this.#client = client;
    this.#path = path;
    this.from = from;
  }

  /** Sees all that changes from now on. @param path of a collection that is empty. */
  static async start(client: AdminClient, path: string): Promise<Witness> {
    const { body } = await client.get(path);
    const witness = new Witness(client, path, textAt(body, 'metadata', 'resourceVersion'));
    witness.#watching = witness.#follow();
    return witness;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#watch?.close();
    await this.#watching;
  }

  async #follow(): Promise<void> {
    let version = this.from;
    while (!this.#isOver) {
      this.#watch = await this.#opened(version);
      await this.#watch?.ended;
      for (const event of this.#watch?.received ?? []) {
        this.seen.push(lineOf(event));
        version = versionOf(event);
      }
      this.moves += 1;
    }
  }

  /** undefined where no replica took the connection, so that it is asked for again. */
  async #opened(version: string): Promise<HttpWatch | undefined> {
    try {
      return await HttpWatch.open(this.#client, `${this.#path}?resourceVersion=${version}`);
    } catch (error) {
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  }
}

export function lineOf(event: WatchEvent): Seen {
  return `${event.type} ${nameOf(event)}@${versionOf(event)}`;
}
