/**
 * Which names of a group are taken, and by how many definitions. Plurals, singulars and short
 * names are one set of words, kinds and list kinds are another.
 *
 * The surprise, which is Kubernetes' too: a definition's own words count as taken for the words
 * that it does not have yet.
 * In Kubernetes: NamingConditionController, apiextensions-apiserver/pkg/controller/status.
 */
import { items } from '../../../api/json/go-values.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from '../../../api/generated/kinds/apiextensions-v1.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { Condition } from '../../../api/kinds/apiextensions/customresourcedefinitions/conditions.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';

/** Whether a definition of the group has the word already. */
export interface TakenNames {
  hasResource(name: string): boolean;
  hasKind(name: string): boolean;
}

export interface NamesDecision {
  /** As `status.acceptedNames`. */
  readonly accepted: CustomResourceDefinitionNames;
  readonly condition: Condition;
}

type NameKey = 'plural' | 'singular' | 'kind' | 'listKind';
type Problem = readonly [reason: string, message: string];

/** What of the names in `spec.names` a definition gets; it keeps those it has got before. */
export function decideNames(
  requested: CustomResourceDefinitionNames,
  before: CustomResourceDefinitionNames,
  taken: TakenNames,
): NamesDecision {
  const accepted = { ...before };
  let problem: Problem | undefined;
  const take = (key: NameKey, reason: string, isTaken: (name: string) => boolean): void => {
    const name = requested[key] ?? '';
    if (name === (before[key] ?? '') || !isTaken(name)) accepted[key] = name;
    else problem = [reason, inUse(name)];
  };
  const isResource = (name: string): boolean => taken.hasResource(name);
  const isKind = (name: string): boolean => taken.hasKind(name);
  take('plural', 'PluralConflict', isResource);
  take('singular', 'SingularConflict', isResource);
  const shortNames = items(requested.shortNames);
  const conflict = shortNamesConflict(shortNames, items(before.shortNames), isResource);
  if (conflict === '') setList(accepted, 'shortNames', shortNames);
  else problem = ['ShortNamesConflict', conflict];
  take('kind', 'KindConflict', isKind);
  take('listKind', 'ListKindConflict', isKind);
  setList(accepted, 'categories', items(requested.categories));
  const [reason, message] = problem ?? ['NoConflicts', 'no conflicts found'];
  const status = problem === undefined ? 'True' : 'False';
  return { accepted, condition: { type: 'NamesAccepted', status, reason, message } };
}

function shortNamesConflict(
  requested: readonly string[],
  before: readonly string[],
  isTaken: (name: string) => boolean,
): string {
  if (sameValue([...requested], [...before])) return '';
  const conflicts = requested.filter((name) => !before.includes(name) && isTaken(name));
  const texts = [...new Set(conflicts.map(inUse))];
  return texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
}

function inUse(name: string): string {
  return `${goQuote(name)} is already in use`;
}

function setList(
  names: CustomResourceDefinitionNames,
  key: 'shortNames' | 'categories',
  list: readonly string[],
): void {
  if (list.length > 0) names[key] = [...list];
  else Reflect.deleteProperty(names, key);
}

/** The resources and kinds that a definition has been given, of which no empty one counts. */
export function acceptedIn({ status }: CustomResourceDefinition): {
  readonly resources: readonly string[];
  readonly kinds: readonly string[];
} {
  const { plural, singular = '', shortNames, kind, listKind = '' } = status.acceptedNames;
  const resources = [plural, singular, ...items(shortNames)];
  const kinds = [kind, listKind];
  return { resources: resources.filter(isSaid), kinds: kinds.filter(isSaid) };
}

function isSaid(name: string): boolean {
  return name !== '';
}
