import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { toldByEtcd } from './ask-etcd.ts';

const TOLD = { directory: '/srv/etcd', isSynced: true };
const etcd = () => createServer((_, response) => response.end(JSON.stringify(TOLD)));

/** Where nothing listens. */
async function closedPort(): Promise<number> {
  const server = etcd().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  server.close();
  await once(server, 'close');
  return port;
}

it('waits for an etcd that is started in the same moment', async () => {
  const port = await closedPort();
  const server = `http://127.0.0.1:${String(port)}`;
  const told = toldByEtcd({ flag: '--etcd-servers', server, isAwaited: true });
  const refused = toldByEtcd({ flag: '--endpoints', server, isAwaited: false });
  await expect(refused).rejects.toThrow(`--endpoints: cannot ask ${server}: `);
  const late = etcd().listen(port, '127.0.0.1');
  try {
    expect(await told).toEqual(TOLD);
  } finally {
    late.close();
  }
});
