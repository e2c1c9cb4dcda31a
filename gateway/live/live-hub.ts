/**
 * All live connections of a server: opens them, has their rights asked for again, and ends them when the
 * server does. Streams of plain HTTP that are followed have theirs asked for here too.
 *
 * A right is asked for again when rules of RBAC change, and from time to time, since tokens run out and
 * other authorizers do not tell when they have changed.
 */
import type { Authenticator } from '../../actors/authentication/authenticator.ts';
import type { Authorizer } from '../../actors/authorization/authorizer.ts';
import { refusal, rule, type Ruling } from '../../actors/filters/authorization.ts';
import type { Ref } from '../../actors/request/actor.ts';
import type { Faults } from '../../actors/request/faults.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import type {
  AuthenticatedRequest,
  ReceivedRequest,
  UserInfo,
} from '../../actors/request/request.ts';
import { LIVE_CLOSE, LIVE_PATH } from '../../api/live/live-limits.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { internalError, type Status } from '../../api/meta/status.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { WatchView } from '../../projections/watch/watch-view.ts';
import type { WatchSessions } from '../watch/watch-sessions.ts';
import { LiveConnection } from './live-connection.ts';
import { HeldStream, type Standing } from './held-stream.ts';
import { AskingOnce, LiveRequests, openingOf, type Opening } from './live-request.ts';
import type { LiveWire } from './live-wire.ts';
import { SharedCells } from './window/shared-cells.ts';

export interface HubParts {
  readonly clock: Clock;
  readonly sessions: WatchSessions;
  readonly faults: Faults;
  /** Into which the requests go that subscriptions stand for. */
  readonly chain: Ref<ReceivedRequest>;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
}

/** Within that, many changes of rules are one. */
const RULES_MS = 200;
const RECHECK_MS = 10_000;
/** So many rights are asked for in a row before others get their turn. */
const SLICE = 64;

interface Open {
  readonly connection: LiveConnection;
  readonly requests: LiveRequests;
}

/** Whose rights are asked for again. */
interface Held {
  readonly connection: {
    readonly subscriptions: ReadonlyMap<string, Standing>;
    ended(subscription: Standing, status: Status): void;
    end(code: number, reason: string): void;
  };
  readonly requests: LiveRequests;
}

