/**
 * Which fields a request may manage: a strategy that resets fields names them here, so that no manager
 * becomes the manager of what was not written.
 *
 * In Kubernetes: Filter, sigs.k8s.io/structured-merge-diff/fieldpath, from a strategy's
 * GetResetFields and GetResetFieldsFilter.
 */
import {
  changed,
  fieldSetOf,
  isMember,
  nodeOf,
  recursiveDifference,
  SELF,
  type FieldSet,
} from '../merge/field-set.ts';
import { fieldElement, isFieldElement } from '../merge/path-element.ts';

/** Says which fields may be managed. */
export interface FieldFilter {
  /** The part of the set that may be. */
  (set: FieldSet): FieldSet;
  /** Fields of the object itself of which it leaves nothing, so that they need not be compared; there may be more. */
  readonly leavesOut?: readonly string[];
}

/** Stands for any path element, in {@link includeFields}. */
export const ANY_ELEMENT = '*';

/** All but these fields and what is within them: `excludeFields(['status'], ['metadata', 'labels'])`. */
export function excludeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = fieldSetOf(...paths.map((path) => path.map(fieldElement)));
  const filter = (set: FieldSet): FieldSet => recursiveDifference(set, excluded);
  const leavesOut = paths.flatMap(([name = '', ...below]) => (below.length === 0 ? [name] : []));
  return Object.assign(filter, { leavesOut });
}

/**
 * Only these fields and what is within them; a field name, or {@link ANY_ELEMENT}:
 * `includeFields(['spec', 'containers', ANY_ELEMENT, 'resources'])`.
 */
export function includeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const wanted = matcherOf(paths);
  return (set) => matching(set, wanted);
}

/** By field name or {@link ANY_ELEMENT}; `all`: whatever is below. */
type Matcher = ReadonlyMap<string, Matcher> | 'all';

function matcherOf(paths: readonly (readonly string[])[]): Matcher {
  if (paths.some((path) => path.length === 0)) return 'all';
  const below = new Map<string, (readonly string[])[]>();
  for (const [first = '', ...rest] of paths) {
    below.set(first, [...(below.get(first) ?? []), rest]);
  }
  return new Map([...below].map(([name, rests]) => [name, matcherOf(rests)]));
}

/** A field on the way to those that are wanted is in, if it was in the set. */
function matching(set: FieldSet, wanted: Matcher): FieldSet {
  if (wanted === 'all') return set;
  return changed(set, (element, node) => {
    const inner = matcherFor(wanted, element);
    if (inner === undefined) return undefined;
    const kept = matching(node, inner);
    return isMember(node) && !(SELF in kept)
      ? (nodeOf({ ...kept, [SELF]: {} }) ?? node)
      : nodeOf(kept);
  });
}

/** One for any element comes before one for this element. */
function matcherFor(wanted: ReadonlyMap<string, Matcher>, element: string): Matcher | undefined {
  const any = wanted.get(ANY_ELEMENT);
  if (any !== undefined || !isFieldElement(element)) return any;
  return wanted.get(element.slice(2));
}
