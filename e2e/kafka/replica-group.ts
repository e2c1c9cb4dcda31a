/** Servers that share topics and a key file, with a client each; one call ends them all. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { startServer, type RunningServer } from '../support/server.ts';

export interface Replica {
  readonly server: RunningServer;
  readonly client: AdminClient;
}

export class ReplicaGroup {
  readonly #brokers: readonly string[];
  readonly #directory = mkdtempSync(join(tmpdir(), 'everwatch-replicas-'));
  readonly #running: Replica[] = [];

  /** @param brokers `host:port` of each. */
  constructor(brokers: readonly string[]) {
    this.#brokers = brokers;
    writeFileSync(this.#keyFile, 'a secret that all servers share');
  }

  /**
   * Resolves when the server is ready.
   *
   * @param args further flags of `serve`.
   * @param controllers as in ServerOptions.
   */
  async start(topic: string, args: readonly string[] = [], controllers = '-*'): Promise<Replica> {
    const log = `kafka://${this.#brokers.join(',')}/${topic}`;
    const server = await startServer({
      controllers,
      args: ['--log', log, '--key-file', this.#keyFile, ...args],
    });
    const replica = { server, client: adminClient(server) };
    this.#running.push(replica);
    return replica;
  }

  async stop(): Promise<void> {
    for (const { client } of this.#running) client.close();
    await Promise.all(this.#running.map(({ server }) => server.stop()));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #keyFile(): string {
    return join(this.#directory, 'key');
  }
}
