/**
 * What a user must be allowed before a request is taken for that of another user: one question to the
 * authorizers for the name, the uid, each group and each value of `extra`. The questions are counted.
 *
 * The constrained way asks for other verbs, and refuses what is never meant: system:masters, empty
 * groups, keys in capitals.
 *
 * In Kubernetes: impersonationModeState and metricsAuthorizer, apiserver/pkg/endpoints/filters/impersonation.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import {
  type Attributes,
  type Authorizer,
  type Decision,
  refusalText,
  undecided,
} from '../../authorization/authorizer.ts';
import type { ImpersonationMeters } from '../authentication-meters.ts';
import { forbidden, type Status } from '../../../api/meta/status.ts';
import { formatFieldErrors } from '../../../api/field/field-errors.ts';
import { MASTERS_GROUP } from '../../authorization/rbac/rbac.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { NO_REQUEST_INFO } from '../../request/request-info.ts';
import type { RequestInfo, UserInfo } from '../../request/request.ts';
import { validateDomainPrefixedPath } from '../../../api/kinds/rules/text-validation.ts';
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  UNAUTHENTICATED_GROUP,
} from '../server-authenticator.ts';
import { nodeOf, serviceAccountGroups, serviceAccountOf } from '../service-account-names.ts';

/**
 * Counts and measures each question of the constrained modes; the decisions are those of
 * `authorizer`.
 */
export function meteredAuthorizer(
  authorizer: Authorizer,
  meters: Pick<ImpersonationMeters, 'asked'>,
  clock: Pick<Clock, 'now'>,
): Authorizer {
  return {
    authorize(attributes: Attributes) {
      const startedAt = clock.now();
      const mode = modeOf(attributes.request.verb);
      const settle = (decision: Decision): Decision => {
        meters.asked(mode, decision.verdict === 'allow', clock.now() - startedAt);
        return decision;
      };
      const answer = authorizer.authorize(attributes);
      return answer instanceof Promise ? answer.then(settle) : settle(answer);
    },
  };
}

const MODE = /^impersonate(?:-on)?:([^:]+)/;
const MODES: ReadonlySet<string> = new Set([
  'associated-node',
  'arbitrary-node',
  'serviceaccount',
  'user-info',
]);

/** @param verb as `impersonate:user-info` or `impersonate-on:user-info:list`; '' is the plain way. */
export function modeOf(verb: string): string {
  if (verb === '' || verb === 'impersonate') return 'legacy';
  const mode = MODE.exec(verb)?.[1] ?? '';
  return MODES.has(mode) ? mode : 'unknown';
}

/** The user as whom the request walks on. */
export interface Impersonated {
  /** As authorization sees it from here on. */
  readonly user: UserInfo;
  /** The verb of a constrained way; '' for the plain one. */
  readonly constraint: string;
}

/** The 403, or 400, that the client gets. */
export type Refusal = { readonly refusal: Status };

/** undefined: allowed. */
type Checked = Promise<Refusal | undefined>;

/** From so many on, permission for all of a kind is asked for first. */
const MANY = 4;

/** A user that may do it may do it on any node. */
const ASSOCIATED_NODE = 'impersonate:associated-node';

const AUTHENTICATION = { apiGroup: 'authentication.k8s.io', apiVersion: 'v1' };
const CORE = { apiGroup: '', apiVersion: 'v1' };

export class ImpersonationChecks {
  readonly #authorizer: Authorizer;
  readonly #verb: string;
  readonly #isConstrained: boolean;

  /** @param verb `impersonate`, or `impersonate:` and the name of a constrained way. */
  constructor(authorizer: Authorizer, verb: string) {
    this.#authorizer = authorizer;
    this.#verb = verb;
    this.#isConstrained = verb !== 'impersonate';
  }

  async check(requestor: UserInfo, wanted: UserInfo): Promise<Impersonated | Refusal> {
    const checks = [
      () => this.#name(requestor, wanted),
      () => this.#uid(requestor, wanted),
      () => this.#groups(requestor, wanted),
      () => this.#extra(requestor, wanted),
    ];
    return (await firstRefusal(checks)) ?? this.#granted(wanted);
  }

