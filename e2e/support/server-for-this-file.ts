/**
 * One server for all tests of a file: started before the first, stopped after the last;
 * its logs are printed beside each test that fails.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';

import { type RunningServer, type ServerOptions, startServer } from './server.ts';

/** Call it at the top of the file; call the result inside tests and hooks. */
export function serverForThisFile(options: ServerOptions = {}): () => RunningServer {
  let server: RunningServer | undefined;
  beforeAll(async () => {
    server = await startServer(options);
  });
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      console.error(server?.logs() ?? 'The server never started.');
    });
  });
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === undefined) throw new Error('The server is there from beforeAll on, not before.');
    return server;
  };
}
