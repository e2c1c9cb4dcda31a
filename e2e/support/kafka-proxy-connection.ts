/**
 * One connection through a `KafkaProxy`. A broker answers the requests of a connection in their
 * order, so the n-th response belongs to the n-th request that is answered at all.
 */
import { connect, type Socket } from 'node:net';

import {
  FrameSplitter,
  isAnswered,
  isListOffsets,
  isProduce,
  ofNewLeader,
} from './kafka-frames.ts';

/** What has come by since the proxy is there. */
export interface ProxyCounts {
  connections: number;
  refused: number;
  requests: number;
  /** As clients sent them; a repeated one counts once. */
  produces: number;
  lostRequests: number;
  lostResponses: number;
  repeated: number;
}

/** What is to become of a Produce request. */
export type ProduceFate =
  | { readonly lost: 'request' | 'response'; readonly how: 'cut' | 'swallow' }
  | { readonly repeated: true };

export interface ProxyFaults {
  readonly counts: ProxyCounts;
  /** Of the Produce request that has just come; undefined lets it pass. */
  nextFate(): ProduceFate | undefined;
  /** Whether the broker is to look like a new leader to the ListOffsets request that has just come. */
  looksNew(): boolean;
  delayMs(): number;
  ended(): void;
}

/** What becomes of the response to a request that was passed on. */
type ResponseFate = 'pass' | 'new-leader' | 'cut' | 'swallow' | 'second';

interface DueResponse {
  readonly bytes: Buffer;
  readonly dueMs: number;
}

export class KafkaProxyConnection {
  readonly #client: Socket;
  readonly #broker: Socket;
  readonly #faults: ProxyFaults;
  readonly #awaited: ResponseFate[] = [];
  /** Responses that are held back, in their order. */
  #due: DueResponse[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isSilent = false;

  constructor(client: Socket, target: { host: string; port: number }, faults: ProxyFaults) {
    this.#client = client;
    this.#faults = faults;
    this.#broker = connect(target);
    const requests = new FrameSplitter();
    const responses = new FrameSplitter();
    client.on('data', (chunk) => {
      for (const request of requests.push(chunk)) this.#request(request);
    });
    this.#broker.on('data', (chunk) => {
      for (const response of responses.push(chunk)) this.#response(response);
    });
    for (const socket of [client, this.#broker]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined); // 'close' follows.
      socket.on('close', () => {
        this.cut();
      });
    }
  }

  cut(): void {
    clearTimeout(this.#timer);
    this.#due = [];
    this.#client.destroy();
    this.#broker.destroy();
    this.#faults.ended();
  }

  silence(isSilent: boolean): void {
    this.#isSilent = isSilent;
    for (const socket of [this.#client, this.#broker]) {
      if (isSilent) socket.pause();
      else socket.resume();
    }
    if (!isSilent) this.#deliver();
  }

  #request(request: Buffer): void {
    if (this.#client.destroyed) return;
    const { counts } = this.#faults;
    counts.requests += 1;
    if (!isProduce(request)) {
      const looksNew = isListOffsets(request) && this.#faults.looksNew();
      this.#pass(request, looksNew ? 'new-leader' : 'pass');
      return;
    }
    counts.produces += 1;
    const fate = this.#faults.nextFate();
    if (fate === undefined) {
      this.#pass(request, 'pass');
    } else if ('repeated' in fate) {
      counts.repeated += 1;
      this.#pass(request, 'pass');
      this.#pass(request, 'second');
    } else if (fate.lost === 'response') {
      this.#pass(request, fate.how);
    } else {
      counts.lostRequests += 1;
      if (fate.how === 'cut') this.cut();
    }
  }

  #pass(request: Buffer, fate: ResponseFate): void {
    if (isAnswered(request)) this.#awaited.push(fate);
    this.#broker.write(request);
  }

  #response(response: Buffer): void {
    if (this.#client.destroyed) return;
    const fate = this.#awaited.shift() ?? 'pass';
    if (fate === 'pass' || fate === 'new-leader') {
      // Behind one that is still held back, even if the delay is shorter by now.
      const after = this.#due.at(-1)?.dueMs ?? 0;
      const dueMs = Math.max(after, Date.now() + this.#faults.delayMs());
      this.#due.push({ bytes: fate === 'pass' ? response : ofNewLeader(response), dueMs });
      this.#deliver();
    } else if (fate !== 'second') {
      this.#faults.counts.lostResponses += 1;
      if (fate === 'cut') this.cut();
    }
  }

  #deliver(): void {
    clearTimeout(this.#timer);
    if (this.#isSilent) return;
    const now = Date.now();
    for (let next = this.#due[0]; next !== undefined && next.dueMs <= now; next = this.#due[0]) {
      this.#client.write(next.bytes);
      this.#due.shift();
    }
    const [next] = this.#due;
    if (next === undefined) return;
    this.#timer = setTimeout(() => {
      this.#deliver();
    }, next.dueMs - now);
  }
}
