/**
 * The rules of a webhook or a policy: which operations on which resources it wants to see. What
 * they say about a place in the API does not depend on the object, so it is found out once.
 *
 * The surprise: one object may be served by several group versions. Where no rule names the version
 * that was asked for, but one names another version of the same objects, that version is what is
 * shown; see matchPolicy.
 *
 * In Kubernetes: rules.Matcher, apiserver/pkg/admission/plugin/webhook/predicates/rules,
 * matchesResourceRules, plugin/policy/matching, and EquivalentResourceMapper, apimachinery/pkg/runtime.
 */
import type { GroupVersionKind } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { AdmissionPlace } from '../admission-attributes.ts';
import type { NamedRuleWithOperations } from '../../../api/generated/kinds/admissionregistration-v1.ts';
import { items } from '../../../api/json/go-values.ts';

interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A group version of a resource, and what objects are there. */
export interface NamedPlace {
  /** What is served there, by which objects are converted. */
  readonly served: ServedResource;
  /** Its names in the API. */
  readonly resource: GroupVersionResource;
  /** Of a subresource that takes a kind of its own: that kind. */
  readonly kind: GroupVersionKind;
}

const known = new WeakMap<ServedResource, Map<string, NamedPlace>>();

/** The same value every time, as long as the resource is served as it is. */
export function placeIn(served: ServedResource, subresource: string): NamedPlace {
  let places = known.get(served);
  if (places === undefined) {
    places = new Map();
    known.set(served, places);
  }
  let place = places.get(subresource);
  if (place === undefined) {
    place = describe(served, subresource);
    places.set(subresource, place);
  }
  return place;
}

function describe(served: ServedResource, subresource: string): NamedPlace {
  const { group, version, resource, kind } = served.facts;
  const own = served.facts.subresources.find(({ name }) => name === subresource);
  return {
    served,
    resource: { group, version, resource },
    kind:
      own === undefined
        ? { group, version, kind }
        : { group: own.group, version: own.version, kind: own.kind },
  };
}

/** The other names of the place, without its own. */
export function equivalentsOf({ served, subresource }: AdmissionPlace): readonly NamedPlace[] {
  const { apiVersion, definition } = served;
  return definition
    .versions()
    .filter((one) => one.apiVersion !== apiVersion)
    .filter(({ facts }) => has(facts.subresources, subresource))
    .map((one) => placeIn(one, subresource));
}

function has(subresources: readonly { readonly name: string }[], wanted: string): boolean {
  return wanted === '' || subresources.some(({ name }) => name === wanted);
}

/** One entry of `rules`, compiled. `*` stands for everything in each of its sets. */
export interface ResourceRule {
  /** In capital letters: `CREATE`. */
  readonly operations: ReadonlySet<string>;
  /** '' is the group of the core. */
  readonly groups: ReadonlySet<string>;
  /** As in a path: `v1`. */
  readonly versions: ReadonlySet<string>;
  /** With a subresource behind a slash, where one is meant. */
  readonly resources: readonly ResourcePattern[];
  /** `*`, `Namespaced` or `Cluster`. */
  readonly scope: string;
  /** Of policies alone; empty: all. */
  readonly names: ReadonlySet<string>;
}

interface ResourcePattern {
  readonly resource: string;
  readonly subresource: string;
}

/** `Equivalent`: a rule also matches requests for other versions of the objects that it names. */
export type MatchPolicy = 'Exact' | 'Equivalent';

/** A rule that is about a place, if the name is one of those it says. */
export interface RuleMatch {
  readonly names: ReadonlySet<string>;
  readonly target: NamedPlace;
}

/** Reads one rule. Shapes were checked when the object was written. */
export function compileRule(rule: NamedRuleWithOperations): ResourceRule {
  return {
    operations: new Set(items(rule.operations)),
    groups: new Set(items(rule.apiGroups)),
    versions: new Set(items(rule.apiVersions)),
    resources: [...new Set(items(rule.resources))].map(patternOf),
    scope: rule.scope || '*',
    names: new Set(items(rule.resourceNames)),
  };
}

/** @returns what could match there, in the order in which it is to be tried. */
export function matchesAt(
  rules: readonly ResourceRule[],
  policy: MatchPolicy,
  place: AdmissionPlace,
): readonly RuleMatch[] {
  const own = placeIn(place.served, place.subresource);
  const direct = rules
    .filter((rule) => isAbout(rule, place, own.resource))
    .map(({ names }) => ({ names, target: own }));
  if (policy === 'Exact') return direct;
  const others = equivalentsOf(place);
  const indirect = rules.flatMap((rule) =>
    others
      .filter(({ resource }) => isAbout(rule, place, resource))
      .map((target) => ({ names: rule.names, target })),
  );
  return [...direct, ...indirect];
}

/** The first that holds for an object of this name; '' for one whose name is still to come. */
export function matchFor(matches: readonly RuleMatch[], name: string): NamedPlace | undefined {
  return matches.find(({ names }) => names.size === 0 || names.has(name))?.target;
}

function isAbout(
  rule: ResourceRule,
  { operation, subresource, served }: AdmissionPlace,
  { group, version, resource }: GroupVersionResource,
): boolean {
  return (
    isInScope(rule.scope, served.definition.namespaced) &&
    includes(rule.operations, operation) &&
    includes(rule.groups, group) &&
    includes(rule.versions, version) &&
    rule.resources.some(
      (pattern) =>
        (pattern.resource === '*' || pattern.resource === resource) &&
        (pattern.subresource === '*' || pattern.subresource === subresource),
    )
  );
}

/** A namespace lies in none, though requests for one are said to be in it. */
function isInScope(scope: string, namespaced: boolean): boolean {
  if (scope === '*') return true;
  return scope === 'Namespaced' ? namespaced : scope === 'Cluster' && !namespaced;
}

function includes(said: ReadonlySet<string>, wanted: string): boolean {
  return said.has('*') || said.has(wanted);
}

function patternOf(text: string): ResourcePattern {
  const slash = text.indexOf('/');
  if (slash < 0) return { resource: text, subresource: '' };
  return { resource: text.slice(0, slash), subresource: text.slice(slash + 1) };
}