export class LiveHub {
  readonly #parts: HubParts;
  readonly #open = new Set<Open>();
  readonly #streams = new Set<Held>();
  readonly #cells: SharedCells;
  /** By how many subscriptions. */
  readonly #followed = new Map<WatchView, number>();
  #cancelRecheck: () => void = () => undefined;
  #areRulesDue = false;
  #isClosed = false;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#cells = new SharedCells(parts.clock);
  }

  get connectionCount(): number {
    return this.#open.size;
  }

  get subscriptionCount(): number {
    let count = 0;
    for (const { connection } of this.#open) count += connection.subscriptions.size;
    return count;
  }

  /** @param ended called once, when nothing is left of it. */
  open(wire: LiveWire, opening: Opening, ended: () => void): LiveConnection {
    const { clock, sessions, chain } = this.#parts;
    const requests = new LiveRequests(chain, opening);
    const connection = new LiveConnection({
      ...{ clock, sessions, requests, wire, cells: this.#cells },
      showGathered: () => {
        this.#showGathered();
      },
      follow: (view) => {
        this.#follow(view);
      },
      leave: (view) => {
        this.#leave(view);
      },
      ended: () => {
        this.#open.delete(one);
        this.#restIfAlone();
        ended();
      },
    });
    const one = { connection, requests };
    if (this.#isAlone) this.#recheckLater();
    this.#open.add(one);
    if (this.#isClosed) connection.end(LIVE_CLOSE.goingAway, STOPPING);
    return connection;
  }

  /**
   * Has the right to the request asked for again until it is let go of.
   *
   * @param lost called when it holds no more, maybe several times; never behind the letting go.
   * @returns lets go of it. Safe to call twice.
   */
  hold(request: AuthenticatedRequest, lost: () => void): () => void {
    const requests = new LiveRequests(this.#parts.chain, openingOf(request));
    const connection = new HeldStream(request, () => {
      // An authorizer may answer when the stream has ended, and its connection has another request by then.
      if (this.#streams.has(one)) lost();
    });
    const one = { connection, requests };
    if (this.#isAlone) this.#recheckLater();
    this.#streams.add(one);
    return () => {
      this.#streams.delete(one);
      this.#restIfAlone();
    };
  }

  /** Rules have changed by which the server decides what users may do. */
  rulesChanged(): void {
    if (this.#areRulesDue || this.#isAlone) return;
    this.#areRulesDue = true;
    this.#parts.clock.after(RULES_MS, () => {
      this.#areRulesDue = false;
      this.#recheckAll(true);
    });
  }

  endAll(): void {
    this.#isClosed = true;
    for (const { connection } of [...this.#open]) connection.end(LIVE_CLOSE.goingAway, STOPPING);
  }

  /** Of all views that a live connection looks at: they are few, and mostly gather nothing. */
  #showGathered(): void {
    for (const view of this.#followed.keys()) view.showGathered();
  }

  #follow(view: WatchView): void {
    this.#followed.set(view, (this.#followed.get(view) ?? 0) + 1);
  }

  #leave(view: WatchView): void {
    const others = (this.#followed.get(view) ?? 1) - 1;
    if (others === 0) this.#followed.delete(view);
    else this.#followed.set(view, others);
  }

  get #isAlone(): boolean {
    return this.#open.size === 0 && this.#streams.size === 0;
  }

  #restIfAlone(): void {
    if (this.#isAlone) this.#cancelRecheck();
  }

  #recheckLater(): void {
    this.#cancelRecheck = this.#parts.clock.after(RECHECK_MS, () => {
      this.#recheckAll(false);
      if (!this.#isAlone) this.#recheckLater();
    });
  }

  #recheckAll(haveRulesChanged: boolean): void {
    for (const one of [...this.#open, ...this.#streams]) {
      this.#recheck(one, haveRulesChanged).catch((error: unknown) => {
        this.#parts.faults.record('asking for the rights of a live connection', error);
      });
    }
  }

  async #recheck({ connection, requests }: Held, haveRulesChanged: boolean): Promise<void> {
    const user = await this.#userOf(requests);
    if (user === undefined) {
      connection.end(LIVE_CLOSE.unauthenticated, 'the credentials do not hold any more');
      return;
    }
    let asked = 0;
    for (const subscription of [...connection.subscriptions.values()]) {
      asked += 1;
      if (asked % SLICE === 0) await othersTurn();
      if (connection.subscriptions.get(subscription.id) !== subscription) continue;
      const { request } = subscription;
      // That it may act for another user is decided in the filters.
      if (haveRulesChanged && request?.impersonator !== undefined) {
        subscription.askAgain();
        continue;
      }
      const asking = request?.impersonator === undefined ? user : request.user;
      const refused = await this.#refusalOf(subscription, asking);
      if (refused !== undefined) connection.ended(subscription, refused);
    }
  }

  async #userOf(requests: LiveRequests): Promise<UserInfo | undefined> {
    const probe = requests.made({ path: LIVE_PATH, query: '' }, new AskingOnce(ignore, ignore));
    const routed = probe.routedAs(resolveRequestInfo('GET', LIVE_PATH, ''));
    const decided = await this.#parts.authenticator.authenticate(routed);
    return decided.verdict === 'identified' ? decided.user : undefined;
  }

  async #refusalOf(subscription: Standing, user: UserInfo): Promise<Status | undefined> {
    const { request } = subscription;
    if (request === undefined) return undefined;
    const { info, query } = request;
    const ruling: Ruling = await rule(this.#parts.authorizer, { user, info, query });
    const { decision, about } = ruling;
    if (decision.verdict === 'allow') return undefined;
    if (decision.error !== undefined) return internalError(decision.error);
    return refusal(user, about, decision.reason);
  }
}

/** Routes are there before the filters, into which the hub sends. */
export class LateLiveHub {
  #hub: LiveHub | undefined;

  /** Only once requests come, and by then it is there. */
  get hub(): LiveHub {
    if (this.#hub === undefined) throw new Error('the filters are not put together');
    return this.#hub;
  }

  use(hub: LiveHub): void {
    this.#hub = hub;
  }

  /** See {@link LiveHub.hold}. */
  hold(request: AuthenticatedRequest, lost: () => void): () => void {
    return this.hub.hold(request, lost);
  }

  rulesChanged(): void {
    this.#hub?.rulesChanged();
  }

  endAll(): void {
    this.#hub?.endAll();
  }
}

const STOPPING = 'the server stops';

function ignore(): void {
  // The request is made to be looked at, and goes nowhere.
}
