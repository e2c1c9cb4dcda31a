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
import { type FromPlanes, tell } from './messages.ts';

/** A stand-in that does not read is not waited for: it would hold up all others. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** A control plane without a suite has little to say. */
const UNSAID_MAX = 1_000;

export class PlaneHost implements ServerHost {
  #socket: Socket | undefined;
  /** For the suite that will take it. */
  readonly #unsaid: FromPlanes[] = [];
  readonly #listeners = new Map<StopSignal, () => void>();
  readonly #lasts: (() => void)[] = [];
  #port: HeldPort | undefined;
  /** Came before the server listened to signals. */
  #early: StopSignal | undefined;
  #isStopping = false;
  #isEnded = false;

  /** @param socket undefined: it waits for a suite that takes it. */
  constructor(socket?: Socket) {
    this.#socket = socket;
  }

  /** A suite has taken it, and is told what it has said. */
  belongTo(socket: Socket): void {
    this.#socket = socket;
    for (const message of this.#unsaid.splice(0)) tell(socket, message);
  }

  /** Whether it has ended. */
  get isEnded(): boolean {
    return this.#isEnded;
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
      this.#tell({ type: 'ended', code });
    }
    // The end of a process would have closed its port; of this one it is not the end.
    if (code !== 0) this.stop();
  }

  #say(stream: 'info' | 'error', text: string): string | undefined {
    if (this.#socket?.destroyed === true) return 'there is no reader';
    if ((this.#socket?.writableLength ?? 0) > WAITING_BYTES_MAX) return 'the reader is slow';
    this.#tell({ type: 'said', stream, text });
    return undefined;
  }

  #tell(message: FromPlanes): void {
    if (this.#socket !== undefined) tell(this.#socket, message);
    else if (this.#unsaid.length < UNSAID_MAX) this.#unsaid.push(message);
  }
}
