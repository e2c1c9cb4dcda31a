/** A client that goes on where it was, on whichever server is there, and keeps what it was told. */
import type { JsonObject } from '../support/json.ts';
import { eventText, LiveSocket, type LiveMessage } from './live-socket.ts';

const PAUSE_MS = 20;

export class ResumingClient {
  /** `REVISION TYPE NAME` of each event, in the order in which they came. */
  readonly told: string[] = [];
  /** From when the connection was lost until the next was caught up, in milliseconds. */
  readonly gaps: number[] = [];
  readonly #servers: readonly { kubeconfig: string }[];
  readonly #path: string;
  #socket: LiveSocket | undefined;
  #place: string;
  #isStopped = false;
  #attempts = 0;
  readonly ended: Promise<void>;

  /** @param place from where it begins. */
  constructor(servers: readonly { kubeconfig: string }[], path: string, place: string) {
    this.#servers = servers;
    this.#path = path;
    this.#place = place;
    this.ended = this.#run();
  }

  /** The newest place to go on from. */
  get place(): string {
    return this.#place;
  }

  /** Which of the servers it is connected with. */
  get at(): number {
    return (this.#attempts - 1) % this.#servers.length;
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#socket?.close();
    return this.ended;
  }

  async #run(): Promise<void> {
    let lostAt: number | undefined;
    while (!this.#isStopped) {
      const server = this.#servers[this.#attempts % this.#servers.length];
      this.#attempts += 1;
      const socket = server === undefined ? undefined : await openedOr(server);
      if (socket === undefined) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        continue;
      }
      this.#socket = socket;
      const since = lostAt;
      socket.onMessage((message) => {
        this.#take(message);
        if (message.type !== 'caughtUp' || since === undefined || lostAt === undefined) return;
        this.gaps.push(performance.now() - since);
        lostAt = undefined;
      });
      socket.send({ type: 'subscribe', id: 's', path: this.#path, from: this.#place });
      await socket.closed;
      lostAt = performance.now();
    }
  }

  #take({ type, revision, events }: LiveMessage): void {
    if (type === 'error') throw new Error('the subscription has ended with an error');
    for (const event of events) this.told.push(`${versionOf(event.object)} ${eventText(event)}`);
    if (type === 'next' || type === 'caughtUp') this.#place = revision;
  }
}

function versionOf(object: JsonObject): string {
  const { resourceVersion = '' } = object['metadata'] as { resourceVersion?: string };
  return resourceVersion;
}

async function openedOr(server: { kubeconfig: string }): Promise<LiveSocket | undefined> {
  try {
    return await LiveSocket.open(server);
  } catch {
    return undefined; // It is not there; the client tries the next.
  }
}
