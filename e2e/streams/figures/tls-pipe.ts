/**
 * A process that does what no server can do without: it takes what comes over one TLS connection and sends it
 * over another, by `pipe` or as this server does. Its parent tells where to, and is told the port and the processor
 * time.
 */
import { connect, createServer, type TLSSocket } from 'node:tls';

import { GatheredWrites } from '../../../gateway/node-streams/gathered-writes.ts';
import { readBytes } from '../../../gateway/inbound/reused-reads.ts';

/** What the parent sends. */
export interface PipeWish {
  readonly cert: string;
  readonly key: string;
  /** Of the loopback. */
  readonly to: number;
  /** Whether Node's `pipe` does it. */
  readonly isNodes: boolean;
}

function pass(near: TLSSocket, far: TLSSocket): void {
  const out = new GatheredWrites(far, () => {
    if (out.hasRoom) near.resume();
  });
  readBytes(near, (bytes) => {
    if (!out.write(bytes)) near.pause();
  });
  far.on('drain', () => near.resume());
  near.once('end', () => {
    out.flush();
    far.end();
  });
  near.resume();
}

process.once('message', ({ cert, key, to, isNodes }: PipeWish) => {
  const server = createServer({ cert, key }, (near) => {
    const before = process.cpuUsage();
    const far = connect({ host: '127.0.0.1', port: to, rejectUnauthorized: false });
    far.once('secureConnect', () => {
      if (isNodes) near.pipe(far);
      else pass(near, far);
    });
    far.once('close', () => {
      const { user, system } = process.cpuUsage(before);
      process.send?.({ cpuMs: (user + system) / 1_000 });
      process.disconnect();
      server.close();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
  });
});
