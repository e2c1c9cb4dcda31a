/**
 * Which requests a flow schema is for, compiled when the object changes and not when a request comes.
 *
 * In Kubernetes: matchesFlowSchema, apiserver/pkg/util/flowcontrol.
 */
import type {
  FlowSchema as DeclaredSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../api/generated/kinds/flowcontrol-v1.ts';
import { items } from '../../api/json/go-values.ts';
import type { RequestInfo, UserInfo } from '../request/request.ts';

type Asked = Pick<
  RequestInfo,
  'isResourceRequest' | 'verb' | 'apiGroup' | 'resource' | 'subresource' | 'namespace' | 'path'
>;
type Asker = Pick<UserInfo, 'name' | 'groups'>;

export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  /** Of the priority level. */
  readonly level: string;
  readonly precedence: number;
  /** What tells the flows of this schema apart; '' for nothing. */
  readonly distinguisher: string;
  matches(user: Asker, info: Asked): boolean;
}

const ALL = '*';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/** @param object a FlowSchema that is valid. */
export function compileFlowSchema({ metadata, spec }: DeclaredSchema): FlowSchema {
  const rules = items(spec.rules).map(compileRule);
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    level: spec.priorityLevelConfiguration.name,
    precedence: spec.matchingPrecedence,
    distinguisher: spec.distinguisherMethod?.type ?? '',
    matches(user, info) {
      for (const rule of rules) if (rule(user, info)) return true;
      return false;
    },
  };
}

/** In the order in which they are asked. */
export function inPrecedence(one: FlowSchema, other: FlowSchema): number {
  if (one.precedence !== other.precedence) return one.precedence - other.precedence;
  return one.name < other.name ? -1 : 1;
}

/** '' where the flow schema tells no flows apart. */
export function distinguisherOf(
  { distinguisher }: FlowSchema,
  user: Asker,
  info: Pick<RequestInfo, 'namespace'>,
): string {
  if (distinguisher === 'ByUser') return user.name;
  return distinguisher === 'ByNamespace' ? info.namespace : '';
}

type Matches<Value> = (value: Value) => boolean;

function compileRule(rule: PolicyRulesWithSubjects): (user: Asker, info: Asked) => boolean {
  const isFor = compileSubjects(items(rule.subjects));
  const resources = items(rule.resourceRules).map(compileResourceRule);
  const paths = items(rule.nonResourceRules).map(compilePathRule);
  return (user, info) => {
    if (!isFor(user)) return false;
    const matches = info.isResourceRequest ? resources : paths;
    for (const one of matches) if (one(info)) return true;
    return false;
  };
}

function compileSubjects(subjects: readonly Subject[]): Matches<Asker> {
  const users = new Set<string>();
  const groups = new Set<string>();
  const namespaces: string[] = [];
  for (const { kind, user, group, serviceAccount: account } of subjects) {
    if (kind === 'User' && user !== undefined) users.add(user.name);
    if (kind === 'Group' && group !== undefined) groups.add(group.name);
    if (kind !== 'ServiceAccount' || account === undefined) continue;
    const { namespace, name } = account;
    const prefix = `${SERVICE_ACCOUNT}${namespace}:`;
    if (name === ALL) namespaces.push(prefix);
    else users.add(`${prefix}${name}`);
  }
  if (users.has(ALL) || groups.has(ALL)) return () => true;
  return (user) =>
    users.has(user.name) ||
    (groups.size > 0 && user.groups.some((group) => groups.has(group))) ||
    namespaces.some((prefix) => user.name.startsWith(prefix));
}

function compileResourceRule(rule: ResourcePolicyRule): Matches<Asked> {
  const isVerb = oneOf(rule.verbs);
  const isResource = oneOf(rule.resources);
  const isGroup = oneOf(rule.apiGroups);
  const isNamespace = oneOf(rule.namespaces);
  const { clusterScope = false } = rule;
  return ({ verb, resource, subresource, apiGroup, namespace }) =>
    isVerb(verb) &&
    isResource(subresource === '' ? resource : `${resource}/${subresource}`) &&
    isGroup(apiGroup) &&
    (namespace === '' ? clusterScope : isNamespace(namespace));
}

function compilePathRule(rule: NonResourcePolicyRule): Matches<Asked> {
  const isVerb = oneOf(rule.verbs);
  const urls = items(rule.nonResourceURLs);
  const exact = new Set(urls);
  const prefixes = urls.map((url) => {
    const prefix = url.endsWith(ALL) ? url.slice(0, -1) : url;
    return prefix.endsWith('/') ? prefix : `${prefix}/`;
  });
  const isAny = exact.has(ALL);
  return ({ verb, path }) =>
    isVerb(verb) &&
    (isAny || exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** `*` says all only where it stands alone. */
function oneOf(list: string[] | null): Matches<string> {
  const values = items(list);
  if (values.length === 1 && values[0] === ALL) return () => true;
  const known = new Set(values);
  return (value) => known.has(value);
}