  #granted(wanted: UserInfo): Impersonated {
    const user = { ...wanted, groups: withBasicGroup(wanted.name, this.#groupsOf(wanted)) };
    return { user, constraint: this.#isConstrained ? this.#verb : '' };
  }

  /** Nodes and service accounts are in groups that need not be named. */
  #groupsOf({ name, groups }: UserInfo): readonly string[] {
    if (groups.length > 0) return groups;
    if (this.#isConstrained && nodeOf(name) !== undefined) return ['system:nodes'];
    const account = serviceAccountOf(name);
    return account === undefined ? groups : serviceAccountGroups(account.namespace);
  }

  #name(requestor: UserInfo, { name }: UserInfo): Checked {
    const group = this.#isConstrained ? AUTHENTICATION : CORE;
    const node = this.#isConstrained ? nodeOf(name) : undefined;
    const account = serviceAccountOf(name);
    const what =
      account !== undefined
        ? { resource: 'serviceaccounts', ...account }
        : node !== undefined
          ? { resource: 'nodes', name: this.#verb === ASSOCIATED_NODE ? '*' : node }
          : { resource: 'users', name };
    return allowed(this.#authorizer, this.#question(requestor, { ...group, ...what }));
  }

  async #uid(requestor: UserInfo, { uid }: UserInfo): Checked {
    if (uid === '') return undefined;
    const what = { ...AUTHENTICATION, resource: 'uids', name: uid };
    return allowed(this.#authorizer, this.#question(requestor, what));
  }

  async #groups(requestor: UserInfo, { groups }: UserInfo): Checked {
    if (groups.length === 0) return undefined;
    const group = this.#isConstrained ? AUTHENTICATION : CORE;
    const asking = (name: string): Attributes =>
      this.#question(requestor, { ...group, resource: 'groups', name });
    const each = () =>
      firstRefusal(groups.map((name) => () => allowed(this.#authorizer, asking(name))));
    if (!this.#isConstrained) return each();
    if (groups.includes('')) {
      return refuse(asking(''), 'impersonating the empty string group is not allowed');
    }
    if (groups.includes(MASTERS_GROUP)) {
      const why = 'impersonating the system:masters group is not allowed';
      return refuse(asking(MASTERS_GROUP), why);
    }
    return groups.length < MANY ? each() : this.#allOrEach(asking('*'), each);
  }

  async #extra(requestor: UserInfo, { extra }: UserInfo): Checked {
    const entries = Object.entries(extra);
    if (entries.length === 0) return undefined;
    const asking = (subresource: string, name: string): Attributes =>
      this.#question(requestor, { ...AUTHENTICATION, resource: 'userextras', subresource, name });
    const all = entries.flatMap(([key, values]) => values.map((value) => asking(key, value)));
    const each = () => firstRefusal(all.map((one) => () => allowed(this.#authorizer, one)));
    if (!this.#isConstrained) return each();
    const problem = entries.map(([key, values]) => extraProblem(key, values)).find(isText);
    if (problem !== undefined) return refuse(asking('', ''), problem);
    const isLarge = entries.length >= MANY || all.length >= MANY;
    return isLarge ? this.#allOrEach(asking('*', '*'), each) : each();
  }

  async #allOrEach(all: Attributes, each: () => Checked): Checked {
    return (await allowed(this.#authorizer, all)) === undefined ? undefined : each();
  }

  #question(user: UserInfo, what: Partial<RequestInfo>): Attributes {
    return {
      user,
      request: { ...NO_REQUEST_INFO, isResourceRequest: true, verb: this.#verb, ...what },
    };
  }
}

/** Asks one after another until one is not allowed. */
async function firstRefusal(checks: readonly (() => Checked)[]): Checked {
  for (const check of checks) {
    const refused = await check();
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** undefined: the authorizers allow it; one that fails does not. */
export async function allowed(authorizer: Authorizer, attributes: Attributes): Checked {
  const answer = authorizer.authorize(attributes);
  const decision = await (answer instanceof Promise ? answer.catch(undecided) : answer);
  // RBAC can fail on one rule and still allow by another.
  if (decision.verdict === 'allow') return undefined;
  const { reason, error } = decision;
  const why = [error?.message ?? '', reason].filter((one) => one !== '').join(': ');
  return refuse(attributes, why);
}

function refuse(attributes: Attributes, why: string): Refusal {
  const { apiGroup, resource, name } = attributes.request;
  const about = { group: apiGroup, resource };
  return { refusal: forbidden(about, name, refusalText(attributes, why)) };
}

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const errors = validateDomainPrefixedPath('extra.key', key);
  if (errors.length > 0) {
    return `impersonating an invalid key in extra is not allowed: ${formatFieldErrors(errors)}`;
  }
  if (key !== key.toLowerCase()) {
    return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
  }
  if (values.length === 0) return 'impersonating empty values in extra is not allowed';
  if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  return undefined;
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

function withBasicGroup(name: string, groups: readonly string[]): readonly string[] {
  if (name === ANONYMOUS_USER) return withGroup(groups, UNAUTHENTICATED_GROUP);
  if (groups.includes(UNAUTHENTICATED_GROUP)) return groups;
  return withGroup(groups, AUTHENTICATED_GROUP);
}

function withGroup(groups: readonly string[], group: string): readonly string[] {
  return groups.includes(group) ? groups : [...groups, group];
}
