/**
 * What a control plane in a shared process has in place of a process: signals come over the connection with its
 * stand-in, its lines and its exit code go back there.
 */
import type { Socket } from 'node:net';
import type { StopSignal } from '../../../../actors/lifecycle/lifecycle-signals.ts';
import type { ListeningSettings } from '../../../flags/sections/listening-settings.ts';
import { HeldPort } from '../../../listener/held-port.ts';
import type { ServerHost } from '../../../server/lifecycle/server-host.ts';
import { cannotListen } from '../../../server/lifecycle/server-life.ts';
import { tell } from './messages.ts';

/** A stand-in that does not read is not waited for: it would hold up all others. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

export class PlaneHost implements ServerHost {
  readonly #socket: Socket;
  readonly #listeners = new Map<StopSignal, () => void>();
  readonly #lasts: (() => void)[] = [];
  #port: HeldPort | undefined;
  /** Came before the server listened to signals. */
  #early: StopSignal | undefined;
  #isStopping = false;
  #isEnded = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  readonly signals = {
    on: (signal: StopSignal, listener: () => void): void => {
      this.#listeners.set(signal, listener);
      if (this.#early !== signal) return;
      // Where the server has begun to listen, it has not begun to live.
      setImmediate(() => {
        this.signal(signal);
      });
    },
  };

  readonly write = {
    info: (text: string) => this.#say('info', text),
    error: (text: string) => this.#say('error', text),
  };

  whenEnding(last: () => void): void {
    this.#lasts.push(last);
  }

  get port(): HeldPort | undefined {
    return this.#port;
  }

  /** Before the server is made, which the suite looks for meanwhile. @throws StartupError */
  async openPort({ securePort, bindAddress, permitPortSharing }: ListeningSettings): Promise<void> {
    if (permitPortSharing) return;
    const port = new HeldPort();
    await port.open(securePort, bindAddress).catch((error: unknown) => {
      throw cannotListen(bindAddress, securePort, error);
    });
    this.#port = port;
  }

  /** As the stand-in got it. */
  signal(signal: StopSignal): void {
    const listener = this.#listeners.get(signal);
    if (listener === undefined) {
      this.#early ??= signal;
      return;
    }
    this.#isStopping = true;
    listener();
  }

  /** The stand-in is gone, or will not be answered any more. */
  stop(): void {
    if (!this.#isStopping) this.signal('SIGTERM');
  }

  exit(code: number): void {
    if (!this.#isEnded) {
      this.#isEnded = true;
      for (const last of this.#lasts) last();
      this.#port?.close();
      tell(this.#socket, { type: 'ended', code });
    }
    // The end of a process would have closed its port; of this one it is not the end.
    if (code !== 0) this.stop();
  }

  #say(stream: 'info' | 'error', text: string): string | undefined {
    if (this.#socket.destroyed) return 'there is no reader';
    if (this.#socket.writableLength > WAITING_BYTES_MAX) return 'the reader is slow';
    tell(this.#socket, { type: 'said', stream, text });
    return undefined;
  }
}
