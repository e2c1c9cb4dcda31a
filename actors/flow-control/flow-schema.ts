/**
 * Which requests a flow schema is for, compiled when the object changes and not when a request comes.
 *
 * In Kubernetes: matchesFlowSchema, apiserver/pkg/util/flowcontrol.
 */
import { itemsAt, type JsonObject, objectAt, stringAt, textsAt } from '../../api/json/json.ts';
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
export function compileFlowSchema(object: JsonObject): FlowSchema {
  const spec = objectAt(object, 'spec');
  const metadata = objectAt(object, 'metadata');
  const rules = itemsAt(spec, 'rules').map(compileRule);
  const { matchingPrecedence } = spec ?? {};
  return {
    name: stringAt(metadata, 'name'),
    uid: stringAt(metadata, 'uid'),
    level: stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name'),
    precedence: typeof matchingPrecedence === 'number' ? matchingPrecedence : 0,
    distinguisher: stringAt(objectAt(spec, 'distinguisherMethod'), 'type'),
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

function compileRule(rule: JsonObject): (user: Asker, info: Asked) => boolean {
  const isFor = compileSubjects(itemsAt(rule, 'subjects'));
  const resources = itemsAt(rule, 'resourceRules').map(compileResourceRule);
  const paths = itemsAt(rule, 'nonResourceRules').map(compilePathRule);
  return (user, info) => {
    if (!isFor(user)) return false;
    const matches = info.isResourceRequest ? resources : paths;
    for (const one of matches) if (one(info)) return true;
    return false;
  };
}

function compileSubjects(subjects: readonly JsonObject[]): Matches<Asker> {
  const users = new Set<string>();
  const groups = new Set<string>();
  const namespaces: string[] = [];
  for (const subject of subjects) {
    const kind = stringAt(subject, 'kind');
    const user = objectAt(subject, 'user');
    const group = objectAt(subject, 'group');
    const account = objectAt(subject, 'serviceAccount');
    if (kind === 'User' && user !== undefined) users.add(stringAt(user, 'name'));
    if (kind === 'Group' && group !== undefined) groups.add(stringAt(group, 'name'));
    if (kind !== 'ServiceAccount' || account === undefined) continue;
    const prefix = `${SERVICE_ACCOUNT}${stringAt(account, 'namespace')}:`;
    const name = stringAt(account, 'name');
    if (name === ALL) namespaces.push(prefix);
    else users.add(`${prefix}${name}`);
  }
  if (users.has(ALL) || groups.has(ALL)) return () => true;
  return (user) =>
    users.has(user.name) ||
    (groups.size > 0 && user.groups.some((group) => groups.has(group))) ||
    namespaces.some((prefix) => user.name.startsWith(prefix));
}

function compileResourceRule(rule: JsonObject): Matches<Asked> {
  const isVerb = oneOf(rule, 'verbs');
  const isResource = oneOf(rule, 'resources');
  const isGroup = oneOf(rule, 'apiGroups');
  const isNamespace = oneOf(rule, 'namespaces');
  const clusterScope = rule['clusterScope'] === true;
  return ({ verb, resource, subresource, apiGroup, namespace }) =>
    isVerb(verb) &&
    isResource(subresource === '' ? resource : `${resource}/${subresource}`) &&
    isGroup(apiGroup) &&
    (namespace === '' ? clusterScope : isNamespace(namespace));
}

function compilePathRule(rule: JsonObject): Matches<Asked> {
  const isVerb = oneOf(rule, 'verbs');
  const urls = textsAt(rule, 'nonResourceURLs');
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
function oneOf(rule: JsonObject, key: string): Matches<string> {
  const values = textsAt(rule, key);
  if (values.length === 1 && values[0] === ALL) return () => true;
  const known = new Set(values);
  return (value) => known.has(value);
}
