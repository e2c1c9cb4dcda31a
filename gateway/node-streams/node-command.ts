/**
 * A command in a container, or the attachment to one, over SPDY/3.1 to its node: one stream for each of its
 * inputs and outputs, and one on which the node says how it ended. What a node sends waits in the connection
 * until it is taken, so that a slow client stops the node.
 *
 * In Kubernetes: streamProtocolV4, client-go/tools/remotecommand, and errorstream's decoder there.
 */
import type { Duplex } from 'node:stream';
import { isJsonObject, type JsonValue, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import { parseJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { internalError, type Status } from '../../api/meta/status.ts';
import type { StreamWish } from '../../actors/connect/node-connections.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { BROKEN_OFF } from './command-outcome.ts';
import { GatheredWrites } from './gathered-writes.ts';
import { QuietMoment } from './input-end.ts';
import { readBytes } from '../inbound/reused-reads.ts';
import {
  dataHead,
  pingFrame,
  refusedStream,
  type SpdyEvent,
  SpdyReader,
  SpdyWriter,
} from './spdy-frames.ts';

/** How a command ended, as Go writes it: without a kind, and without a code where it ran. */
export type CommandStatus = Pick<Status, 'status'> & Partial<Status>;

/** What becomes of a command. */
export interface CommandListener {
  readonly clock: Clock;
  /** Whether the node is behind a tunnel. */
  readonly isThroughTunnel: boolean;
  /** @returns false: more than enough waits to be taken; go on by {@link NodeCommand.resume}. */
  output(from: 'stdout' | 'stderr', bytes: Buffer): boolean;
  /** Called once: how it ended. Nothing comes behind it. */
  ended(status: CommandStatus): void;
}

type StreamType = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize';

/** Of what a node says about the end; it is a Status. */
const STATUS_BYTES_MAX = 256 * 1024;
const DATA_BYTES_MAX = 1024 * 1024;
const REPLIES_MAX = 1_000;
const PING_MS = 5_000;

/** The streams of one command. */
export class NodeCommand {
  readonly #socket: Duplex;
  readonly #out: GatheredWrites;
  readonly #listener: CommandListener;
  /** For the end of the input; undefined: that waits for nothing. */
  readonly #quiet: QuietMoment | undefined;
  readonly #reader = new SpdyReader();
  readonly #ids = new Map<StreamType, number>();
  /** Streams of the node's that have not ended. */
  readonly #open = new Set<number>();
  #said: Buffer[] = [];
  #saidBytes = 0;
  #pings = 1;
  #cancelPing: () => void = () => undefined;
  /** Answers that the node has not taken yet. */
  #replies = 0;
  #hasEnded = false;

  /** @param socket speaks SPDY from here on. */
  constructor(socket: Duplex, listener: CommandListener) {
    this.#socket = socket;
    this.#out = new GatheredWrites(socket);
    this.#listener = listener;
    this.#quiet = listener.isThroughTunnel ? new QuietMoment(listener.clock) : undefined;
  }

  /** Opens the streams. @param head what the node has sent already. */
  start(wish: StreamWish, head: Buffer): void {
    const writer = new SpdyWriter();
    for (const type of streamsOf(wish)) {
      const id = this.#ids.size * 2 + 1;
      this.#ids.set(type, id);
      this.#socket.write(writer.synStream(id, { streamtype: type }));
      if (type === 'stdin' || type === 'resize') continue;
      this.#open.add(id);
      // There is nothing to be said on these.
      this.#socket.write(dataHead(id, 0, true));
    }
    this.#socket.once('close', () => {
      this.#readRest();
      this.#breakOff();
    });
    this.#socket.once('end', () => {
      this.#breakOff();
    });
    this.#socket.on('error', () => undefined);
    this.#pingLater();
    if (head.length > 0) this.#read(head);
    readBytes(this.#socket, (chunk) => {
      this.#read(chunk);
    });
    if (this.#socket.destroyed) this.#breakOff();
  }

  /** What came of a connection before it was reset is still there. */
  #readRest(): void {
    const next = (): Buffer | null => this.#socket.read() as Buffer | null; // It has no encoding.
    for (let chunk = next(); chunk !== null; chunk = next()) this.#read(chunk);
  }

  /** What lies between here and the node ends connections over which nothing passes. */
  #pingLater(): void {
    this.#cancelPing = this.#listener.clock.after(PING_MS, () => {
      if (!this.#socket.writableNeedDrain) this.#out.write(pingFrame(this.#pings));
      this.#pings += 2;
      this.#pingLater();
    });
  }

  /** @returns false: the node is slow; wait for {@link onDrain}. */
  input(type: 'stdin' | 'resize', bytes: Buffer): boolean {
    const id = this.#ids.get(type);
    if (id === undefined || this.#hasEnded) return true;
    let isFree = true;
    for (let at = 0; at < bytes.length; at += DATA_BYTES_MAX) {
      const part = bytes.subarray(at, at + DATA_BYTES_MAX);
      isFree = this.#out.write(dataHead(id, part.length, false), part);
    }
    return isFree;
  }

  endInput(): void {
    const id = this.#ids.get('stdin');
    if (id === undefined || this.#hasEnded) return;
    this.#ids.delete('stdin');
    const end = (): void => {
      if (!this.#hasEnded) this.#out.write(dataHead(id, 0, true));
    };
    if (this.#quiet === undefined) end();
    else this.#quiet.await(end);
  }

  /** Calls back each time that the node takes more. */
  onDrain(callback: () => void): void {
    this.#socket.on('drain', callback);
  }

  /** The listener takes more. */
  resume(): void {
    this.#socket.resume();
  }

  /** Ends the command, which has failed, and leaves the node. */
  fail(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopTimers();
    this.#listener.ended(internalError(error));
    this.#socket.destroy();
  }

  #stopTimers(): void {
    this.#cancelPing();
    this.#quiet?.drop();
  }

  /** Leaves the node, whatever it does. */
  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#hasEnded) return;
    this.#quiet?.heard();
    try {
      for (const event of this.#reader.read(chunk)) this.#receive(event);
    } catch (error) {
      this.fail(error);
    }
  }

  #receive(event: SpdyEvent): void {
    switch (event.kind) {
      case 'data':
        this.#take(event.stream, event.bytes);
        if (event.isLast) this.#close(event.stream);
        return;
      case 'opened':
        if (event.isLast) this.#close(event.stream);
        return;
      case 'reset':
        this.#close(event.stream);
        return;
      case 'offered':
        this.#reply(refusedStream(event.stream));
        return;
      case 'ping':
        // Ours have odd numbers.
        if (event.id % 2 === 0) this.#reply(pingFrame(event.id));
        return;
      case 'goaway':
        return;
    }
  }

  /** @throws where the node asks and asks, and takes no answer. */
  #reply(frame: Buffer): void {
    if (this.#replies >= REPLIES_MAX) throw new Error('the node takes no answers');
    this.#replies += 1;
    this.#out.flush();
    this.#socket.write(frame, () => {
      this.#replies -= 1;
    });
  }

  #take(stream: number, bytes: Buffer): void {
    if (bytes.length === 0 || !this.#open.has(stream)) return;
    if (stream === this.#ids.get('error')) {
      this.#saidBytes += bytes.length;
      if (this.#saidBytes > STATUS_BYTES_MAX)
        throw new Error('the status of the command is too long');
      this.#said.push(Buffer.from(bytes));
      return;
    }
    const from = stream === this.#ids.get('stdout') ? 'stdout' : 'stderr';
    if (!this.#listener.output(from, bytes)) this.#socket.pause();
  }

  #close(stream: number): void {
    this.#open.delete(stream);
    if (this.#open.size === 0) this.#finish();
  }

  /** The connection has ended, and with it the command, whatever it has said of its end. */
  #breakOff(): void {
    const isTold = this.#said.length > 0 || !this.#open.has(this.#ids.get('error') ?? 0);
    if (isTold) this.#finish();
    else this.fail(new Error(BROKEN_OFF));
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopTimers();
    this.#listener.ended(statusOf(Buffer.concat(this.#said)));
    this.#said = [];
    this.#socket.destroy();
  }
}

