/**
 * What no client may do to the others: after each attack the server is the same process, has
 * logged no fault of its own, and serves another client.
 */
import { expect } from 'vitest';

import { configMap, created, expectObject } from '../api/objects.ts';
import { type AdminClient, adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { faultsIn } from '../support/log-lines.ts';
import type { RunningServer } from '../support/server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let bystanders = 0;

/** A client that was there before the attack, on a connection of its own. */
export class Bystander {
  readonly client: AdminClient;
  readonly #server: RunningServer;
  readonly #pid: number;

  constructor(server: RunningServer) {
    this.#server = server;
    this.#pid = server.pid;
    this.client = adminClient(server);
  }

  /** Writes, reads and deletes, as if nothing had happened. */
  async isUnharmed(): Promise<void> {
    bystanders += 1;
    const name = `bystander-${String(bystanders)}`;
    await created(this.client, MAPS, configMap(name));
    expectObject(await this.client.get(`${MAPS}/${name}`));
    expectObject(await this.client.delete(`${MAPS}/${name}`));
    expect(this.#server.pid).toBe(this.#pid);
    expect(faultsIn(this.#server.logs())).toEqual([]);
  }

  /** The lines of `/metrics`. */
  async metrics(): Promise<string[]> {
    const { body } = await this.client.get('/metrics');
    return typeof body === 'string' ? body.split('\n') : [];
  }

  /** A figure of `/metrics` without labels. */
  async figure(name: string): Promise<number> {
    const line = (await this.metrics()).find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }

  /** Waits until the server has let go of every watch. */
  async untilNoWatches(): Promise<void> {
    await eventually('no open watches', async () => {
      return (await this.figure('everwatch_open_watches')) === 0 || undefined;
    });
  }
}
