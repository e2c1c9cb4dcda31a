/**
 * Clients and nodes that no other test joins: KWOK's own streaming server, konnectivity, client-go without a
 * way back to SPDY, the Python and the JavaScript client. `npm run streams` joins each with each.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { needs } from '../support/requirements.ts';
import { CELLS } from './matrix/cells.ts';
import { clientGo, clientNode, kubectlClient, pythonStreams } from './matrix/clients.ts';
import { startEcho } from './matrix/echo.ts';
import {
  type StreamTarget,
  type StreamTargets,
  startStreamTargets,
} from './matrix/stream-targets.ts';

const VIA_GRPC = 'konnectivity, GRPC, UDS';
const [kubelet, kwok, konnectivity] = [
  await needs('kubelet'),
  await needs('kwok'),
  await needs('konnectivity'),
];
const [kubectl, check] = [await needs('kubectl'), await needs('streams-check')];
const python = await needs('python');
const all = [kubelet, kwok, konnectivity, kubectl, check];

describe.skipIf(all.includes(undefined) || python === undefined)('clients and nodes', () => {
  const home = mkdtempSync(join(tmpdir(), 'everwatch-matrix-'));
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let targets: StreamTargets;

  beforeAll(async () => {
    echo = await startEcho();
    const programs = {
      ...{ kubelet: kubelet ?? '', kwok: kwok ?? '', konnectivity: konnectivity ?? '' },
    };
    targets = await startStreamTargets(programs, echo.port, (name) => name === VIA_GRPC);
  });
  afterAll(async () => {
    await targets.stop();
    echo.server.close();
    rmSync(home, { recursive: true, force: true });
  });

  const tunnelling = clientGo(check ?? '', 'websocket');
  const ofKubectl = kubectlClient('kubectl', kubectl ?? '', { home, isWebSocket: true });
  const ofPython = pythonStreams(python ?? {});
  const cells = [
    ...['logs -f', 'exec', 'attach', 'port-forward'].map(
      (verb) => [tunnelling, verb, 'KWOK'] as const,
    ),
    [ofKubectl, 'exec', 'KWOK'],
    [tunnelling, 'exec', VIA_GRPC],
    [tunnelling, 'port-forward', VIA_GRPC],
    [ofPython, 'attach', 'kubelet'],
    [clientNode, 'exec', 'kubelet'],
    [clientNode, 'port-forward', 'kubelet'],
  ] as const;
  it.each(cells.map((cell) => [cell[0].name, cell[1], cell[2], cell[0]] as const))(
    '%s: %s to %s',
    async (_, verb, name, client) => {
      const target = targets.all.find((one) => one.name === name);
      expect(await CELLS[verb]?.(client, target as StreamTarget, echo.port)).toBe(true);
    },
  );

  it('a port-forward inside of WebSocket messages is one, and falls back to nothing', async () => {
    const { server } = targets.all[0] as StreamTarget;
    const client = adminClient(server);
    const { body } = await client.get('/metrics');
    client.close();
    expect(body).toContain('apiserver_stream_tunnel_requests_total{code="101"}');
  });
});
