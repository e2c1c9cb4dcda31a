/** What a GiB costs that passes from one TLS connection to another with nothing between them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';

import { run } from '../../support/command.ts';
import { testAuthority } from '../../support/test-authority.ts';
import type { PipeWish } from './tls-pipe.ts';

/** As kubelets and clients write: a message of 32 KiB, its channel and its head. */
const MESSAGE_BYTES = 32 * 1024 + 5;

/** Of a record of TLS, which is what is sealed and opened at once. */
const RECORD_BYTES = 16 * 1024;

/**
 * Seconds of the processor in which OpenSSL opens and seals so many bytes, as a server in the middle has to.
 *
 * @param cipher as OpenSSL names it: `aes-256-gcm`.
 * @returns undefined: there is no program `openssl` on this machine.
 */
export async function cipherSeconds(bytes: number, cipher: string): Promise<number | undefined> {
  const args = ['speed', '-seconds', '2', '-evp', cipher, '-bytes', String(RECORD_BYTES)];
  const ran = await run('openssl', args).catch(() => undefined);
  // `AES-256-GCM    5077742.93k`: thousands of bytes in a second of its own processor time.
  const thousands = Number(/ ([\d.]+)k\s*$/.exec(ran?.stdout ?? '')?.[1]);
  return thousands > 0 ? (2 * bytes) / (thousands * 1_000) : undefined;
}

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
