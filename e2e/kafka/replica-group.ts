/** Servers that share topics and a key file, with a client each; one call ends them all. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { startServer, type RunningServer, type ServerOptions } from '../support/server.ts';

export interface Replica {
  readonly server: RunningServer;
  readonly client: AdminClient;
}

export class ReplicaGroup {
  /** Of the group's own files; a test may put its own there. */
  readonly directory = mkdtempSync(join(tmpdir(), 'everwatch-replicas-'));
  readonly #brokers: readonly string[];
  readonly #running: Replica[] = [];

  /** @param brokers `host:port` of each. */
  constructor(brokers: readonly string[]) {
    this.#brokers = brokers;
    writeFileSync(this.#keyFile, 'a secret that all servers share');
  }

  /** The URL of a topic, as `--log` takes it. */
  logOf(topic: string): string {
    return `kafka://${this.#brokers.join(',')}/${topic}`;
  }

  /**
   * Resolves when the server is ready.
   *
   * @param options its `args` are further flags of `serve`.
   */
  async start(topic: string, options: ServerOptions = {}): Promise<Replica> {
    const shared = ['--log', this.logOf(topic), '--key-file', this.#keyFile];
    const server = await startServer({ ...options, args: [...shared, ...(options.args ?? [])] });
    const replica = { server, client: adminClient(server) };
    this.#running.push(replica);
    return replica;
  }

  /** Ends one of them before the others. */
  async end(replica: Replica): Promise<void> {
    this.#running.splice(this.#running.indexOf(replica), 1);
    replica.client.close();
    await replica.server.stop();
  }

  async stop(): Promise<void> {
    for (const { client } of this.#running) client.close();
    await Promise.all(this.#running.map(({ server }) => server.stop()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  get #keyFile(): string {
    return join(this.directory, 'key');
  }
}
