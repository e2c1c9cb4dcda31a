/**
 * What the requester may do. Every expression may name these functions, but only those of webhooks
 * and policies have an `authorizer` to call them on; what decides is handed in with it.
 *
 * In Kubernetes: apiserver/pkg/cel/library/authz.go.
 */
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../meta/names.ts';
import { BOOL, STRING, structType, type CelType } from '../cel-type.ts';
import { declare, method, type Implementation, type Library } from '../declarations.ts';
import { CelError, CelOpaque, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';

/** Of the variable `authorizer`. */
export const AUTHORIZER_TYPE = structType('kubernetes.authorization.Authorizer');
/** Of `authorizer.group(…).resource(…)`, with `check(verb)` on it. */
export const RESOURCE_CHECK_TYPE = structType('kubernetes.authorization.ResourceCheck');

const PATH_CHECK = structType('kubernetes.authorization.PathCheck');
const GROUP_CHECK = structType('kubernetes.authorization.GroupCheck');
const DECISION = structType('kubernetes.authorization.Decision');

/** What is asked about a resource. */
export interface CheckedResource {
  /** '' is the group of the core. */
  readonly group: string;
  /** The plural name, or `*`. */
  readonly resource: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** '' for all namespaces, and for cluster scope. */
  readonly namespace: string;
  /** '' for all objects. */
  readonly name: string;
  /** '' for none. */
  readonly fieldSelector: string;
  /** As in a query; '' for none. */
  readonly labelSelector: string;
}

/** What the authorizers of the server decided about one check. */
export interface CheckDecision {
  /** False as well where no authorizer had an opinion. */
  readonly isAllowed: boolean;
  /** As the authorizer gave it; '' where it gave none. */
  readonly reason: string;
  /** Why it could not be decided; undefined: it was. */
  readonly error: string | undefined;
}

/** What decides about one user. An error is given on as any error of an expression. */
export interface CheckAuthority {
  /** The same authority about a service account. */
  ofServiceAccount(namespace: string, name: string): CheckAuthority;
  /** Asks about a path that is no resource. @param verb a method in lower case. */
  mayReach(verb: string, path: string): CheckDecision | CelError;
  /** Asks about a resource. @param verb as in a rule of RBAC. */
  mayDo(verb: string, resource: CheckedResource): CheckDecision | CelError;
}

abstract class Receiver extends CelOpaque {
  override equals(other: CelValue): boolean {
    return this === other;
  }
}

/** The variable `authorizer`; its checks go to `authority`, as the user that this was made for. */
export class AuthorizerValue extends Receiver {
  override readonly type: CelType = AUTHORIZER_TYPE;
  readonly authority: CheckAuthority;

  constructor(authority: CheckAuthority) {
    super();
    this.authority = authority;
  }
}

/** A resource about which `check` is asked, as far as the expression has said which one. */
export class ResourceCheckValue extends Receiver {
  override readonly type: CelType = RESOURCE_CHECK_TYPE;
  readonly authority: CheckAuthority;
  readonly checked: CheckedResource;

  constructor(authority: CheckAuthority, checked: CheckedResource) {
    super();
    this.authority = authority;
    this.checked = checked;
  }
}

class PathCheckValue extends Receiver {
  override readonly type: CelType = PATH_CHECK;
  readonly authority: CheckAuthority;
  readonly path: string;

  constructor(authority: CheckAuthority, path: string) {
    super();
    this.authority = authority;
    this.path = path;
  }
}

class GroupCheckValue extends Receiver {
  override readonly type: CelType = GROUP_CHECK;
  readonly authority: CheckAuthority;
  readonly group: string;

  constructor(authority: CheckAuthority, group: string) {
    super();
    this.authority = authority;
    this.group = group;
  }
}

class DecisionValue extends Receiver {
  override readonly type: CelType = DECISION;
  readonly decision: CheckDecision;

  constructor(decision: CheckDecision) {
    super();
    this.decision = decision;
  }
}

function pathCheck(authorizer: CelValue, path: CelValue): CelValue {
  if (!(authorizer instanceof AuthorizerValue) || typeof path !== 'string') return NO_SUCH_OVERLOAD;
  if (path.trim() === '') return new CelError('path must not be empty');
  return new PathCheckValue(authorizer.authority, path);
}

function groupCheck(authorizer: CelValue, group: CelValue): CelValue {
  if (!(authorizer instanceof AuthorizerValue) || typeof group !== 'string') {
    return NO_SUCH_OVERLOAD;
  }
  return new GroupCheckValue(authorizer.authority, group);
}

function serviceAccount(authorizer: CelValue, namespace: CelValue, name: CelValue): CelValue {
  const isCall = typeof namespace === 'string' && typeof name === 'string';
  if (!(authorizer instanceof AuthorizerValue) || !isCall) return NO_SUCH_OVERLOAD;
  if (nameIsDnsSubdomain(name, false).length > 0) {
    return new CelError('Invalid service account name');
  }
  if (nameIsDnsLabel(namespace, false).length > 0) {
    return new CelError('Invalid service account namespace');
  }
  return new AuthorizerValue(authorizer.authority.ofServiceAccount(namespace, name));
}

function resourceCheck(check: CelValue, resource: CelValue): CelValue {
  if (!(check instanceof GroupCheckValue) || typeof resource !== 'string') return NO_SUCH_OVERLOAD;
  if (resource.trim() === '') return new CelError('resource must not be empty');
  const everywhere = { subresource: '', namespace: '', name: '' };
  const unselected = { fieldSelector: '', labelSelector: '' };
  const checked = { group: check.group, resource, ...everywhere, ...unselected };
  return new ResourceCheckValue(check.authority, checked);
}

type Narrowing = 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector';

function narrowing(field: Narrowing): Implementation {
  return (check, value) => {
    if (!(check instanceof ResourceCheckValue) || typeof value !== 'string') {
      return NO_SUCH_OVERLOAD;
    }
    return new ResourceCheckValue(check.authority, { ...check.checked, [field]: value });
  };
}

function check(asked: CelValue, verb: CelValue): CelValue {
  if (typeof verb !== 'string') return NO_SUCH_OVERLOAD;
  let decision: CheckDecision | CelError;
  if (asked instanceof PathCheckValue) decision = asked.authority.mayReach(verb, asked.path);
  else if (asked instanceof ResourceCheckValue) {
    decision = asked.authority.mayDo(verb, asked.checked);
  } else return NO_SUCH_OVERLOAD;
  return decision instanceof CelError ? decision : new DecisionValue(decision);
}

function told(read: (decision: CheckDecision) => CelValue): Implementation {
  return (value) => (value instanceof DecisionValue ? read(value.decision) : NO_SUCH_OVERLOAD);
}

const A = AUTHORIZER_TYPE;
const R = RESOURCE_CHECK_TYPE;
const NARROWINGS: readonly (readonly [Narrowing, string])[] = [
  ['subresource', 'resourcecheck_subresource'],
  ['namespace', 'resourcecheck_namespace'],
  ['name', 'resourcecheck_name'],
  ['fieldSelector', 'authorizer_fieldselector'],
  ['labelSelector', 'authorizer_labelselector'],
];

export const AUTHORIZATION: Library = [
  declare('path', method('authorizer_path', [A, STRING], PATH_CHECK, pathCheck)),
  declare('group', method('authorizer_group', [A, STRING], GROUP_CHECK, groupCheck)),
  declare(
    'serviceAccount',
    method('authorizer_serviceaccount', [A, STRING, STRING], A, serviceAccount),
  ),
  declare('resource', method('groupcheck_resource', [GROUP_CHECK, STRING], R, resourceCheck)),
  ...NARROWINGS.map(([name, id]) => declare(name, method(id, [R, STRING], R, narrowing(name)))),
  declare(
    'check',
    method('pathcheck_check', [PATH_CHECK, STRING], DECISION, check),
    method('resourcecheck_check', [R, STRING], DECISION, check),
  ),
  declare(
    'errored',
    method(
      'decision_errored',
      [DECISION],
      BOOL,
      told(({ error }) => error !== undefined),
    ),
  ),
  declare(
    'error',
    method(
      'decision_error',
      [DECISION],
      STRING,
      told(({ error }) => error ?? ''),
    ),
  ),
  declare(
    'allowed',
    method(
      'decision_allowed',
      [DECISION],
      BOOL,
      told(({ isAllowed }) => isAllowed),
    ),
  ),
  declare(
    'reason',
    method(
      'decision_reason',
      [DECISION],
      STRING,
      told(({ reason }) => reason),
    ),
  ),
];
