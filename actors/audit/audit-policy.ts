/**
 * What of a request is written down for the audit: the policy, compiled once into one closure
 * per rule. The first rule that matches decides; where none does, nothing is written down.
 *
 * In Kubernetes: apiserver/pkg/audit/policy.
 */
import type { RequestInfo, UserInfo } from '../request/request.ts';

export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

export const AUDIT_STAGES = [
  'RequestReceived',
  'ResponseStarted',
  'ResponseComplete',
  'Panic',
] as const;
export type AuditStage = (typeof AUDIT_STAGES)[number];

/** A policy file's content behind decoding and validation. */
export interface AuditPolicy {
  /** In order; the first that fits decides. */
  readonly rules: readonly AuditRule[];
  /** Stages of which no event is written, whatever rule fits. */
  readonly omitStages: readonly AuditStage[];
  /** Whether bodies are written without managedFields, where the rule does not say. */
  readonly omitManagedFields: boolean;
}

/** Of each list, none means all. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly AuditedResources[];
  /** '' is what has no namespace. */
  readonly namespaces: readonly string[];
  /** Paths, or their beginnings with a `*` behind. */
  readonly nonResourceURLs: readonly string[];
  /** In addition to the policy's own. */
  readonly omitStages: readonly AuditStage[];
  /** undefined: as the policy says. */
  readonly omitManagedFields: boolean | undefined;
}

export interface AuditedResources {
  /** `*` is every group. */
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*` followed by `/scale`, or `*`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** What is to be done about one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

export interface AuditedAttributes {
  /** undefined: the user is not known. */
  readonly user: UserInfo | undefined;
  readonly request: RequestInfo;
}

export type AuditDecider = (attributes: AuditedAttributes) => AuditDecision;

type Matches = (attributes: AuditedAttributes) => boolean;

/** Compiles the rules into what decides each request: level None where no rule matches. */
export function compileAuditPolicy(policy: AuditPolicy): AuditDecider {
  const rules = policy.rules.map((rule) => ({
    matches: allOf(conditionsOf(rule)),
    decision: decisionOf(policy, rule),
  }));
  const otherwise: AuditDecision = {
    level: 'None',
    omitStages: new Set(policy.omitStages),
    omitManagedFields: policy.omitManagedFields,
  };
  return (attributes) => {
    for (const { matches, decision } of rules) if (matches(attributes)) return decision;
    return otherwise;
  };
}

function decisionOf(policy: AuditPolicy, rule: AuditRule): AuditDecision {
  return {
    level: rule.level,
    omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
  };
}

function allOf(conditions: readonly Matches[]): Matches {
  return (attributes) => conditions.every((matches) => matches(attributes));
}

function conditionsOf(rule: AuditRule): Matches[] {
  const conditions: Matches[] = [];
  if (rule.users.length > 0) {
    const users = new Set(rule.users);
    conditions.push(({ user }) => user !== undefined && users.has(user.name));
  }
  if (rule.userGroups.length > 0) {
    const groups = new Set(rule.userGroups);
    conditions.push(({ user }) => user?.groups.some((group) => groups.has(group)) ?? false);
  }
  if (rule.verbs.length > 0) {
    const verbs = new Set(rule.verbs);
    conditions.push(({ request }) => verbs.has(request.verb));
  }
  const place = placeOf(rule);
  if (place !== undefined) conditions.push(place);
  return conditions;
}

/** Resources go before paths, though validation lets no rule have both. */
function placeOf(rule: AuditRule): Matches | undefined {
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return resourceMatches(rule);
  if (rule.nonResourceURLs.length === 0) return undefined;
  const isPath = pathMatches(rule.nonResourceURLs);
  return ({ request }) => !request.isResourceRequest && isPath(request.path);
}

function pathMatches(specs: readonly string[]): (path: string) => boolean {
  const exact = new Set(specs);
  const beginnings = specs
    .filter((spec) => spec.endsWith('*'))
    .map((spec) => spec.slice(0, endBefore(spec, '*')));
  return (path) => exact.has(path) || beginnings.some((begin) => path.startsWith(begin));
}

/** Where the run of this character begins that ends the text. */
function endBefore(text: string, character: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return end;
}

function resourceMatches(rule: AuditRule): Matches {
  const namespaces = new Set(rule.namespaces);
  const resources = rule.resources.map(groupMatches);
  return ({ request }) => {
    if (!request.isResourceRequest) return false;
    if (namespaces.size > 0 && !namespaces.has(request.namespace)) return false;
    return resources.length === 0 || resources.some((matches) => matches(request));
  };
}

function groupMatches(entry: AuditedResources): (request: RequestInfo) => boolean {
  const { group, resources } = entry;
  const names = new Set(entry.resourceNames);
  const patterns = resources.map(patternMatches);
  return (request) => {
    if (group !== request.apiGroup && group !== '*') return false;
    // Without resources, names say nothing: validation refuses them.
    if (patterns.length === 0) return true;
    if (names.size > 0 && !names.has(request.name)) return false;
    return patterns.some((matches) => matches(request));
  };
}

function patternMatches(pattern: string): (request: RequestInfo) => boolean {
  if (pattern === '*') return () => true;
  const ofAll = pattern.startsWith('*/') ? pattern.slice('*/'.length) : undefined;
  const allOfOne = pattern.endsWith('/*') ? pattern.slice(0, -'/*'.length) : undefined;
  return ({ resource, subresource }) => {
    if (pattern === (subresource === '' ? resource : `${resource}/${subresource}`)) return true;
    if (ofAll !== undefined && subresource !== '' && subresource === ofAll) return true;
    return allOfOne !== undefined && resource === allOfOne;
  };
}
