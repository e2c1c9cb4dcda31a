/**
 * What a policy or a binding of one is about: rules, rules that except from them, and selectors. A
 * webhook has the same selectors: by the labels of the namespace, and by those of the object as it is
 * to be or as it was.
 *
 * In Kubernetes: matching.Matcher, apiserver/pkg/admission/plugin/policy/matching, and
 * plugin/webhook/predicates/{namespace,object}.
 */
import type { MatchResources as DeclaredMatch } from '../../../api/generated/kinds/admissionregistration-v1.ts';
import type { LabelSelector as DeclaredSelector } from '../../../api/generated/kinds/meta-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { internalError, notFound, type Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes, AdmissionPlace } from '../admission-attributes.ts';
import {
  compileRule,
  matchesAt,
  matchFor,
  type MatchPolicy,
  type NamedPlace,
  placeIn,
  type ResourceRule,
  type RuleMatch,
} from './resource-rules.ts';
import { type LabelSelector, labelSelectorOf } from '../../../api/selectors/label-selector.ts';
import type { KubeObject, StringMap } from '../../../api/meta/object-meta.ts';
import { pathOf } from '../../../streams/event.ts';
import { NAMESPACES } from '../plugins/namespaces.ts';

export interface MatchResources {
  /** By labels of the namespace and of the object. */
  readonly selection: ObjectSelection;
  /** Whether rules that name another version of the same objects match too. */
  readonly policy: MatchPolicy;
  /** None: everything. */
  readonly rules: readonly ResourceRule[];
  /** `excludeResourceRules`, which count more than the rules. */
  readonly excluded: readonly ResourceRule[];
}

/** What it is about at one place of the API: what is left to be found out for each object. */
export interface PlacedMatch {
  /** By labels of the namespace and of the object. */
  readonly selection: ObjectSelection;
  /** Rules that fit the place and may still ask for names. */
  readonly matches: readonly RuleMatch[];
  /** Rules that take objects of the place out again. */
  readonly excluded: readonly RuleMatch[];
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Reads `matchConstraints` of a policy, or `matchResources` of a binding. Validation saw to the
 * shapes.
 */
export function compileMatch(match: DeclaredMatch = {}): MatchResources {
  return {
    selection: compileSelection(match),
    policy: match.matchPolicy === 'Equivalent' ? 'Equivalent' : 'Exact',
    rules: items(match.resourceRules).map(compileRule),
    excluded: items(match.excludeResourceRules).map(compileRule),
  };
}

/** undefined: it is never about anything there. */
export function placedMatch(match: MatchResources, place: AdmissionPlace): PlacedMatch | undefined {
  const { selection, policy, rules } = match;
  const everything = [{ names: NO_NAMES, target: placeIn(place.served, place.subresource) }];
  const matches = rules.length === 0 ? everything : matchesAt(rules, policy, place);
  if (matches.length === 0) return undefined;
  const excluded = matchesAt(match.excluded, policy, place);
  const isNever = excluded.some(({ names }) => names.size === 0);
  return isNever ? undefined : { selection, matches, excluded };
}

type Matched = NamedPlace | 'no' | Status;

/** In which version it is about what is done; a Status where that cannot be found out. */
export function matchedPlace(placed: PlacedMatch, attributes: AdmissionAttributes): Matched {
  const selected = selects(placed.selection, attributes);
  if (selected === 'no') return 'no';
  const { name } = attributes;
  if (matchFor(placed.excluded, name) !== undefined) return 'no';
  const target = matchFor(placed.matches, name);
  if (target === undefined) return 'no';
  return selected === 'yes' ? target : selected;
}

/** Whether the rules match, and so say in which version the object is shown. */
export function isPlace(matched: Matched): matched is NamedPlace {
  return typeof matched !== 'string' && 'served' in matched;
}

/** A selector that cannot be read fails the requests that it would have selected. */
type ReadSelector = LabelSelector | string;

/** Selectors by labels: of the namespace, and of the object, either the new or the old one. */
export interface ObjectSelection {
  /** An object of cluster scope is judged as if it were selected, but for namespaces themselves. */
  readonly namespaces: ReadSelector;
  /** Selects where either object has the labels. */
  readonly objects: ReadSelector;
}

/** What of a request selectors look at. The object may have changed since the request came. */
type Selectable = Pick<
  AdmissionAttributes,
  'served' | 'operation' | 'subresource' | 'namespace' | 'objects'
> & {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
};

/** A Status: the namespace of the request is not there, or a selector cannot be read. */
export type Selected = 'yes' | 'no' | Status;

/** Of a webhook or of what a policy is about. */
export function compileSelection({
  namespaceSelector,
  objectSelector,
}: Pick<DeclaredMatch, 'namespaceSelector' | 'objectSelector'>): ObjectSelection {
  return { namespaces: readSelector(namespaceSelector), objects: readSelector(objectSelector) };
}

/** Whether it is selected; a Status where that cannot be found out. */
export function selects(selection: ObjectSelection, selectable: Selectable): Selected {
  const inNamespace = selectsNamespace(selection.namespaces, selectable);
  if (inNamespace === 'no') return 'no';
  const isOfObject = selectsObject(selection.objects, selectable);
  if (isOfObject === 'no') return 'no';
  return inNamespace === 'yes' ? isOfObject : inNamespace;
}

function readSelector(selector: DeclaredSelector | undefined): ReadSelector {
  // As it was validated when it was written.
  const parsed = labelSelectorOf(selector);
  return parsed.ok ? parsed.selector : parsed.message;
}

function selectsNamespace(selector: ReadSelector, selectable: Selectable): Selected {
  const { served, namespace } = selectable;
  const isNamespaces = served.facts.resource === 'namespaces';
  if (namespace === '' && !isNamespaces) return 'yes';
  if (typeof selector === 'string') return internalError(selector);
  if (selector.isEmpty) return 'yes';
  const labels = namespaceLabels(selectable, isNamespaces);
  if (labels === undefined) return notFound({ group: '', resource: 'namespaces' }, namespace);
  return selector.matches(labels) ? 'yes' : 'no';
}

/** Of a namespace that is written what it is to be; undefined: there is none. */
function namespaceLabels(
  { operation, subresource, namespace, object, objects }: Selectable,
  isNamespaces: boolean,
): StringMap | undefined {
  const isWritten = operation === 'CREATE' || operation === 'UPDATE';
  if (isNamespaces && subresource === '' && isWritten) return labelsOf(object);
  const found = objects.get(NAMESPACES, pathOf('', namespace));
  return found === undefined ? undefined : (found.labels ?? {});
}

function selectsObject(selector: ReadSelector, { object, oldObject }: Selectable): Selected {
  if (typeof selector === 'string') return internalError(selector);
  if (selector.isEmpty) return 'yes';
  const matches = (one: KubeObject | undefined): boolean =>
    one !== undefined && selector.matches(labelsOf(one));
  return matches(object) || matches(oldObject) ? 'yes' : 'no';
}

function labelsOf(object: KubeObject | undefined): StringMap {
  return object?.metadata.labels ?? {};
}
