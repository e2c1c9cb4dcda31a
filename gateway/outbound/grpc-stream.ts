/**
 * One call by gRPC over a unix socket whose messages go both ways, on a connection of its own. What is not read
 * is held back by the windows of HTTP/2, and so is what the server does not take.
 *
 * The surprise: a status is behind the last message, in trailers, or in the place of all, in the head. What comes to
 * an end without one has broken off, whatever HTTP says.
 *
 * In gRPC: doc/PROTOCOL-HTTP2.md; in Go: grpc/internal/transport/http_util.go for what codes of HTTP stand for.
 */
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../api/meta/clock.ts';
import { ClientConnection } from '../http2/client/client-connection.ts';
import type { AnswerTaker, ClientStream } from '../http2/client/client-stream.ts';
import { ReceivedBytes } from '../inbound/received-bytes.ts';
import { grpcCodeName } from './grpc-codes.ts';

/** How a call came out; its code has Go's name, `OK` among them. */
export interface GrpcOutcome {
  /** `OK` or `DeadlineExceeded`; `Code(99)` where there is no name. */
  readonly code: string;
  /** What the server said of it, or what went wrong on the way. */
  readonly details: string;
}

/** Is told of what comes. */
export interface GrpcTaker {
  /** The server is there. */
  reached(): void;
  /** One has come. */
  message(bytes: Buffer): void;
  /** Nothing comes any more. Called once. */
  ended(outcome: GrpcOutcome): void;
}

export interface GrpcStreamParts {
  /** Of the socket; `@name` is one that lies in no folder. */
  readonly path: string;
  readonly clock: Clock;
  /** `/Service/Method` */
  readonly method: string;
  /** What may come before it is read. */
  readonly windowBytes: number;
  readonly taker: GrpcTaker;
}

const OK = 200;
const PREFIX_BYTES = 5;
/** As gRPC has it. */
const MESSAGE_BYTES_MAX = 4 * 1_024 * 1_024;
const HEADERS = ['content-type', 'application/grpc', 'te', 'trailers', 'user-agent', 'everwatch'];

export class GrpcStream implements AnswerTaker {
  readonly #taker: GrpcTaker;
  readonly #connection: ClientConnection;
  readonly #messages = new Messages();
  #stream: ClientStream | undefined;
  /** Written before the server was there. */
  #early: Buffer[] = [];
  #isEnded = false;
  #isOver = false;
  #isPaused = false;
  #whenDrained: (() => void) | undefined;
  #connectProblem: string | undefined;

