/** What a GiB costs that passes from one TLS connection to another with nothing between them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';

import { testAuthority } from '../../support/test-authority.ts';
import type { PipeWish } from './tls-pipe.ts';

/** As kubelets and clients write: a message of 32 KiB, its channel and its head. */
const MESSAGE_BYTES = 32 * 1024 + 5;

/** Seconds of the processor of a process that passes on so many bytes, by Node's `pipe` or as this server does. */
export async function tlsPipeSeconds(bytes: number, isNodes: boolean): Promise<number> {
  const { certificate: cert, key } = await (
    await testAuthority('pipes')
  ).issue('pipe', ['127.0.0.1']);
  const end = createServer({ cert, key }, (socket) => {
    socket.resume().once('end', () => socket.end());
  });
  end.listen(0, '127.0.0.1');
  await once(end, 'listening');
  const child = fork(join(import.meta.dirname, 'tls-pipe.ts'));
  const to = (end.address() as AddressInfo).port; // It listens on TCP.
  child.send({ cert, key, to, isNodes } satisfies PipeWish);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const told = once(child, 'message') as Promise<[{ cpuMs: number }]>;
  const from = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  from.on('error', () => undefined);
  await once(from, 'secureConnect');
  const message = Buffer.alloc(MESSAGE_BYTES, 1);
  for (let sent = 0; sent < bytes; sent += message.length) {
    if (!from.write(message)) await once(from, 'drain');
  }
  from.end();
  const [{ cpuMs }] = await told;
  end.close();
  return cpuMs / 1_000;
}
