/**
 * A rule of RBAC: which verbs on which resources, or on which paths.
 *
 * In Kubernetes: PolicyRule, and how it is evaluated in pkg/apis/rbac/v1.
 */
import type {
  ClusterRole,
  PolicyRule as DeclaredRule,
  Role,
} from '../../../api/generated/kinds/rbac-v1.ts';
import type { KubeObject, ObjectOf } from '../../../api/meta/object-meta.ts';
import { items } from '../../../api/json/go-values.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { RequestInfo } from '../../request/request.ts';

export interface PolicyRule {
  /** `*` stands for all of them, as in apiGroups. */
  readonly verbs: readonly string[];
  /** '' is the group of the core. */
  readonly apiGroups: readonly string[];
  /** `pods`, `pods/log`, `*`, or `*` with a subresource behind a slash. */
  readonly resources: readonly string[];
  /** Empty: all of them. */
  readonly resourceNames: readonly string[];
  /** May end with `*`. */
  readonly nonResourceURLs: readonly string[];
}

const ALL = '*';

/** The rules of a Role or a ClusterRole. */
export function readRules(role: KubeObject): readonly PolicyRule[] {
  const { rules } = role as ObjectOf<Role | ClusterRole>; // What is asked about is one of them.
  return items(rules).map(readRule);
}

/** The rule with every list there. */
export function readRule(rule: Partial<DeclaredRule>): PolicyRule {
  return {
    verbs: items(rule.verbs),
    apiGroups: items(rule.apiGroups),
    resources: items(rule.resources),
    resourceNames: items(rule.resourceNames),
    nonResourceURLs: items(rule.nonResourceURLs),
  };
}

/** The rule as it stands in an object: without what is empty. */
export function ruleJson(rule: PolicyRule): JsonObject {
  const keys = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
  const filled = keys.filter((key) => rule[key].length > 0 || key === 'verbs');
  return Object.fromEntries(filled.map((key) => [key, [...rule[key]]]));
}

/** What rules are asked: made once for a request, whichever number of rules is asked. */
export interface RuleQuestion {
  readonly isResourceRequest: boolean;
  readonly verb: string;
  readonly apiGroup: string;
  /** `pods/log`. */
  readonly resource: string;
  /** `*` with the subresource behind a slash; '' where there is none. */
  readonly anySubresource: string;
  readonly name: string;
  readonly path: string;
}

/** Prepares a request for being held against many rules: what is joined of it is joined once. */
export function ruleQuestion(request: RequestInfo): RuleQuestion {
  const { isResourceRequest, verb, apiGroup, resource, subresource, name, path } = request;
  const isWhole = subresource === '';
  return {
    isResourceRequest,
    verb,
    apiGroup,
    resource: isWhole ? resource : `${resource}/${subresource}`,
    anySubresource: isWhole ? '' : `*/${subresource}`,
    name,
    path,
  };
}

export type RuleTest = (question: RuleQuestion) => boolean;

/**
 * Many rules as one question: those about other resources are not looked at.
 *
 * In Kubernetes: RulesAllow, plugin/pkg/auth/authorizer/rbac.
 */
export function compileRules(rules: readonly PolicyRule[]): RuleTest {
  const byResource = new Map<string, RuleTest[]>();
  const byPath: RuleTest[] = [];
  for (const rule of rules) {
    const { nonResourceURLs } = rule;
    if (nonResourceURLs.length > 0) byPath.push(pathRuleTest(rule));
    const test = resourceRuleTest(rule);
    for (const resource of new Set(rule.resources)) {
      const others = byResource.get(resource);
      if (others === undefined) byResource.set(resource, [test]);
      else others.push(test);
    }
  }
  const ofAll = byResource.get(ALL);
  return (question) => {
    if (!question.isResourceRequest) return anyOf(byPath, question);
    const { resource, anySubresource } = question;
    return (
      anyOf(ofAll, question) ||
      anyOf(byResource.get(resource), question) ||
      (anySubresource !== '' && anyOf(byResource.get(anySubresource), question))
    );
  };
}

function anyOf(tests: readonly RuleTest[] | undefined, question: RuleQuestion): boolean {
  if (tests === undefined) return false;
  for (const test of tests) {
    if (test(question)) return true;
  }
  return false;
}

/** All of a rule but its resources. */
function resourceRuleTest({ verbs, apiGroups, resourceNames }: PolicyRule): RuleTest {
  const hasVerb = member(verbs);
  const hasGroup = member(apiGroups);
  const names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
  return ({ verb, apiGroup, name }) =>
    hasVerb(verb) && hasGroup(apiGroup) && (names === undefined || names.has(name));
}

function pathRuleTest({ verbs, nonResourceURLs }: PolicyRule): RuleTest {
  const hasVerb = member(verbs);
  const hasPath = pathTest(nonResourceURLs);
  return ({ verb, path }) => hasVerb(verb) && hasPath(path);
}

/** Whether a list has something in it, which a star always has. */
function member(list: readonly string[]): (text: string) => boolean {
  if (list.includes(ALL)) return () => true;
  const [only] = list;
  if (list.length === 1) return (text) => text === only;
  const set = new Set(list);
  return (text) => set.has(text);
}

function pathTest(urls: readonly string[]): (path: string) => boolean {
  if (urls.includes(ALL)) return () => true;
  const exact = new Set(urls);
  const prefixes = urls.filter((url) => url.endsWith(ALL)).map(withoutStars);
  return (path) => exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix));
}

/** Whether `url`, which may end with stars, stands for the path. */
export function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith(ALL) && path.startsWith(withoutStars(url)));
}

function withoutStars(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === ALL) end -= 1;
  return url.slice(0, end);
}
