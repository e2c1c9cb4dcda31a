/** A server that says what it hears, and a client of it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/** Listens on a port of the loopback. */
export async function startEcho(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port }; // It listens on TCP.
}

/** What comes back of a text. */
export function echoedAt(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: string[] = [];
    let length = 0;
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk);
      length += chunk.length;
      // KWOK does not pass on that nothing follows.
      if (length >= text.length) socket.destroy();
    });
    socket.on('close', () => {
      resolve(chunks.join(''));
    });
    socket.on('error', reject);
    socket.write(text);
  });
}
