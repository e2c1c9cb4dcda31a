import { once } from 'node:events';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ClientHello } from './client-hello.ts';

const HOST = '127.0.0.1';

/** What Node says first as a client of TLS. */
async function helloFor(servername: string): Promise<Buffer> {
  const server = createServer();
  await once(server.listen(0, HOST), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ socket: connectTcp(port, HOST), servername });
  client.on('error', () => undefined);
  const [socket] = await accepted;
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}

function heard(...pieces: readonly Buffer[]): ClientHello {
  const hello = new ClientHello();
  for (const piece of pieces) hello.add(piece);
  return hello;
}

/** The message in records of that many bytes. */
function inRecords(hello: Buffer, bytes: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += bytes) {
    const part = message.subarray(at, at + bytes);
    const header = Buffer.from(hello.subarray(0, 5));
    header.writeUInt16BE(part.length, 3);
    records.push(header, part);
  }
  return Buffer.concat(records);
}

const named = await helloFor('foo.example.io');
const unnamed = await helloFor('');

it('tells the name of the server that the client asks for', () => {
  expect(heard(named)).toMatchObject({ isComplete: true, serverName: 'foo.example.io' });
  expect(heard(unnamed)).toMatchObject({ isComplete: true, serverName: '' });
});

it('is complete with its last byte, whatever the pieces and the records', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 600 }),
      (sizes, perRecord) => {
        const whole = inRecords(named, perRecord);
        const hello = new ClientHello();
        let at = 0;
        for (const size of sizes) {
          if (at + size >= whole.length) break;
          hello.add(whole.subarray(at, at + size));
          at += size;
          expect(hello.isComplete).toBe(false);
        }
        hello.add(whole.subarray(at, -1));
        expect(hello.isComplete).toBe(false);
        hello.add(whole.subarray(-1));
        expect(hello).toMatchObject({ isComplete: true, serverName: 'foo.example.io' });
      },
    ),
  );
});

it('keeps no small piece, each of which would hold more than its bytes', () => {
  const hello = new ClientHello();
  for (const byte of named) {
    const piece = Buffer.of(byte);
    hello.add(piece);
    piece.fill(0);
  }
  expect(hello).toMatchObject({ isComplete: true, serverName: 'foo.example.io' });
});

it('has no name where it is broken, whichever byte is another', () => {
  fc.assert(
    fc.property(fc.nat(named.length - 1), fc.integer({ min: 1, max: 255 }), (at, other) => {
      const broken = Buffer.from(named);
      broken.writeUInt8(broken.readUInt8(at) ^ other, at);
      const { isComplete, serverName } = heard(broken);
      // Waits where a length says that more is to come, and is never more than what was sent.
      if (!isComplete) expect(serverName).toBe('');
      expect(broken.includes(Buffer.from(serverName, 'latin1'))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  for (let end = 0; end < named.length; end += 1) {
    expect(heard(named.subarray(0, end))).toMatchObject({ isComplete: false, serverName: '' });
  }
});

it('is not waited for where it is none, or too long', () => {
  const alert = Buffer.of(0x15, 3, 1, 0, 2, 2, 40);
  const other = Buffer.of(22, 3, 1, 0, 4, 2, 0, 0, 0);
  const long = Buffer.of(22, 3, 1, 0, 4, 1, 1, 0, 0);
  const longRecord = Buffer.of(22, 3, 1, 0x41, 0);
  for (const bytes of [alert, other, long, longRecord]) {
    expect(heard(bytes)).toMatchObject({ isComplete: true, serverName: '' });
  }
  const empty = Buffer.of(22, 3, 1, 0, 0);
  const hello = new ClientHello();
  for (let count = 0; count * empty.length <= 2 * 65_536; count += 1) {
    expect(hello.isComplete).toBe(false);
    hello.add(empty);
  }
  expect(hello).toMatchObject({ isComplete: true, serverName: '' });
});
