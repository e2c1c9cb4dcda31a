/**
 * The end of a client that speaks `channel.k8s.io` over WebSocket: the first byte of each message says which
 * stream it belongs to. Bytes are given on as they come, long before their message is whole.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';
import type { UpgradedClient } from '../../actors/request/answer.ts';
import { GatheredWrites, writeMessage } from './gathered-writes.ts';
import { tookHandshake } from './message-bytes.ts';
import { readBytes } from '../inbound/reused-reads.ts';
import {
  closeFrame,
  messageHead,
  pongFrame,
  type WebSocketEvent,
  WebSocketReader,
} from './web-socket-frames.ts';

/** What a client offers that wants a command's streams with an end of their input. */
export const COMMAND_PROTOCOL = 'v5.channel.k8s.io';

/** What becomes of a client. */
export interface ChannelListener {
  readonly clock: Clock;
  /** @param channel of which stream. */
  received(channel: number, bytes: Buffer): void;
  /** The client takes more. */
  drained(): void;
  /** Called once: the connection has ended. */
  gone(): void;
}

const NORMAL_CLOSURE = 1_000;
const PROTOCOL_ERROR = 1_002;
/** How long a client may need to take the last message and to say that it has. */
const CLOSING_MS = 30_000;

/** The channels of one client. Nothing is read of it before {@link resume}. */
export class ClientChannels {
  readonly #socket: Duplex;
  readonly #listener: ChannelListener;
  readonly #out: GatheredWrites;
  readonly #reader = new WebSocketReader();
  #isRead = false;
  #channel = 0;
  #isClosing = false;
  #isGone = false;
  #cancelClosing: () => void = () => undefined;

  private constructor({ socket, head }: UpgradedClient, listener: ChannelListener) {
    this.#socket = socket;
    this.#out = new GatheredWrites(socket);
    this.#listener = listener;
    socket.pause();
    if (head.length > 0) socket.unshift(head);
    socket.on('drain', () => {
      listener.drained();
    });
    socket.on('error', () => undefined);
    socket.once('end', () => {
      socket.destroy();
    });
    socket.once('close', () => {
      this.#cancelClosing();
      this.#isGone = true;
      listener.gone();
    });
  }

  /** Answers the handshake. @returns undefined: it is none, and is refused; nothing is told. */
  static open(client: UpgradedClient, listener: ChannelListener): ClientChannels | undefined {
    if (!tookHandshake(client, COMMAND_PROTOCOL)) return undefined;
    return new ClientChannels(client, listener);
  }

  /** Whether messages still reach the client. */
  get isOpen(): boolean {
    return !this.#isClosing && !this.#isGone;
  }

  /** One message. @returns whether the client takes more; without it, wait for `drained`. */
  send(channel: number, bytes: Buffer): boolean {
    if (!this.isOpen) return true;
    const head = messageHead(bytes.length + 1);
    this.#out.write(head, Buffer.from([channel]), bytes);
    this.#out.flush();
    return this.#out.hasRoom;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isRead) {
      this.#isRead = true;
      readBytes(this.#socket, (chunk) => {
        this.#read(chunk);
      });
    }
    this.#socket.resume();
  }

  /** Nothing is sent any more; what was, the client still takes, in its time. */
  close(code = NORMAL_CLOSURE): void {
    if (!this.isOpen) return;
    writeMessage(this.#socket, closeFrame(code));
    this.#isClosing = true;
    this.#cancelClosing = this.#listener.clock.after(CLOSING_MS, () => {
      this.#socket.destroy();
    });
    this.resume();
  }

  /** Leaves the client, whatever it does. */
  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    try {
      for (const event of this.#reader.read(chunk)) this.#receive(event);
    } catch {
      this.close(PROTOCOL_ERROR);
      this.#socket.end(() => this.#socket.destroy());
    }
  }

  #receive(event: WebSocketEvent): void {
    switch (event.kind) {
      case 'data':
        this.#take(event.bytes, event.isStart);
        return;
      case 'ping':
        if (this.isOpen && !this.#socket.writableNeedDrain)
          writeMessage(this.#socket, pongFrame(event.bytes));
        return;
      case 'close':
        this.close();
        this.#socket.end(() => this.#socket.destroy());
        return;
    }
  }

  #take(bytes: Buffer, isStart: boolean): void {
    if (isStart) this.#channel = bytes[0] ?? 0;
    const own = isStart ? bytes.subarray(1) : bytes;
    if (own.length > 0 && this.isOpen) this.#listener.received(this.#channel, own);
  }
}
