/**
 * A command over `v5.channel.k8s.io` whose node speaks SPDY: one is turned into the other.
 *
 * The surprise: the WebSocket is opened before the node is called, so whatever goes wrong there is told on
 * the channel of errors, and not as an HTTP answer.
 *
 * In Kubernetes: StreamTranslatorHandler, apiserver/pkg/util/proxy.
 */
import { isJsonObject } from '../../api/json/json.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { internalError, type Status } from '../../api/meta/status.ts';
import type { StreamWish } from '../../actors/connect/node-connections.ts';
import type { UpgradedClient } from '../../actors/request/answer.ts';
import { ClientChannels } from './client-channels.ts';
import { NodeCommand, type CommandStatus } from './node-command.ts';
import type { Upgraded } from './upgraded-connection.ts';
import { textOf } from './plain-proxy.ts';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
const CLOSE = 255;

const EMPTY = Buffer.alloc(0);

/** How a command reaches its node, and what becomes of it. */
export interface CommandParts {
  readonly clock: Clock;
  /** Whether the node is behind a tunnel. */
  readonly isThroughTunnel: boolean;
  /** Calls the node, once. */
  readonly call: () => Promise<Upgraded | Status>;
  /** Called once. @param code as an answer would have it. */
  readonly ended: (code: number) => void;
}

/**
 * Opens the WebSocket of a command, then calls the node, and joins the two.
 *
 * @returns ends both; the client is told why.
 */
export function openCommand(
  client: UpgradedClient,
  wish: StreamWish,
  parts: CommandParts,
): (why: string) => void {
  const command = new TranslatedCommand({ ...parts, wish });
  const channels = ClientChannels.open(client, command);
  if (channels === undefined) parts.ended(BAD_REQUEST);
  else command.run(channels);
  return (why) => {
    command.stop(why);
  };
}

const BAD_REQUEST = 400;
const OK = 200;
/** Over which nothing has passed for so long is ended. */
const IDLE_MS = 4 * 60 * 60 * 1_000;

class TranslatedCommand {
  readonly clock: Clock;
  readonly #parts: CommandParts & { readonly wish: StreamWish };
  #channels: ClientChannels | undefined;
  #command: NodeCommand | undefined;
  #passedAt: number;
  #cancelIdle: () => void = () => undefined;
  #hasEnded = false;

  constructor(parts: CommandParts & { readonly wish: StreamWish }) {
    this.clock = parts.clock;
    this.#parts = parts;
    this.#passedAt = parts.clock.now();
  }

  run(channels: ClientChannels): void {
    this.#channels = channels;
    const { wish, call } = this.#parts;
    const { stdout, stderr } = wish;
    this.#endWhenIdle(IDLE_MS);
    this.#send(stdout ? STDOUT : stderr ? STDERR : ERROR, EMPTY);
    call()
      .then((called) => this.#begin(channels, called))
      .catch((error: unknown) => {
        this.#end(internalError(error));
      });
  }

  received(channel: number, bytes: Buffer): void {
    this.#passedAt = this.clock.now();
    let isFree = true;
    if (channel === STDIN) isFree = this.#command?.input('stdin', bytes) ?? true;
    else if (channel === RESIZE) isFree = this.#command?.input('resize', bytes) ?? true;
    else if (channel === CLOSE && bytes[0] === STDIN) this.#command?.endInput();
    if (!isFree) this.#channels?.pause();
  }

  drained(): void {
    this.#command?.resume();
  }

  gone(): void {
    this.#cancelIdle();
    this.#command?.destroy();
  }

  /** The server stops, wherever the command is. */
  stop(why: string): void {
    const error = new Error(why);
    if (this.#command === undefined) this.#end(internalError(error));
    else this.#command.fail(error);
  }

  async #begin(channels: ClientChannels, called: Upgraded | Status): Promise<void> {
    if (called.kind !== 'upgraded') {
      this.#end(await statusOfRefusal(called));
      return;
    }
    const { socket, head } = called.backend;
    if (!channels.isOpen) {
      socket.destroy();
      return;
    }
    const command = new NodeCommand(socket, {
      clock: this.clock,
      isThroughTunnel: this.#parts.isThroughTunnel,
      output: (from, bytes) => this.#send(from === 'stdout' ? STDOUT : STDERR, bytes),
      ended: (status) => {
        this.#end(status);
      },
    });
    this.#command = command;
    command.onDrain(() => {
      channels.resume();
    });
    command.start(this.#parts.wish, head);
    channels.resume();
  }

  #endWhenIdle(afterMs: number): void {
    this.#cancelIdle = this.clock.after(afterMs, () => {
      const leftMs = this.#passedAt + IDLE_MS - this.clock.now();
      if (leftMs > 0) this.#endWhenIdle(leftMs);
      else this.#channels?.destroy();
    });
  }

  /** @returns whether the client takes more. */
  #send(channel: number, bytes: Buffer): boolean {
    this.#passedAt = this.clock.now();
    return this.#channels?.send(channel, bytes) ?? true;
  }

  #end(status: CommandStatus): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#parts.ended(status.code ?? OK);
    this.#send(ERROR, Buffer.from(formatJson(status)));
    this.#channels?.close();
  }
}

/** What the channel of errors tells of a node that has not come along. */
async function statusOfRefusal(
  called: Exclude<Upgraded, { kind: 'upgraded' }> | Status,
): Promise<Status> {
  if (called.kind === 'Status') return called;
  if (called.kind === 'unreached') return internalError(called.error);
  const body = await textOf(called.response);
  return statusIn(body) ?? internalError(`unable to upgrade connection: ${body.toString()}`);
}

function statusIn(body: Buffer): Status | undefined {
  try {
    const value = parseJson(body.toString());
    return isJsonObject(value) && value['kind'] === 'Status' ? (value as Status) : undefined;
  } catch {
    return undefined;
  }
}
