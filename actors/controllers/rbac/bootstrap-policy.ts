/**
 * The roles and bindings that every control plane has with RBAC: those of its components, of the
 * controllers, of administrators and of all users. They are put right at each start, which costs a
 * look at each where nothing has to change. What an administrator added stays, and a role that says
 * `autoupdate: "false"` is left alone.
 *
 * In Kubernetes: the post-start hook rbac/bootstrap-roles, pkg/registry/rbac/rest/storage_rbac.go, and
 * component-helpers/auth/rbac/reconciliation.
 */
import type {
  ClusterRole,
  ClusterRoleBinding,
  Subject,
} from '../../../api/generated/kinds/rbac-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import {
  asKubeObject,
  type KubeObject,
  type ObjectOf,
  type StringMap,
} from '../../../api/meta/object-meta.ts';
import { type PolicyRule, readRules, ruleJson } from '../../authorization/rbac/policy-rule.ts';
import { uncovered } from '../../authorization/rbac/rule-coverage.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import { readGenerated } from '../../../api/generated/read-generated.ts';
import type { Status } from '../../../api/meta/status.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf } from '../../../streams/event.ts';
import type { GateName } from '../../lifecycle/feature-gates.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import type { Answer } from '../../request/answer.ts';
import { parseJson } from '../../../api/json/json-text.ts';

export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** `recreate`: what a binding binds cannot be changed. */
export type Reconciled =
  | { readonly operation: 'none' }
  | { readonly operation: 'update' | 'recreate'; readonly object: KubeObject };

const NONE: Reconciled = { operation: 'none' };

/** A Role is one, too, and says nothing of aggregation. */
export type AnyRole = ObjectOf<ClusterRole>;
/** A RoleBinding is one, too. */
type AnyBinding = ObjectOf<ClusterRoleBinding>;

export function reconciledRole(existing: AnyRole, expected: AnyRole): Reconciled {
  if (isProtected(existing)) return NONE;
  const missing = uncovered(readRules(existing), readRules(expected)).map(ruleJson);
  const changes: JsonObject = {};
  if (missing.length > 0) changes['rules'] = [...items(existing.rules), ...missing];
  const wanted = expected.aggregationRule;
  const found = existing.aggregationRule;
  const selectors = items(found?.clusterRoleSelectors);
  const lacking = items(wanted?.clusterRoleSelectors).filter(
    (one) => !selectors.some((other) => sameValue(one, other)),
  );
  if (lacking.length > 0) {
    changes['aggregationRule'] = { ...found, clusterRoleSelectors: [...selectors, ...lacking] };
  }
  const { aggregationRule: _aggregationRule, ...unaggregated } = existing;
  const isAggregatedWrongly = wanted === undefined && found !== undefined;
  const base = isAggregatedWrongly ? unaggregated : existing;
  return changed({ ...base, ...changes }, existing, expected);
}

export function reconciledBinding(existing: AnyBinding, expected: AnyBinding): Reconciled {
  if (isProtected(existing)) return NONE;
  if (!isSameReference(existing.roleRef, expected.roleRef)) {
    return { operation: 'recreate', object: expected };
  }
  const subjects = items(existing.subjects);
  const wanted = items(expected.subjects);
  const missing = wanted.filter(
    (one, at) =>
      ![...subjects, ...wanted.slice(0, at)].some((other) => isSameReference(one, other)),
  );
  if (missing.length === 0) return changed(existing, existing, expected);
  return changed({ ...existing, subjects: [...subjects, ...missing] }, existing, expected);
}

