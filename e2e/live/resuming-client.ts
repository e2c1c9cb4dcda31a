/** The client library on several servers of one log: it goes to the next when one is gone, and keeps what it was told. */
import { Agent, type AgentOptions } from 'node:https';
import type { Subscription } from 'rxjs';
import { connect, type Change, type LiveClient } from '../../gateway/client/node.ts';
import type { JsonObject } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';

/** What became of a connection that was lost, in milliseconds since that was noticed. */
export interface Gap {
  /** Why each attempt was needed: that the connection was lost, then why the ones before it failed. */
  readonly reasons: readonly string[];
  /** Until a server had answered the handshake. */
  readonly connectedMs: number;
  /** Until everything was shown again. */
  readonly resumedMs: number;
}

export class ResumingClient {
  /** `REVISION TYPE NAME` of each event, in the order in which they came. */
  readonly told: string[] = [];
  readonly gaps: Gap[] = [];
  readonly #live: LiveClient;
  readonly #following: Subscription;
  #place: string;
  #at = 0;
  #lost: { readonly at: number; readonly reasons: string[]; openAt: number } | undefined;

  /** @param place from where it begins. */
  constructor(servers: readonly { kubeconfig: string }[], path: string, place: string) {
    this.#place = place;
    this.#live = followed(servers, (at) => {
      this.#at = at;
    });
    this.#live.connection.state$.subscribe((state) => {
      const now = performance.now();
      if (state.kind === 'waiting') {
        this.#lost ??= { at: now, reasons: [], openAt: now };
        this.#lost.reasons.push(`${state.reason} (waits ${state.waitsMs.toFixed(0)} ms)`);
      }
      if (state.kind === 'open' && this.#lost !== undefined) this.#lost.openAt = now;
    });
    this.#following = this.#live.watch(path, { from: place }).subscribe({
      next: (change) => {
        this.#take(change as Change<JsonObject>);
      },
      error: (error: unknown) => {
        throw new Error('the subscription has ended with an error', { cause: error });
      },
    });
  }

  /** The newest place to go on from. */
  get place(): string {
    return this.#place;
  }

  /** Which of the servers it is connected with. */
  get at(): number {
    return this.#at;
  }

  stop(): void {
    this.#following.unsubscribe();
    this.#live.close();
  }

  #take(change: Change<JsonObject>): void {
    if (change.type === 'RESET') throw new Error('the library has begun anew');
    this.#place = change.revision;
    if (change.type !== 'CAUGHT_UP') {
      const { resourceVersion, name } = change.object['metadata'] as Record<string, string>;
      this.told.push(`${resourceVersion ?? ''} ${change.type} ${name ?? ''}`);
    } else if (this.#lost !== undefined) {
      const { at, reasons, openAt } = this.#lost;
      this.gaps.push({
        reasons,
        connectedMs: openAt - at,
        resumedMs: performance.now() - at,
      });
      this.#lost = undefined;
    }
  }
}

/** As through an address that leads to any of them: each handshake goes to the next. */
function followed(
  servers: readonly { kubeconfig: string }[],
  opened: (at: number) => void,
): LiveClient {
  let attempts = 0;
  const places = servers.map(({ kubeconfig }) => readKubeconfig(kubeconfig));
  return connect(places[0]?.url ?? '', {
    prepare: () => {
      const at = attempts % places.length;
      attempts += 1;
      opened(at);
      const { url = '', ca = '', cert = '', key = '' } = places[at] ?? {};
      return Promise.resolve({ agent: new ElsewhereAgent(new URL(url).port, { ca, cert, key }) });
    },
  });
}

/** Connects to a port of this machine, whatever is asked for. */
class ElsewhereAgent extends Agent {
  readonly #port: string;

  constructor(port: string, options: AgentOptions) {
    super(options);
    this.#port = port;
  }

  override createConnection(...[options, ...rest]: Parameters<Agent['createConnection']>) {
    return super.createConnection({ ...options, port: this.#port }, ...rest);
  }
}
