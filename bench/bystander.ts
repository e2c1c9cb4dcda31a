/** A client that has nothing to do with the load: how long its own writes take until it watches them. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import type { AdminClient } from '../e2e/support/admin-client.ts';

const EVERY_MS = 50;
const NAME = 'bystander';
const MAPS = '/api/v1/namespaces/default/configmaps';

/** The lag at this share of all, from 0 to 1, in milliseconds. */
export type Lags = (share: number) => string;

export class Bystander {
  readonly #client: AdminClient;
  readonly #watch: IncomingMessage;
  /** When each write was sent, by its number. */
  readonly #sent: number[] = [];
  readonly #lags: number[] = [];
  #isOver = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(client: AdminClient, watch: IncomingMessage) {
    this.#client = client;
    this.#watch = watch;
    watch.setEncoding('utf8').on('data', (text: string) => {
      for (const [, nth] of text.matchAll(/"nth":"(\d+)"/g))
        this.#lags.push(performance.now() - (this.#sent[Number(nth)] ?? 0));
    });
  }

  static async start(client: AdminClient): Promise<Bystander> {
    const { body } = await client.post(MAPS, { metadata: { name: NAME } });
    const { metadata } = body as { metadata: { resourceVersion: string } };
    const query = `watch=true&resourceVersion=${metadata.resourceVersion}`;
    const watch = await client.open(`${MAPS}?fieldSelector=metadata.name%3D${NAME}&${query}`);
    const one = new Bystander(client, watch);
    one.#writing = one.#write();
    return one;
  }

  /** @throws Error when events are missing: the watch has ended too early. */
  async stop(): Promise<Lags> {
    this.#isOver = true;
    await this.#writing;
    await pause(1_000);
    this.#watch.destroy();
    if (this.#lags.length !== this.#sent.length)
      throw new Error(`${String(this.#sent.length)} writes, ${String(this.#lags.length)} events`);
    const sorted = this.#lags.sort((one, other) => one - other);
    return (share) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  }

  async #write(): Promise<void> {
    for (let nth = 0; !this.#isOver; nth += 1) {
      this.#sent.push(performance.now());
      const { status } = await this.#client.patch(`${MAPS}/${NAME}`, {
        data: { nth: String(nth) },
      });
      if (status !== 200) throw new Error(`the bystander's write: ${String(status)}`);
      await pause(EVERY_MS);
    }
  }
}
