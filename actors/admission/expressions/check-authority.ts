/**
 * What `authorizer` of an expression asks: the authorizers of the server, about the requester or a
 * service account. Each question is put once for a request.
 *
 * The surprise: expressions cannot wait. Where an authorizer has to call a webhook itself, the
 * expression fails for now, and is evaluated again when the answer is there.
 *
 * In Kubernetes: admission/plugin/authorizer/caching_authorizer.go.
 */
import type {
  CheckAuthority,
  CheckDecision,
  CheckedResource,
} from '../../../api/cel/library/authorization.ts';
import { CelError } from '../../../api/cel/value.ts';
import { NO_REQUEST_INFO } from '../../request/request-info.ts';
import type { RequestInfo, UserInfo } from '../../request/request.ts';
import { type Authorizer, type Decision, undecided } from '../../authorization/authorizer.ts';

const NOT_YET = new CelError('the authorizer has not answered yet');
/** More questions than these in one evaluation cost more than any expression may. */
const ROUNDS_MAX = 64;

/** The decisions that the expressions of one request have asked for. */
export class AskedDecisions {
  readonly #authorizer: Authorizer;
  readonly #decided = new Map<string, CheckDecision>();
  #pending: Promise<void>[] = [];

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  authorityOf(user: UserInfo): CheckAuthority {
    return new UserAuthority(this, user);
  }

  /** Evaluates until all decisions are there that were asked for; at once where all are. */
  settled<Value>(evaluate: () => Value, round = 0): Value | Promise<Value> {
    const value = evaluate();
    const pending = this.#pending;
    if (pending.length === 0 || round >= ROUNDS_MAX) return value;
    this.#pending = [];
    return Promise.all(pending).then(() => this.settled(evaluate, round + 1));
  }

  decide(user: UserInfo, request: RequestInfo): CheckDecision | CelError {
    const key = JSON.stringify([user, request]);
    const known = this.#decided.get(key);
    if (known !== undefined) return known;
    const decision = this.#authorizer.authorize({ user, request });
    if (!(decision instanceof Promise)) return this.#note(key, decision);
    this.#pending.push(
      decision.catch(undecided).then((late) => {
        this.#note(key, late);
      }),
    );
    return NOT_YET;
  }

  #note(key: string, decision: Decision): CheckDecision {
    const noted: CheckDecision = {
      isAllowed: decision.verdict === 'allow',
      reason: decision.reason,
      error: decision.verdict === 'allow' ? undefined : decision.error?.message,
    };
    this.#decided.set(key, noted);
    return noted;
  }
}

class UserAuthority implements CheckAuthority {
  readonly #asked: AskedDecisions;
  readonly #user: UserInfo;

  constructor(asked: AskedDecisions, user: UserInfo) {
    this.#asked = asked;
    this.#user = user;
  }

  ofServiceAccount(namespace: string, name: string): CheckAuthority {
    return new UserAuthority(this.#asked, {
      name: `system:serviceaccount:${namespace}:${name}`,
      uid: '',
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
      extra: {},
    });
  }

  mayReach(verb: string, path: string): CheckDecision | CelError {
    return this.#asked.decide(this.#user, { ...NO_REQUEST_INFO, verb, path });
  }

  mayDo(verb: string, checked: CheckedResource): CheckDecision | CelError {
    const { group, ...resource } = checked;
    return this.#asked.decide(this.#user, {
      ...NO_REQUEST_INFO,
      ...resource,
      isResourceRequest: true,
      verb,
      apiGroup: group,
      apiVersion: '*',
    });
  }
}
