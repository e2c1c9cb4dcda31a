/** A live connection as it is: messages as they come, and nothing done for the test. */
import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';

import { SERVER_MESSAGES } from '../../api/live/live-messages.ts';
import { problemOf } from '../../api/live/message-schema.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, parseJson } from '../support/json.ts';
import { type ClusterAccess, readKubeconfig } from '../support/kubeconfig.ts';

export interface LiveMessage extends JsonObject {
  type: string;
  id: string;
  revision: string;
  events: { type: string; object: JsonObject }[];
  reset: boolean;
  initial: boolean;
}

export interface LiveOptions {
  /** Of a user beside the administrator; '': it is not in a header. */
  readonly token?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly protocols?: string[];
}

export const PROTOCOL = 'everwatch.watch.v1';

export class LiveSocket {
  readonly messages: LiveMessage[] = [];
  /** Resolves to the close code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  /** Of messages that are not as docs/live.schema.json has them. */
  readonly #problems: string[] = [];
  #heard: (message: LiveMessage) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data) => {
      // Data is one Buffer as long as binaryType stays 'nodebuffer'.
      const message = parseJson((data as Buffer).toString()) as JsonObject;
      const problem = problemOfMessage(message);
      if (problem !== undefined) this.#problems.push(problem);
      // By docs/live.md; of a message without events it is said that it has none.
      const whole = { events: [], ...message } as unknown as LiveMessage;
      this.messages.push(whole);
      this.#heard(whole);
    });
    socket.on('error', () => undefined);
  }

  /** @throws when the server refuses the handshake. */
  static async open(
    server: { kubeconfig: string },
    options: LiveOptions = {},
  ): Promise<LiveSocket> {
    const access: ClusterAccess = readKubeconfig(server.kubeconfig);
    const { token, headers = {}, protocols = [PROTOCOL] } = options;
    const url = `${access.url.replace(/^https/, 'wss')}/everwatch/v1/live`;
    const { ca, cert, key } = access;
    const isAdmin = token === undefined;
    const socket = new WebSocket(url, protocols, {
      ...{ ca, ...(isAdmin ? { cert, key } : {}) },
      headers: {
        ...headers,
        ...(isAdmin || token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    const live = new LiveSocket(socket);
    await once(socket, 'open');
    return live;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Hears each message from now on. */
  onMessage(listener: (message: LiveMessage) => void): void {
    this.#heard = listener;
  }

  send(message: JsonObject): void {
    this.#socket.send(JSON.stringify(message));
  }

  sendText(text: string | Buffer): void {
    this.#socket.send(text);
  }

  /** Reads nothing from the wire. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Waits for a message that fits, old or new. */
  until(what: string, fits: (message: LiveMessage) => boolean): Promise<LiveMessage> {
    const wanted = () => `${what}; received ${this.messages.map(shortly).slice(-20).join(' ')}`;
    return eventually(wanted, () => this.messages.find(fits));
  }

  of(id: string, type?: string): LiveMessage[] {
    return this.messages.filter((one) => one.id === id && (type ?? one.type) === one.type);
  }

  untilCaughtUp(id: string): Promise<LiveMessage> {
    return this.until(`caughtUp of ${id}`, (one) => one.type === 'caughtUp' && one.id === id);
  }

  /** `ADDED a`, of all events of a subscription. */
  eventsOf(id: string): string[] {
    return this.of(id, 'next').flatMap(({ events }) => events.map(eventText));
  }

  /** @throws when a message was not as docs/live.schema.json has it. */
  close(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join('; '));
    this.#socket.close();
  }

  /** As a client that is gone without a word. */
  terminate(): void {
    this.#socket.terminate();
  }
}

/** What is wrong with a message of the server, by the schema that docs/live.schema.json is written from. */
export function problemOfMessage(message: JsonObject): string | undefined {
  const type = message['type'];
  if (typeof type !== 'string' || !Object.hasOwn(SERVER_MESSAGES, type)) {
    return `there is no type ${JSON.stringify(type)}`;
  }
  return problemOf(SERVER_MESSAGES[type as keyof typeof SERVER_MESSAGES], message, type);
}

export function eventText({ type, object }: { type: string; object: JsonObject }): string {
  const { name = '' } = object['metadata'] as { name?: string };
  return `${type} ${name}`;
}

function shortly({ type, id, revision }: LiveMessage): string {
  return [type, id, revision].filter((one) => (one as unknown) !== undefined).join(':');
}