  constructor({ path, clock, method, windowBytes, taker }: GrpcStreamParts) {
    this.#taker = taker;
    const socket: Socket = connect(path.startsWith('@') ? `\0${path.slice(1)}` : path);
    socket.once('error', ({ message }) => {
      this.#connectProblem = message;
    });
    this.#connection = new ClientConnection({
      ...{ socket, clock, windowBytes },
      ready: () => {
        taker.reached();
        this.#call(method);
      },
      gone: ({ message }) => {
        if (this.#stream === undefined) {
          this.#end('Unavailable', this.#connectProblem ?? message);
        }
      },
    });
  }

  /** @param written called when the server takes more. */
  write(message: Uint8Array, written?: () => void): void {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(message.length, 1);
    if (this.#isOver || this.#isEnded) {
      written?.();
      return;
    }
    if (this.#stream === undefined) this.#early.push(prefix, Buffer.from(message));
    else {
      this.#stream.write(prefix);
      if (!this.#stream.write(message)) {
        this.#whenDrained = written;
        return;
      }
    }
    written?.();
  }

  /** Nothing more is written. */
  end(): void {
    this.#isEnded = true;
    this.#stream?.end();
  }

  /** Nothing more is wanted, in either direction, and nothing more is told. */
  cancel(): void {
    this.#finish('context canceled');
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.more();
  }

  head(): void {
    this.more();
  }

  more(): void {
    const stream = this.#stream;
    // What breaks a message off, or ends the call for a message, is told from inside.
    while (stream !== undefined && !this.#isOver) {
      const message = this.#isPaused ? undefined : this.#messages.next();
      if (message !== undefined) this.#taker.message(message);
      else if (this.#messages.problem !== undefined) {
        this.#end('ResourceExhausted', this.#messages.problem);
      } else {
        const bytes = this.#isPaused ? undefined : stream.read();
        if (bytes === undefined) break;
        this.#messages.add(bytes);
      }
    }
    const isBehind = stream !== undefined && !this.#isPaused && stream.unreadBytes === 0;
    if (isBehind && !this.#isOver) this.#seeEnd(stream);
  }

  over(): void {
    this.more();
  }

  #call(path: string): void {
    this.#connection.reserve();
    const line = { method: 'POST', scheme: 'http', authority: 'localhost', path } as const;
    const stream = this.#connection.request({ line, headers: HEADERS, hasBody: true }, this);
    this.#stream = stream;
    stream.onDrain(() => {
      this.#drained();
    });
    for (const bytes of this.#early) stream.write(bytes);
    this.#early = [];
    if (this.#isEnded) stream.end();
  }

  #drained(): void {
    const written = this.#whenDrained;
    this.#whenDrained = undefined;
    written?.();
  }

  #seeEnd(stream: ClientStream): void {
    if (stream.isReceived) {
      const status =
        valueOf(stream.trailers, 'grpc-status') ?? valueOf(stream.headers, 'grpc-status');
      const details =
        valueOf(stream.trailers, 'grpc-message') ?? valueOf(stream.headers, 'grpc-message');
      if (status !== undefined) this.#end(codeOf(status), unescaped(details ?? ''));
      else if (stream.code === OK)
        this.#end('Internal', 'server closed the stream without sending trailers');
      else
        this.#end(
          'Unknown',
          `unexpected HTTP status code received from server: ${String(stream.code)}`,
        );
    } else if (stream.error !== undefined) {
      const { fate, message } = stream.error;
      if (fate === 'told') this.#end('Internal', message);
      else this.#end('Unavailable', `error reading from server: ${message}`);
    }
  }

  #end(code: string, details: string): void {
    if (this.#finish(details)) this.#taker.ended({ code, details });
  }

  /** @returns whether it was not over yet. */
  #finish(why: string): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    if (this.#stream === undefined) this.#connection.destroy();
    else {
      this.#stream.cancel(why);
      this.#connection.close();
    }
    this.#drained();
    return true;
  }
}

/** Cuts what comes into messages. Bytes are copied a few times at most, however small the pieces are. */
class Messages {
  /** Why there are no more. */
  problem: string | undefined;
  /** The beginning of what was received, looked at already. */
  #begun: Buffer = NONE;
  readonly #received = new ReceivedBytes();
  /** Of the message that has begun, with its prefix; undefined: its prefix is not whole. */
  #wanted: number | undefined;

  add(piece: Buffer): void {
    this.#received.add(piece);
  }

  /** undefined: there is none that is whole. */
  next(): Buffer | undefined {
    if (this.#wanted === undefined && this.#hasAtLeast(PREFIX_BYTES)) this.#readPrefix();
    const { problem } = this;
    const end = this.#wanted;
    if (problem !== undefined || end === undefined || !this.#hasAtLeast(end)) return undefined;
    const message = this.#begun.subarray(PREFIX_BYTES, end);
    this.#begun = this.#begun.subarray(end);
    this.#wanted = undefined;
    return message;
  }

  #readPrefix(): void {
    const length = this.#begun.readUInt32BE(1);
    this.#wanted = PREFIX_BYTES + length;
    if (this.#begun[0] !== 0) this.problem = 'a message is compressed';
    else if (length > MESSAGE_BYTES_MAX) {
      const sizes = `(${String(length)} vs. ${String(MESSAGE_BYTES_MAX)})`;
      this.problem = `received message larger than max ${sizes}`;
    }
  }

  /** Brings as many together, where they have come. */
  #hasAtLeast(bytes: number): boolean {
    const begun = this.#begun;
    if (begun.length >= bytes) return true;
    if (begun.length + this.#received.size < bytes) return false;
    const received = this.#received.take();
    this.#begun = begun.length === 0 ? received : Buffer.concat([begun, received]);
    return true;
  }
}

const NONE = Buffer.alloc(0);

function valueOf(headers: readonly string[], name: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at] === name) return headers[at + 1];
  }
  return undefined;
}

function codeOf(status: string): string {
  return /^\d{1,9}$/.test(status) ? grpcCodeName(Number(status)) : 'Unknown';
}

/** Bytes that no header can have are written as in a URL; what is not written so is as it is. */
function unescaped(text: string): string {
  const bytes = text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
