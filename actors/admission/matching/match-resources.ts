/**
 * What a policy or a binding of one is about: rules, rules that except from them, and selectors.
 *
 * In Kubernetes: matching.Matcher, apiserver/pkg/admission/plugin/policy/matching.
 */
import { isJsonObject, listAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import type { Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes, AdmissionPlace } from '../admission-attributes.ts';
import { placeIn, type NamedPlace } from './equivalent-places.ts';
import { compileSelection, selects, type ObjectSelection } from './object-selection.ts';
import {
  compileRule,
  matchesAt,
  matchFor,
  type MatchPolicy,
  type ResourceRule,
  type RuleMatch,
} from './resource-rules.ts';

export interface MatchResources {
  readonly selection: ObjectSelection;
  readonly policy: MatchPolicy;
  /** None: everything. */
  readonly rules: readonly ResourceRule[];
  readonly excluded: readonly ResourceRule[];
}

/** What it is about at one place of the API: what is left to be found out for each object. */
export interface PlacedMatch {
  readonly selection: ObjectSelection;
  readonly matches: readonly RuleMatch[];
  readonly excluded: readonly RuleMatch[];
}

const NO_NAMES: ReadonlySet<string> = new Set();

export function compileMatch(match: JsonObject): MatchResources {
  return {
    selection: compileSelection(match),
    policy: stringAt(match, 'matchPolicy') === 'Equivalent' ? 'Equivalent' : 'Exact',
    rules: listAt(match, 'resourceRules').filter(isJsonObject).map(compileRule),
    excluded: listAt(match, 'excludeResourceRules').filter(isJsonObject).map(compileRule),
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

export type Matched = NamedPlace | 'no' | Status;

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

export function isPlace(matched: Matched): matched is NamedPlace {
  return typeof matched !== 'string' && 'served' in matched;
}
