/**
 * The roles and bindings that every control plane has with RBAC: those of its components, of the
 * controllers, of administrators and of everybody. They are put right at each start, which costs a
 * look at each where nothing has to change.
 *
 * In Kubernetes: the post-start hook rbac/bootstrap-roles, pkg/registry/rbac/rest/storage_rbac.go.
 */
import { readGenerated } from '../../../api/generated/read-generated.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { Status } from '../../../api/meta/status.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf } from '../../../streams/event.ts';
import { readRules, type PolicyRule } from '../../authorization/rbac/policy-rule.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import type { Answer } from '../../request/answer.ts';
import { reconciledBinding, reconciledRole, type Reconciled } from './reconciled-role.ts';
import { parseJson } from '../../../api/json/json-text.ts';

export interface BootstrapParts {
  readonly loopback: Loopback;
  /** Of this server, filled. */
  readonly objects: ObjectReads;
}

/** Another server on the same log may do the same at the same time. */
const ATTEMPTS = 5;
/** It is gone, or it is there already, or it is another. */
const LOST_RACES: ReadonlySet<number> = new Set([404, 409]);
const GROUP = 'rbac.authorization.k8s.io';

interface Sort {
  readonly resource: string;
  readonly reconcile: (existing: KubeObject, expected: KubeObject) => Reconciled;
}

const SORTS: ReadonlyMap<string, Sort> = new Map([
  ['ClusterRole', { resource: 'clusterroles', reconcile: reconciledRole }],
  ['Role', { resource: 'roles', reconcile: reconciledRole }],
  ['ClusterRoleBinding', { resource: 'clusterrolebindings', reconcile: reconciledBinding }],
  ['RoleBinding', { resource: 'rolebindings', reconcile: reconciledBinding }],
]);

/** All of them, as kube-apiserver makes them. */
export function bootstrapPolicy(): readonly KubeObject[] {
  return parseJson(readGenerated('bootstrap-policy.json')) as KubeObject[]; // Ours.
}

/** What every node may do, as its cluster role says it. */
export function nodeRules(): readonly PolicyRule[] {
  const role = bootstrapPolicy().find(
    ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'system:node',
  );
  return role === undefined ? [] : readRules(role);
}

/** @throws Error when one is missing and cannot be made. */
export async function ensureBootstrapPolicy(parts: BootstrapParts): Promise<void> {
  const outcomes = await Promise.allSettled(
    bootstrapPolicy().map((expected) => ensure(parts, expected)),
  );
  // Who tries again finds nothing of this one under way.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function ensure(parts: BootstrapParts, expected: KubeObject): Promise<void> {
  let problem: Status | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    problem = await reconcile(parts, expected);
    if (problem === undefined) return;
    if (!LOST_RACES.has(problem.code)) break;
  }
  const { kind, metadata } = expected;
  const why = problem?.message ?? '';
  throw new Error(`${kind} ${metadata.name ?? ''} could not be put right: ${why}`);
}

/** One attempt. @returns why it failed. */
async function reconcile(
  { loopback, objects }: BootstrapParts,
  expected: KubeObject,
): Promise<Status | undefined> {
  const sort = SORTS.get(expected.kind);
  if (sort === undefined) throw new Error(`${expected.kind} is nothing of RBAC`);
  const { namespace = '', name = '' } = expected.metadata;
  const stored = objects.get(`${GROUP}/${sort.resource}`, pathOf(namespace, name));
  const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
  const all = `/apis/${GROUP}/v1${scope}/${sort.resource}`;
  const create = (): Promise<Answer> => loopback({ method: 'POST', path: all, body: expected });
  if (stored === undefined) return problemOf(await create());
  const path = `${all}/${name}`;
  const existing = parsedObject(stored);
  const reconciled = sort.reconcile(existing, expected);
  if (reconciled.operation === 'none') return undefined;
  if (reconciled.operation === 'update') {
    return problemOf(await loopback({ method: 'PUT', path, body: reconciled.object }));
  }
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    preconditions: { uid: existing.metadata.uid ?? '' },
  };
  const problem = problemOf(await loopback({ method: 'DELETE', path, body }));
  return problem ?? problemOf(await create());
}

function problemOf(answer: Answer): Status | undefined {
  return answer.kind === 'Status' && answer.status.code >= 400 ? answer.status : undefined;
}
