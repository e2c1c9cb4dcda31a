/**
 * A TCP load balancer before replicas: a new connection goes to the next of those that are ready, and
 * stays there. It asks each for /readyz, as the balancers do that stand before real ones.
 */
import { request } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const ASKED_EVERY_MS = 100;
const TIMEOUT_MS = 1_000;
/** A replica that is well says its first word of TLS sooner, also on a loaded machine. */
const SILENT_MS = 2_000;

/** A connection on which the replica said nothing for a while. Milliseconds are from its beginning on; undefined: never. */
export interface SilentConnection {
  /** When it came, as in `Date.now()`. */
  readonly at: number;
  readonly replica: string;
  connectedMs?: number;
  askedMs?: number;
  answeredMs?: number;
  closedMs?: number;
}

export class Balancer {
  /** Those that have ended, or have been answered at last; longer than two seconds. */
  readonly silent: SilentConnection[] = [];
  readonly #server: Server;
  readonly #targets: readonly URL[];
  readonly #ready = new Set<URL>();
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #next = 0;

  private constructor(targets: readonly string[]) {
    this.#targets = targets.map((url) => new URL(url));
    for (const target of this.#targets) this.#ready.add(target);
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      this.#passOn(socket);
    });
    this.#timer = setInterval(() => {
      for (const target of this.#targets) this.#ask(target);
    }, ASKED_EVERY_MS);
  }

  /** @param targets base URLs of replicas that are ready. */
  static async start(targets: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(targets);
    await new Promise<void>((resolve) => {
      balancer.#server.listen(0, '127.0.0.1', resolve);
    });
    return balancer;
  }

  /** Where clients connect to: TLS goes through to the replica. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `https://127.0.0.1:${String(port)}`;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #ask(target: URL): void {
    const asked = request(
      new URL('/readyz', target),
      { rejectUnauthorized: false, agent: false, timeout: TIMEOUT_MS },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 200) this.#ready.add(target);
        else this.#ready.delete(target);
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', () => this.#ready.delete(target));
    asked.end();
  }

  #passOn(socket: Socket): void {
    const ready = this.#targets.filter((target) => this.#ready.has(target));
    const target = ready[(this.#next += 1) % ready.length];
    if (target === undefined) {
      socket.destroy();
      return;
    }
    const onward = connect({ host: target.hostname, port: Number(target.port) });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
    this.#hear(socket, onward, target);
  }

  #hear(socket: Socket, onward: Socket, { host: replica }: URL): void {
    const one: SilentConnection = { at: Date.now(), replica };
    const passed = (): number => Date.now() - one.at;
    onward.once('connect', () => (one.connectedMs = passed()));
    socket.once('data', () => (one.askedMs = passed()));
    onward.once('data', () => {
      one.answeredMs = passed();
      if (one.answeredMs > SILENT_MS) this.silent.push(one);
    });
    onward.once('close', () => {
      one.closedMs = passed();
      if (one.answeredMs === undefined && one.closedMs > SILENT_MS) this.silent.push(one);
    });
  }
}
