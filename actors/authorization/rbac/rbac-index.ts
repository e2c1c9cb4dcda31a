/**
 * The roles of users: roles and bindings as they are just now, compiled, and found by the user
 * and the groups that a binding names. So a decision looks at the bindings that concern its user
 * and at no others.
 *
 * The surprise: a binding whose role is not there is kept, since the role may come; the decision
 * that meets one says so.
 *
 * In Kubernetes: DefaultRuleResolver, pkg/registry/rbac/validation.
 */
import type {
  ClusterRoleBinding,
  RoleBinding,
  Subject as DeclaredSubject,
} from '../../../api/generated/kinds/rbac-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';
import type {
  FollowedIndex,
  FollowedObjects,
  ObjectIndex,
} from '../../../projections/followed-objects.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { nameOf, namespaceOf, pathOf, type StoredObject } from '../../../streams/event.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { UserInfo } from '../../request/request.ts';
import { compileRules, readRules, type PolicyRule, type RuleTest } from './policy-rule.ts';

export interface CompiledRole {
  readonly rules: readonly PolicyRule[];
  readonly allows: RuleTest;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** The role of a binding, whose kind is `Role` or `ClusterRole`. */
export interface RoleRef {
  /** Any other kind binds nothing. */
  readonly kind: string;
  /** Of the role, in the namespace of its binding where it is a Role. */
  readonly name: string;
}

export interface Binding {
  readonly name: string;
  /** '' where it holds everywhere. */
  readonly namespace: string;
  readonly role: RoleRef;
  /** Where the role lies that is meant. */
  readonly rolePath: string;
  readonly subjects: readonly Subject[];
}

const GROUP = 'rbac.authorization.k8s.io';
const indexes = new WeakMap<FollowedObjects, RbacIndex>();

/** The one index over these objects, which is made when it is first asked for. */
export function rbacIndexOf(followed: FollowedObjects): RbacIndex {
  let index = indexes.get(followed);
  if (index === undefined) {
    index = new RbacIndex(followed);
    indexes.set(followed, index);
  }
  return index;
}

export class RbacIndex {
  readonly #roles = new Roles();
  readonly #clusterRoles = new Roles();
  readonly #bindings = new Bindings();
  readonly #clusterBindings = new Bindings();
  readonly #followed: readonly FollowedIndex[];

