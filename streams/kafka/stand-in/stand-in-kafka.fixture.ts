/**
 * Brokers that stand in for Kafka's where tests judge what the engine makes of their answers: they
 * speak the protocol over sockets, keep topics in memory, and err when a test wants them to. What
 * real brokers answer is known from the tests in e2e/kafka only.
 */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { bytes, int32, RequestBytes } from './kafka-wire.fixture.ts';
import {
  ANSWERS,
  REQUESTS,
  type Asked,
  type Cluster,
  type Request,
} from './stand-in-answers.fixture.ts';
import type { StandInTopic } from './stand-in-topic.fixture.ts';

/**
 * What becomes of a request instead of its answer: the number of an error; no answer at all, be
 * the request done or not; or the end of the connection.
 */
export type Fault = number | 'swallow' | 'cut' | 'do and swallow' | 'do and cut';

export class StandInKafka implements Cluster {
  readonly topics = new Map<string, StandInTopic>();
  readonly asked: Asked[] = [];
  /** Why connections were cut that sent something that no broker understands. */
  readonly misfits: unknown[] = [];
  leader = 0;
  ports: readonly number[] = [];
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #refusing = new Set<number>();
  #faults: { readonly request: Request; readonly fault: Fault; left: number }[] = [];

  static async start(brokers = 1): Promise<StandInKafka> {
    const kafka = new StandInKafka();
    for (let broker = 0; broker < brokers; broker += 1) {
      const server = createServer((socket) => {
        kafka.#serve(socket, broker);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      kafka.#servers.push(server);
      // A server that listens on TCP has an address of this kind.
      kafka.ports = [...kafka.ports, (server.address() as AddressInfo).port];
    }
    return kafka;
  }

  get brokers(): string[] {
    return this.ports.map((port) => `127.0.0.1:${String(port)}`);
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#sockets.size;
  }

  topic(name: string): StandInTopic {
    const topic = this.topics.get(name);
    if (topic === undefined) throw new Error(`There is no topic ${name}.`);
    return topic;
  }

  readonly note = (asked: Asked): void => {
    this.asked.push(asked);
  };

  /** The next so many requests of this kind go wrong. */
  fail(request: Request, fault: Fault, times = 1): void {
    this.#faults.push({ request, fault, left: times });
  }

  /** How many of them have not come yet. */
  get faultsLeft(): number {
    return this.#faults.reduce((sum, { left }) => sum + left, 0);
  }

  /** From now on the broker ends each connection that is made to it. */
  refuse(broker: number): void {
    this.#refusing.add(broker);
  }

  heal(): void {
    this.#faults = [];
    this.#refusing.clear();
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cutAll();
    for (const server of this.#servers) await new Promise((resolve) => server.close(resolve));
  }

  #serve(socket: Socket, broker: number): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // A client that lets go of its connection may do so while something is on its way to it.
    socket.on('error', () => undefined);
    if (this.#refusing.has(broker)) socket.destroy();
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let size = frameSize(received); size <= received.length; size = frameSize(received)) {
        const frame = received.subarray(4, size);
        received = received.subarray(size);
        this.#answer(socket, broker, frame).catch((error: unknown) => {
          this.misfits.push(error);
          socket.destroy();
        });
      }
    });
  }

  async #answer(socket: Socket, broker: number, frame: Buffer): Promise<void> {
    const body = new RequestBytes(frame);
    const [key, version, correlation] = [body.int16(), body.int16(), body.int32()];
    body.string();
    const [request, spoken] = REQUESTS.get(key) ?? [];
    if (request === undefined || version !== spoken) {
      throw new Error(`version ${String(version)} of request ${String(key)}`);
    }
    const fault = this.#faultOf(request);
    if (fault === 'swallow') return;
    if (fault === 'cut') {
      socket.destroy();
      return;
    }
    const error = typeof fault === 'number' ? fault : 0;
    const answer = await ANSWERS[request](body, { cluster: this, broker, error });
    if (fault === 'do and swallow') return;
    if (fault === 'do and cut') socket.destroy();
    else socket.write(bytes(Buffer.concat([int32(correlation), answer])));
  }

  #faultOf(request: Request): Fault | undefined {
    const found = this.#faults.find((each) => each.request === request && each.left > 0);
    if (found !== undefined) found.left -= 1;
    return found?.fault;
  }
}

/** With the number in front of it. */
function frameSize(received: Buffer): number {
  return received.length < 4 ? Infinity : 4 + received.readInt32BE();
}
