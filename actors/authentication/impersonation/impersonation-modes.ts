/**
 * The ways in which a user may be taken for another, the narrower ones first. A narrow way
 * also asks whether the requestor may do what he is doing as another at all
 * (`impersonate-on:user-info:list`); the plain one, `impersonate`, is the oldest and asks no such thing.
 *
 * The surprise: the way that was good for a user last is tried first from then on, so the refusal
 * that a client reads depends on what was allowed before. It does in Kubernetes too.
 *
 * In Kubernetes: allImpersonationModes and impersonationModesTracker,
 * apiserver/pkg/endpoints/filters/impersonation.
 */
import { BoundedMap } from '../../../api/meta/bounded-map.ts';
import type { Attributes, Authorizer } from '../../authorization/authorizer.ts';
import type { UserInfo } from '../../request/request.ts';
import { NODE_NAME } from '../extra-keys.ts';
import { nodeOf, serviceAccountOf } from '../service-account-names.ts';
import {
  allowed,
  type Impersonated,
  ImpersonationChecks,
  type Refusal,
} from './impersonation-checks.ts';

export type Tried = Impersonated | Refusal | undefined;

interface Mode {
  /** undefined: this way is not for such a user. */
  attempt(wanted: UserInfo, attributes: Attributes): Promise<Tried>;
}

/**
 * Whether a mode refused the request, where `undefined` means that the mode is not meant for it.
 */
export function isRefusal(tried: Tried): tried is Refusal {
  return tried !== undefined && 'refusal' in tried;
}

const REMEMBERED_MAX = 10_000;

export class ImpersonationModes {
  readonly #modes: readonly Mode[];
  /** By the requestor's name. */
  readonly #lastGood = new BoundedMap<string, Mode>(REMEMBERED_MAX);

  /** @param isConstrained false: the plain way only. */
  constructor(authorizer: Authorizer, isConstrained = true) {
    this.#modes = [...(isConstrained ? narrow(authorizer) : []), plain(authorizer)];
  }

  /** @param attributes of the request, with the user that came to the door. */
  async attempt(wanted: UserInfo, attributes: Attributes): Promise<Impersonated | Refusal> {
    const { name } = attributes.user;
    let first: Refusal | undefined;
    for (const mode of this.#orderFor(name)) {
      const tried = await mode.attempt(wanted, attributes);
      if (tried === undefined) continue;
      if (isRefusal(tried)) {
        first ??= tried;
        continue;
      }
      this.#lastGood.set(name, mode);
      return tried;
    }
    if (first === undefined) throw new Error('all impersonation modes failed');
    return first;
  }

  #orderFor(requestor: string): readonly Mode[] {
    const last = this.#lastGood.get(requestor);
    return last === undefined
      ? this.#modes
      : [last, ...this.#modes.filter((mode) => mode !== last)];
  }
}

function narrow(authorizer: Authorizer): Mode[] {
  return [
    associatedNode(authorizer),
    constrained(authorizer, 'arbitrary-node', (wanted) => isBare(wanted) && isNode(wanted)),
    constrained(authorizer, 'serviceaccount', (wanted) => isBare(wanted) && isAccount(wanted)),
    constrained(authorizer, 'user-info', (wanted) => !isNode(wanted) && !isAccount(wanted)),
  ];
}

function plain(authorizer: Authorizer): Mode {
  const checks = new ImpersonationChecks(authorizer, 'impersonate');
  return { attempt: (wanted, { user }) => checks.check(user, wanted) };
}

function constrained(
  authorizer: Authorizer,
  name: string,
  isFor: (wanted: UserInfo, requestor: UserInfo) => boolean,
): Mode {
  const checks = new ImpersonationChecks(authorizer, `impersonate:${name}`);
  return {
    async attempt(wanted, attributes) {
      const { user, request } = attributes;
      if (!isFor(wanted, user)) return undefined;
      const verb = `impersonate-on:${name}:${request.verb}`;
      const onIt = await allowed(authorizer, { ...attributes, request: { ...request, verb } });
      return onIt ?? checks.check(user, wanted);
    },
  };
}

/**
 * A service account whose token names its node may be that node. The authorizers are asked about
 * all nodes, and of the requestor's `extra` they see the keys only: so a rule cannot mean one node,
 * and what is decided is the same on all of them.
 */
function associatedNode(authorizer: Authorizer): Mode {
  const mode = constrained(authorizer, 'associated-node', () => true);
  return {
    async attempt(wanted, attributes) {
      const { user } = attributes;
      if (!isAssociatedNode(wanted, user)) return undefined;
      const keys = Object.keys(user.extra).sort();
      const extra = { 'authentication.kubernetes.io/associated-node-keys': keys };
      return mode.attempt(wanted, { ...attributes, user: { ...user, extra } });
    },
  };
}

function isAssociatedNode(wanted: UserInfo, requestor: UserInfo): boolean {
  const node = nodeOf(wanted.name);
  if (node === undefined || !isBare(wanted)) return false;
  if (serviceAccountOf(requestor.name) === undefined) return false;
  const names = Object.hasOwn(requestor.extra, NODE_NAME) ? requestor.extra[NODE_NAME] : undefined;
  return names?.length === 1 && names[0] === node;
}

function isNode({ name }: UserInfo): boolean {
  return nodeOf(name) !== undefined;
}

function isAccount({ name }: UserInfo): boolean {
  return serviceAccountOf(name) !== undefined;
}

function isBare({ uid, groups, extra }: UserInfo): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}
