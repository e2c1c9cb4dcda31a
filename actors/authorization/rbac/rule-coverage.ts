/**
 * Whether the rules of a user cover others: each rule is broken down into what it says about one verb
 * and one resource, name or path, and for each of these one rule of his must allow it.
 *
 * The surprise: lists multiply, so what a few kilobytes say can break down into billions of parts.
 * A rule that one rule covers whole is not broken down, and past a limit the rest counts as missing.
 *
 * In Kubernetes: Covers, component-helpers/auth/rbac/validation, and CompactRules,
 * pkg/registry/rbac/validation.
 */
import { goQuote } from '../../../api/json/go-format.ts';
import { urlCovers, type PolicyRule } from './policy-rule.ts';

const PARTS_MAX = 100_000;
const MISSING_MAX = 10_000;

const NOTHING: PolicyRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

/** What of `wanted` is not covered, in parts of one verb and one resource, name or path. */
export function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  const tests = held.map(coverTest);
  const missing: PolicyRule[] = [];
  let parts = 0;
  for (const rule of wanted) {
    if (tests.some((covers) => covers(rule))) continue;
    for (const part of partsOf(rule)) {
      parts += 1;
      if (parts > PARTS_MAX || !tests.some((covers) => covers(part))) missing.push(part);
      if (missing.length >= MISSING_MAX) return missing;
    }
  }
  return missing;
}

/** In Kubernetes: BreakdownRule. */
function* partsOf(rule: PolicyRule): Generator<PolicyRule> {
  const names = rule.resourceNames.length === 0 ? [undefined] : rule.resourceNames;
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        const part = { ...NOTHING, apiGroups: [group], resources: [resource], verbs: [verb] };
        yield* names.map((name) => ({ ...part, resourceNames: name === undefined ? [] : [name] }));
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs) yield { ...NOTHING, nonResourceURLs: [url], verbs: [verb] };
  }
}

type CoverTest = (rule: PolicyRule) => boolean;

/** In Kubernetes: ruleCovers. */
function coverTest(held: PolicyRule): CoverTest {
  const verbs = holding(held.verbs);
  const groups = holding(held.apiGroups);
  const resources = holding(held.resources);
  const names = held.resourceNames.length === 0 ? undefined : new Set(held.resourceNames);
  const hasResource = (resource: string): boolean => {
    if (resources(resource)) return true;
    const slash = resource.indexOf('/');
    return slash >= 0 && resources(`*${resource.slice(slash)}`);
  };
  return (rule) =>
    rule.verbs.every(verbs) &&
    rule.apiGroups.every(groups) &&
    rule.resources.every(hasResource) &&
    (names === undefined || hasNames(names, rule.resourceNames)) &&
    rule.nonResourceURLs.every((path) => held.nonResourceURLs.some((url) => urlCovers(url, path)));
}

function holding(list: readonly string[]): (text: string) => boolean {
  const set = new Set(list);
  return set.has('*') ? () => true : (text) => set.has(text);
}

/** A rule by name does not cover one for all names. */
function hasNames(held: ReadonlySet<string>, wanted: readonly string[]): boolean {
  return wanted.length > 0 && wanted.every((name) => held.has(name));
}

/** The rules in words, those about the same resource together, each line once and in order. */
export function describeRules(rules: readonly PolicyRule[]): string {
  const byResource = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const [group, resource] = [rule.apiGroups[0], rule.resources[0]];
    if (group === undefined || resource === undefined) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([group, resource, rule.resourceNames]);
    const known = byResource.get(key);
    if (known === undefined) byResource.set(key, { ...rule, verbs: [...rule.verbs] });
    else known.verbs.push(...rule.verbs);
  }
  const lines = [...others, ...byResource.values()].map(describeRule);
  return [...new Set(lines)].sort(byBytes).join('\n');
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** In Kubernetes: CompactString, pkg/apis/rbac/v1. */
function describeRule(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  const filled = parts.filter(([, texts]) => texts.length > 0);
  return `{${filled.map(([name, texts]) => `${name}:${quotedList(texts)}`).join(', ')}}`;
}

/** As Go's `%q` of a list. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
