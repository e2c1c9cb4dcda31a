/**
 * Two servers for all tests of a file: the one that is shipped, and one without the checks that the
 * file is about. An attack is made on both, and what came of it is told side by side.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach } from 'vitest';

import { type AdminClient, adminClient } from '../support/admin-client.ts';
import { type RunningServer, type ServerOptions, startServer } from '../support/server.ts';
import { type Break, type BrokenBuild, brokenBuild } from './broken-build.ts';

export interface Attacked {
  readonly server: RunningServer;
  /** The administrator; others are impersonated. */
  readonly client: AdminClient;
}

export interface Outcomes<T> {
  readonly real: T;
  readonly broken: T;
}

export interface RealAndBroken {
  /** Makes an attack on both, the real one first. */
  onBoth<T>(attack: (attacked: Attacked) => Promise<T>): Promise<Outcomes<T>>;
  /** Where no check can be taken out: what is shipped is attacked alone. */
  onReal<T>(attack: (attacked: Attacked) => Promise<T>): Promise<T>;
}

/** Call it at the top of the file; call what it gives inside tests and hooks. */
export function realAndBroken(
  breaks: readonly Break[],
  options: ServerOptions = {},
): RealAndBroken {
  const all: Attacked[] = [];
  let built: BrokenBuild | undefined;
  const start = async (program?: string): Promise<void> => {
    const server = await startServer(program === undefined ? options : { ...options, program });
    all.push({ server, client: adminClient(server) });
  };
  beforeAll(async () => {
    await start();
    built = await brokenBuild(breaks);
    await start(built.program);
  });
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      for (const { server } of all) console.error(server.logs());
    });
  });
  afterAll(async () => {
    for (const { client, server } of all) {
      client.close();
      await server.stop();
    }
    built?.remove();
  });
  const attacked = (): readonly [real: Attacked, broken: Attacked] => {
    const [real, broken] = all;
    if (real !== undefined && broken !== undefined) return [real, broken];
    throw new Error('The servers are there from beforeAll on, not before.');
  };
  return {
    async onBoth(attack) {
      const [real, broken] = attacked();
      return { real: await attack(real), broken: await attack(broken) };
    },
    async onReal(attack) {
      return attack(attacked()[0]);
    },
  };
}

/** Headers by which the administrator is taken for another user. */
export function as(user: string, ...groups: string[]): OutgoingHttpHeaders {
  const inGroups = groups.length === 0 ? {} : { 'impersonate-group': groups };
  return { 'impersonate-user': user, ...inGroups };
}