  constructor(followed: Pick<FollowedObjects, 'follow'>) {
    this.#followed = [
      followed.follow(`${GROUP}/roles`, this.#roles),
      followed.follow(`${GROUP}/clusterroles`, this.#clusterRoles),
      followed.follow(`${GROUP}/rolebindings`, this.#bindings),
      followed.follow(`${GROUP}/clusterrolebindings`, this.#clusterBindings),
    ];
  }

  /**
   * Shows `visit` the bindings that concern the user, those of the namespace last, until it says
   * true. One that names the user and several of its groups may be shown several times.
   *
   * @param namespace '' for what concerns no namespace.
   */
  visit(user: UserInfo, namespace: string, visit: (binding: Binding) => boolean): boolean {
    this.#fill();
    if (this.#clusterBindings.visit(user, '', visit)) return true;
    return namespace !== '' && this.#bindings.visit(user, namespace, visit);
  }

  /** The same, each binding once, in the order of their names. */
  bindingsOf(user: UserInfo, namespace: string): readonly Binding[] {
    const found = new Set<Binding>();
    this.visit(user, namespace, (binding) => {
      found.add(binding);
      return false;
    });
    return [...found].sort(inOrder);
  }

  /** The role of a binding that was shown; undefined: it is not there. */
  roleOf({ role, rolePath }: Pick<Binding, 'role' | 'rolePath'>): CompiledRole | undefined {
    if (role.kind === 'ClusterRole') return this.#clusterRoles.get(rolePath);
    return role.kind === 'Role' ? this.#roles.get(rolePath) : undefined;
  }

  /** The role that is meant in a namespace; undefined: it is not there. */
  role(role: RoleRef, namespace: string): CompiledRole | undefined {
    this.#fill();
    return this.roleOf({ role, rolePath: rolePathOf(role, namespace) });
  }

  #fill(): void {
    for (const one of this.#followed) one.fill();
  }
}

function rolePathOf({ kind, name }: RoleRef, namespace: string): string {
  return pathOf(kind === 'ClusterRole' ? '' : namespace, name);
}

/** Those of no namespace first. */
function inOrder(left: Binding, right: Binding): number {
  if (left.namespace !== right.namespace) return left.namespace < right.namespace ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}

class Roles implements ObjectIndex {
  readonly #byPath = new Map<string, CompiledRole>();

  get(path: string): CompiledRole | undefined {
    return this.#byPath.get(path);
  }

  set(object: StoredObject): void {
    const rules = readRules(parsedObject(object));
    this.#byPath.set(object.path, { rules, allows: compileRules(rules) });
  }

  delete(path: string): void {
    this.#byPath.delete(path);
  }

  clear(): void {
    this.#byPath.clear();
  }
}

type BySubject = Map<string, Set<Binding>>;

class Bindings implements ObjectIndex {
  readonly #byPath = new Map<string, Binding>();
  /** By namespace, '' for none, and then by {@link subjectKey}. */
  readonly #bySubject = new Map<string, BySubject>();

  visit(user: UserInfo, namespace: string, visit: (binding: Binding) => boolean): boolean {
    const subjects = this.#bySubject.get(namespace);
    if (subjects === undefined) return false;
    if (anyOf(subjects.get(`u:${user.name}`), visit)) return true;
    for (const group of user.groups) {
      if (anyOf(subjects.get(`g:${group}`), visit)) return true;
    }
    return false;
  }

  set(object: StoredObject): void {
    this.delete(object.path);
    const binding = readBinding(object);
    this.#byPath.set(object.path, binding);
    const { namespace } = binding;
    let subjects = this.#bySubject.get(namespace);
    if (subjects === undefined) {
      subjects = new Map();
      this.#bySubject.set(namespace, subjects);
    }
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const others = subjects.get(key);
      if (others === undefined) subjects.set(key, new Set([binding]));
      else others.add(binding);
    }
  }

  delete(path: string): void {
    const binding = this.#byPath.get(path);
    if (binding === undefined) return;
    this.#byPath.delete(path);
    const subjects = this.#bySubject.get(binding.namespace);
    if (subjects === undefined) return;
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, binding.namespace) ?? '';
      const bindings = subjects.get(key);
      bindings?.delete(binding);
      if (bindings?.size === 0) subjects.delete(key);
    }
    if (subjects.size === 0) this.#bySubject.delete(binding.namespace);
  }

  clear(): void {
    this.#byPath.clear();
    this.#bySubject.clear();
  }
}

function anyOf(
  bindings: ReadonlySet<Binding> | undefined,
  visit: (binding: Binding) => boolean,
): boolean {
  if (bindings === undefined) return false;
  for (const binding of bindings) {
    if (visit(binding)) return true;
  }
  return false;
}

function readBinding(object: StoredObject): Binding {
  const binding = parsedObject(object) as ObjectOf<RoleBinding | ClusterRoleBinding>; // Stored as one of them.
  const { kind, name } = binding.roleRef;
  const role: RoleRef = { kind, name };
  const namespace = namespaceOf(object.path);
  return {
    name: nameOf(object.path),
    namespace,
    role,
    rolePath: rolePathOf(role, namespace),
    subjects: items(binding.subjects).map(readSubject),
  };
}

function readSubject({ kind, name, namespace = '' }: DeclaredSubject): Subject {
  return { kind, name, namespace };
}

/** The key under which a subject is found; undefined: no user is meant. A service account is a user. */
function subjectKey({ kind, name, namespace }: Subject, bound: string): string | undefined {
  switch (kind) {
    case 'User':
      return `u:${name}`;
    case 'Group':
      return `g:${name}`;
    case 'ServiceAccount': {
      const its = namespace || bound;
      return its === '' ? undefined : `u:system:serviceaccount:${its}:${name}`;
    }
    default:
      return undefined;
  }
}

/** `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`, with the first subject that is meant. */
export function describeBinding(binding: Binding, user: UserInfo): string {
  const { name, namespace, role, subjects } = binding;
  const isUser = `u:${user.name}`;
  const subject = subjects.find((one) =>
    one.kind === 'Group' ? user.groups.includes(one.name) : subjectKey(one, namespace) === isUser,
  );
  const known = subject === undefined ? undefined : DESCRIBED.get(subject);
  if (known !== undefined) return known;
  const title =
    namespace === ''
      ? `ClusterRoleBinding ${goQuote(name)}`
      : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  const whom = describeSubject(subject, namespace);
  const text = `${title} of ${role.kind} ${goQuote(role.name)} to ${whom}`;
  if (subject !== undefined) DESCRIBED.set(subject, text);
  return text;
}

/** Said of every request that is allowed, and the same as long as the binding is. */
const DESCRIBED = new WeakMap<Subject, string>();

function describeSubject(subject: Subject | undefined, bound: string): string {
  const { kind, name, namespace } = subject ?? { kind: '', name: '', namespace: '' };
  if (kind !== 'ServiceAccount') return `${kind} ${goQuote(name)}`;
  return `${kind} ${goQuote(`${name}/${namespace || bound}`)}`;
}
