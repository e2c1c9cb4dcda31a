/**
 * Clients that write, read and watch through a server of several processes while one of these is killed. Each
 * has a connection of its own, so they are spread over the workers; each connects again when its connection breaks.
 */
import { adminClient, type AdminClient, type ApiAnswer } from '../support/admin-client.ts';
import { at, type JsonObject, textAt } from '../support/json.ts';
import type { RunningServer } from '../support/server.ts';
import { WatchStream } from '../watch/watch-stream.ts';

export const MAPS = '/api/v1/namespaces/default/configmaps';

/** The resourceVersion of an object, a list, or an event's object. */
export function versionOf(body: unknown): number {
  return Number(textAt(body as JsonObject, 'metadata', 'resourceVersion'));
}

/** What a writer was told of its object. */
export interface Told {
  readonly name: string;
  /** Of each write that was acknowledged: the counter that it wrote, by its version. */
  readonly written: Map<number, number>;
  /** The last counter that was sent, whether it was answered or not. */
  sent: number;
}

/** Writes rising counters into an object of its own until it is told to stop. */
export class SteadyWriter {
  readonly told: Told;
  /** How often an answer was missing, so that the outcome is unknown. */
  broken = 0;
  readonly #client: AdminClient;
  #isStopped = false;

  constructor(server: RunningServer, name: string) {
    this.#client = adminClient(server);
    this.told = { name, written: new Map(), sent: 0 };
  }

  async run(acknowledged: (told: Told, version: number) => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      this.told.sent += 1;
      const counter = this.told.sent;
      const answer = await this.#put(counter);
      if (answer === undefined) {
        this.broken += 1;
        continue;
      }
      const version = versionOf(answer.body);
      this.told.written.set(version, counter);
      await acknowledged(this.told, version);
    }
    this.#client.close();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** @throws for every answer but success and what a server says that is about to end. */
  async #put(counter: number): Promise<ApiAnswer | undefined> {
    const { name } = this.told;
    const data = { counter: String(counter) };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    try {
      const answer = await this.#client.send(
        'PATCH',
        `${MAPS}/${name}?fieldManager=test&force=true`,
        {
          body,
          headers: { 'content-type': 'application/apply-patch+yaml' },
        },
      );
      if (answer.status === 200 || answer.status === 201) return answer;
      if (answer.status === 503 || answer.status === 429) return undefined;
      throw new RefusedError(`${name}: ${JSON.stringify(answer.body)}`);
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      return undefined;
    }
  }
}

class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Reads until it is answered. */
export async function readSurely(client: AdminClient, path: string): Promise<ApiAnswer> {
  for (;;) {
    try {
      const answer = await client.get(path);
      if (answer.status !== 503) return answer;
    } catch {
      // Its worker is gone; the next connection leads to another.
    }
  }
}

/** Watches all ConfigMaps, and goes on where it was when its worker is gone. */
export class SteadyWatcher {
  /** The versions of the events, in the order in which they came. */
  readonly versions: number[] = [];
  reconnects = 0;
  readonly #client: AdminClient;
  #watch: WatchStream | undefined;
  #isStopped = false;

  constructor(server: RunningServer) {
    this.#client = adminClient(server);
  }

  async run(from: number): Promise<void> {
    let next = from;
    while (!this.#isStopped) {
      try {
        const path = `${MAPS}?watch=true&resourceVersion=${String(next)}`;
        this.#watch = await WatchStream.open(this.#client, path);
        await this.#watch.ended;
        for (const { object } of this.#watch.events) this.versions.push(versionOf(object));
        next = this.versions.at(-1) ?? from;
      } catch {
        // The server has no place for it just now.
      }
      this.reconnects += 1;
    }
  }

  /** What came until now, also of the watch that is open. */
  get seen(): readonly number[] {
    const open = this.#watch?.events.map(({ object }) => versionOf(object)) ?? [];
    const last = this.versions.at(-1) ?? 0;
    return [...this.versions, ...open.filter((version) => version > last)];
  }

  stop(): void {
    this.#isStopped = true;
    this.#watch?.close();
    this.#client.close();
  }
}

/** The counter in a ConfigMap. */
export function counterIn(body: unknown): number {
  return Number(at(body as JsonObject | undefined, 'data', 'counter'));
}
