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

/** Makes an attack on both, the real one first. */
export type OnBoth = <T>(attack: (attacked: Attacked) => Promise<T>) => Promise<Outcomes<T>>;

/** Call it at the top of the file; call the result inside tests and hooks. */
export function realAndBroken(breaks: readonly Break[], options: ServerOptions = {}): OnBoth {
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
  return async (attack) => {
    const [real, broken] = all;
    if (real === undefined || broken === undefined) {
      throw new Error('The servers are there from beforeAll on, not before.');
    }
    return { real: await attack(real), broken: await attack(broken) };
  };
}

/** Headers by which the administrator is taken for somebody else. */
export function as(user: string, ...groups: string[]): OutgoingHttpHeaders {
  const inGroups = groups.length === 0 ? {} : { 'impersonate-group': groups };
  return { 'impersonate-user': user, ...inGroups };
}
