import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { HeldPort } from './held-port.ts';

async function opened() {
  const port = new HeldPort();
  await port.open(0, '127.0.0.1');
  const { port: number } = port.server.address() as AddressInfo; // TCP.
  return { port, number };
}

/** That has said one word, and been accepted. */
async function client({ port, number }: Awaited<ReturnType<typeof opened>>): Promise<Socket> {
  const socket = connect(number, '127.0.0.1');
  socket.write('one');
  await once(port.server, 'connection');
  return socket;
}

function echo(socket: Socket): void {
  socket.on('data', (bytes) => socket.write(bytes));
}

it('serves the connections that waited, with what they had sent, and those that come', async () => {
  const given = await opened();
  const early = await client(given);
  given.port.release(echo);
  const late = connect(given.number, '127.0.0.1');
  late.write('two');
  const heard = await Promise.all([once(early, 'data'), once(late, 'data')]);
  expect(heard.map(String)).toEqual(['one', 'two']);
  for (const socket of [early, late]) socket.destroy();
  given.port.close();
});

it('serves none that has gone meanwhile', async () => {
  const given = await opened();
  const [accepted] = await Promise.all([once(given.port.server, 'connection'), client(given)]);
  (accepted as [Socket])[0].destroy();
  const served: Socket[] = [];
  given.port.release((socket) => served.push(socket));
  expect(served).toEqual([]);
  given.port.close();
});

it('ends those that wait where there will be no server', async () => {
  const given = await opened();
  const early = await client(given);
  early.on('error', () => undefined);
  given.port.close();
  await once(early, 'close');
  const refused = connect(given.number, '127.0.0.1');
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
});

it('says that the port is taken', async () => {
  const given = await opened();
  await expect(new HeldPort().open(given.number, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
  given.port.close();
});
