import { createServer, type Server } from 'node:https';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preparePki } from '../../listener/tls/self-signed.ts';
import { controlPlaneComponents, probedComponent } from './probed-components.ts';

let dataDir: string;
let server: Server;
let answer: { code: number; body: string };

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'everwatch-probe-'));
  const { serving } = await preparePki({ dataDir, hostNames: [], now: Date.now() });
  server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    response.statusCode = request.url === '/healthz' ? answer.code : 418;
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await closed();
  await rm(dataDir, { recursive: true });
});

/** Also when it is closed already. */
function closed(): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}

function check() {
  const { port } = server.address() as AddressInfo;
  return probedComponent({ name: 'scheduler', port }).check();
}

describe('a component behind a port', () => {
  it('is healthy when it says so, whichever authority signed its certificate', async () => {
    answer = { code: 200, body: 'ok' };
    expect(await check()).toEqual({ isHealthy: true, message: 'ok', error: '' });
  });

  it('is unhealthy when it says so, and what it said is not passed on', async () => {
    answer = { code: 500, body: 'secret' };
    const message = 'HTTP probe failed with statuscode: 500';
    expect(await check()).toEqual({ isHealthy: false, message, error: '' });
  });

  it('is believed for the first ten kilobytes', async () => {
    answer = { code: 200, body: 'x'.repeat(100_000) };
    expect((await check()).message).toHaveLength(10 * 1024);
  });

  it('is unhealthy when nothing listens', async () => {
    const { port } = server.address() as AddressInfo;
    await closed();
    expect(await probedComponent({ name: 'scheduler', port }).check()).toEqual({
      isHealthy: false,
      message:
        `Get "https://127.0.0.1:${String(port)}/healthz": ` +
        `dial tcp 127.0.0.1:${String(port)}: connect: connection refused`,
      error: '',
    });
  });
});

it('the control plane has two of them', () => {
  expect(controlPlaneComponents().map(({ name }) => name)).toEqual([
    'scheduler',
    'controller-manager',
  ]);
});
