/** A proxy server of konnectivity for tests: real gRPC on a unix socket, whose packets the test answers. */
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { encodeWireMessage, WireMessage } from '../../../api/protobuf/wire-message.ts';
import { PROXY_METHOD } from './konnectivity-packets.ts';

/** One tunnel, from the proxy's side. */
export class GivenTunnel {
  readonly #stream: ServerDuplexStream<Buffer, Buffer>;

  constructor(stream: ServerDuplexStream<Buffer, Buffer>) {
    this.#stream = stream;
  }

  opened(random: number, connection: number): void {
    this.raw(encodeWireMessage({ 1: 1, 3: encodeWireMessage({ 2: connection, 3: random }) }));
  }

  refused(random: number, error: string): void {
    this.raw(encodeWireMessage({ 1: 1, 3: encodeWireMessage({ 1: error, 3: random }) }));
  }

  dialClosed(random: number): void {
    this.raw(encodeWireMessage({ 1: 5, 7: encodeWireMessage({ 1: random }) }));
  }

  data(connection: number, data: Uint8Array): boolean {
    return this.raw(encodeWireMessage({ 1: 4, 4: encodeWireMessage({ 1: connection, 3: data }) }));
  }

  closed(connection: number, error = ''): void {
    this.raw(encodeWireMessage({ 1: 3, 6: encodeWireMessage({ 1: error, 2: connection }) }));
  }

  raw(packet: Buffer): boolean {
    return this.#stream.write(packet);
  }

  onDrain(callback: () => void): void {
    this.#stream.once('drain', callback);
  }

  end(): void {
    this.#stream.end();
  }

  fail(code: number, details: string): void {
    this.#stream.emit('error', { code, details });
  }
}

/** What came: the type, and the message of that type. */
export interface GivenPacket {
  readonly type: number;
  readonly message: WireMessage;
}

/** In which field of a packet the message of a type lies. */
const FIELD_OF: Readonly<Record<number, number>> = { 0: 2, 2: 5, 4: 4, 5: 7 };

export type PacketHandler = (packet: GivenPacket, tunnel: GivenTunnel) => void;

/** Resolves when it listens. */
export async function givenKonnectivity(path: string, handle: PacketHandler): Promise<Server> {
  const server = new Server();
  const pass = (bytes: Buffer): Buffer => bytes;
  const codecs = { requestSerialize: pass, requestDeserialize: pass };
  const answers = { responseSerialize: pass, responseDeserialize: pass };
  const proxy = { path: PROXY_METHOD, requestStream: true, responseStream: true };
  server.addService(
    { proxy: { ...proxy, ...codecs, ...answers } },
    {
      proxy(stream: ServerDuplexStream<Buffer, Buffer>) {
        const tunnel = new GivenTunnel(stream);
        stream.on('error', () => undefined);
        stream.on('end', () => {
          stream.end();
        });
        stream.on('data', (bytes: Buffer) => {
          const packet = new WireMessage(bytes);
          const type = packet.number(1);
          handle({ type, message: new WireMessage(packet.bytes(FIELD_OF[type] ?? 0)) }, tunnel);
        });
      },
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
  return server;
}
