/** What connections that were passed on leave behind, over TLS: nothing of their own. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { tlsPairs } from '../listener/tls/given-tls-pair.fixture.ts';
import { CommandOutcome } from './command-outcome.ts';
import { dataHead } from './spdy-frames.ts';
import { splice } from './splice.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // Of V8.

const given = tlsPairs();
const EMPTY = Buffer.alloc(0);
const RECORD = randomBytes(16 * 1_024);
const FRAMES = 64;
const CONNECTIONS = 8;
/** Those that are kept for all connections: eight slabs of 256 KiB, and what Node keeps for small buffers. */
const KEPT_BYTES = 9 * 256 * 1_024;

/** A command says 2 MiB to its client, each head in a record of its own as kubelets write it; then one of them goes. */
async function passedOn(goes: 'client' | 'node'): Promise<WeakRef<object>[]> {
  const [client, node] = [await given(), await given()];
  const outcome = new CommandOutcome('v4.channel.k8s.io');
  const backend = { socket: node.near, head: EMPTY, response: new IncomingMessage(new Socket()) };
  const limits = { clock: new ManualClock(), bytesPerSec: 0 };
  splice({ socket: client.near, head: EMPTY }, backend, limits, { isSpdy: true, outcome });
  let came = 0;
  client.far.on('data', ({ length }: Buffer) => (came += length));
  for (let frame = 0; frame < FRAMES; frame += 1) {
    node.far.write(dataHead(3, 2 * RECORD.length, false));
    node.far.write(RECORD);
    if (!node.far.write(RECORD)) await once(node.far, 'drain');
  }
  await expect.poll(() => came).toBeGreaterThanOrEqual(FRAMES * 2 * RECORD.length);
  const ends = [client.far, client.near, node.far, node.near];
  const closed = ends.map((end) =>
    once(
      end.on('error', () => undefined),
      'close',
    ),
  );
  (goes === 'client' ? client : node).far.destroy();
  (goes === 'client' ? node : client).far.end();
  await Promise.all(closed);
  return [new WeakRef(outcome), new WeakRef(client.near), new WeakRef(node.near)];
}

it.each(['client', 'node'] as const)('no buffer and no socket, where the %s goes', async (goes) => {
  await passedOn(goes);
  collect();
  const before = process.memoryUsage().arrayBuffers;
  const left: WeakRef<object>[] = [];
  for (let nth = 0; nth < CONNECTIONS; nth += 1) left.push(...(await passedOn(goes)));
  await expect
    .poll(() => {
      collect();
      return left.filter((one) => one.deref() !== undefined).length;
    })
    .toBe(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(KEPT_BYTES);
});
