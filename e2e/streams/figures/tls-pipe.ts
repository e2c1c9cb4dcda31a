/**
 * A process that does what no server can do without: it takes what comes over one TLS connection and sends it
 * over another, by `pipe`. Its parent tells where to, and is told the port and the processor time.
 */
import { connect, createServer } from 'node:tls';

/** What the parent sends. */
export interface PipeWish {
  readonly cert: string;
  readonly key: string;
  /** Of the loopback. */
  readonly to: number;
}

process.once('message', ({ cert, key, to }: PipeWish) => {
  const server = createServer({ cert, key }, (near) => {
    const before = process.cpuUsage();
    const far = connect({ host: '127.0.0.1', port: to, rejectUnauthorized: false });
    far.once('secureConnect', () => near.pipe(far));
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