function isProtected({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[AUTOUPDATE] === 'false';
}

/** The object with the labels and annotations it should have; its own come first. */
function changed(object: KubeObject, existing: KubeObject, expected: KubeObject): Reconciled {
  const { labels, annotations } = existing.metadata;
  const metadata = { ...object.metadata };
  const isLabelled = lacks(labels, expected.metadata.labels);
  if (isLabelled) metadata.labels = { ...expected.metadata.labels, ...labels };
  const isAnnotated = lacks(annotations, expected.metadata.annotations);
  if (isAnnotated) metadata.annotations = { ...expected.metadata.annotations, ...annotations };
  if (object === existing && !isLabelled && !isAnnotated) return NONE;
  if (sameValue({ ...object, metadata }, existing)) return NONE;
  return { operation: 'update', object: { ...object, metadata } };
}

function lacks(found: StringMap = {}, wanted: StringMap = {}): boolean {
  return Object.keys(wanted).some((key) => !Object.hasOwn(found, key));
}

/** References are the same where each of their names is, one that is not there being empty. */
function isSameReference(one: Partial<Subject>, other: Partial<Subject>): boolean {
  const keys = ['kind', 'apiGroup', 'name', 'namespace'] as const;
  return keys.every((key) => (one[key] ?? '') === (other[key] ?? ''));
}

interface BootstrapParts {
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
  /** Of objects of that resource. */
  reconcile(existing: KubeObject, expected: KubeObject): Reconciled;
}

const SORTS: ReadonlyMap<string, Sort> = new Map([
  ['ClusterRole', { resource: 'clusterroles', reconcile: reconciledRole }],
  ['Role', { resource: 'roles', reconcile: reconciledRole }],
  ['ClusterRoleBinding', { resource: 'clusterrolebindings', reconcile: reconciledBinding }],
  ['RoleBinding', { resource: 'rolebindings', reconcile: reconciledBinding }],
]);

/** Feature gates that are off by default, and that add to the policy where they are on. */
export const GATES_OF_POLICY = [
  ...(['ClusterTrustBundle', 'DRADeviceTaintRules', 'DRAResourcePoolStatus'] as const),
  ...(['GenericWorkload', 'PodCertificateRequest', 'StorageVersionMigrator'] as const),
  ...(['StorageVersionAPI', 'WorkloadWithJob'] as const),
] as const satisfies readonly GateName[];

type IsGateOn = (gate: (typeof GATES_OF_POLICY)[number]) => boolean;

const allOff: IsGateOn = () => false;

/** All of them, as kube-apiserver makes them where these feature gates are on. */
export function bootstrapPolicy(isOn: IsGateOn = allOff): readonly KubeObject[] {
  const usual = parseJson(readGenerated('bootstrap-policy.json')) as JsonObject[]; // Ours.
  const policy = new Map(usual.map(asKubeObject).map((one) => [nameIn(one), one]));
  const gates = GATES_OF_POLICY.filter(isOn);
  if (gates.length === 0) return [...policy.values()];
  const more = parseJson(readGenerated('bootstrap-policy-of-gates.json')) as Record<
    string,
    JsonObject[]
  >; // Ours too.
  for (const added of gates.flatMap((gate) => more[gate] ?? []).map(asKubeObject)) {
    const known = policy.get(nameIn(added));
    policy.set(nameIn(added), known === undefined ? added : withRules(known, added));
  }
  return [...policy.values()];
}

/** The role with the rules of both. */
function withRules(known: KubeObject, added: KubeObject): KubeObject {
  const rules = [...readRules(known), ...readRules(added)].map(ruleJson);
  return { ...known, rules };
}

function nameIn({ kind, metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${kind} ${namespace}/${name}`;
}

/** What every node may do, as its cluster role says it. */
export function nodeRules(isOn: IsGateOn = allOff): readonly PolicyRule[] {
  const role = bootstrapPolicy(isOn).find(
    ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'system:node',
  );
  return role === undefined ? [] : readRules(role);
}

/** @throws Error when one is missing and cannot be made. */
export async function ensureBootstrapPolicy(
  parts: BootstrapParts,
  isOn: IsGateOn = allOff,
): Promise<void> {
  const outcomes = await Promise.allSettled(
    bootstrapPolicy(isOn).map((expected) => ensure(parts, expected)),
  );
  // A second try finds nothing of this one under way.
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
  const create = (body = expected): Promise<Answer> =>
    loopback({ method: 'POST', path: all, body });
  if (stored === undefined) return problemOf(await create(inherited(sort, expected, objects)));
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

/**
 * The binding of public information was a part of that of discovery once: where it is missing it takes over the subjects
 * of that one. So anonymous users that an administrator has shut out there stay shut out.
 *
 * In Kubernetes: primeSplitClusterRoleBindings.
 */
function inherited(sort: Sort, expected: KubeObject, objects: ObjectReads): KubeObject {
  if (nameIn(expected) !== 'ClusterRoleBinding /system:public-info-viewer') return expected;
  const stored = objects.get(`${GROUP}/clusterrolebindings`, pathOf('', 'system:discovery'));
  if (stored === undefined) return expected;
  const { metadata, ...discovery } = parsedObject(stored);
  const { labels = {}, annotations = {} } = metadata;
  const primed: KubeObject = {
    ...expected,
    metadata: { ...expected.metadata, labels, annotations },
    subjects: discovery['subjects'] ?? [],
  };
  const reconciled = sort.reconcile(primed, expected);
  return reconciled.operation === 'update' ? reconciled.object : primed;
}

function problemOf(answer: Answer): Status | undefined {
  return answer.kind === 'Status' && answer.status.code >= 400 ? answer.status : undefined;
}