function streamsOf({ stdin, stdout, stderr, tty }: StreamWish): readonly StreamType[] {
  return [
    'error',
    ...(stdin ? (['stdin'] as const) : []),
    ...(stdout ? (['stdout'] as const) : []),
    ...(stderr && !tty ? (['stderr'] as const) : []),
    ...(tty ? (['resize'] as const) : []),
  ];
}

const SUCCESS: CommandStatus = { metadata: {}, status: 'Success' };

/** What a client is told of how it ended. */
function statusOf(said: Buffer): CommandStatus {
  if (said.length === 0) return SUCCESS;
  const found = parsed(said);
  if (!isJsonObject(found)) return internalError('error stream protocol error: unknown error');
  if (found['status'] === 'Success') return SUCCESS;
  if (found['status'] !== 'Failure') {
    return internalError('error stream protocol error: unknown error');
  }
  if (found['reason'] !== 'NonZeroExitCode') return internalError(stringAt(found, 'message'));
  const causes = listAt(objectAt(found, 'details'), 'causes').filter(isJsonObject);
  const code = causes.find((cause) => cause['reason'] === 'ExitCode')?.['message'];
  if (typeof code !== 'string') {
    return internalError('error stream protocol error: no ExitCode cause given');
  }
  if (!/^\d{1,3}$/.test(code) || Number(code) > 255) {
    const why = `error stream protocol error: invalid exit code value ${goQuote(code)}`;
    return internalError(why);
  }
  return exited(code);
}

function parsed(said: Buffer): JsonValue | undefined {
  try {
    return parseJson(said.toString());
  } catch {
    return undefined;
  }
}

function exited(code: string): CommandStatus {
  const why = `command terminated with non-zero exit code: command terminated with exit code ${code}`;
  return {
    metadata: {},
    status: 'Failure',
    message: why,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: code }] },
  };
}
