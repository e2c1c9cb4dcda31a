/**
 * Label selectors, compiled once and then asked for every object. There are two that need no
 * labels at all: one that selects everything (an empty string or an empty object) and one that
 * selects nothing (no object where one was expected).
 *
 * In Kubernetes: labels.Parse, apimachinery/pkg/labels, and LabelSelectorAsSelector,
 * apimachinery/pkg/apis/meta/v1.
 */
import { compareGoStrings, goQuote } from '../json/go-format.ts';
import { parseRequirements, requirementsInParts } from './label-selector-parser.ts';
import {
  compileRequirement,
  formatRequirement,
  requirement,
  type LabelOperator,
  type LabelRequirement,
  type LabelTest,
  type MadeRequirement,
} from './label-selector-requirement.ts';
import type { JsonObject } from '../json/json.ts';
import { keysOf, someItem } from '../json/work-in-slices.ts';
import type { Parts } from '../json/json-parts.ts';
import type { StringMap } from '../meta/object-meta.ts';

export type { LabelOperator, LabelRequirement } from './label-selector-requirement.ts';

export interface LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** Everything is selected. */
  readonly isEmpty: boolean;
  /** Nothing is ever selected, whatever the requirements. */
  readonly selectsNothing: boolean;
  /** The selector as a string, the same for selectors that were merely written differently. */
  readonly canonical: string;
  /** Whether an object with these labels is selected; undefined: it has none. */
  matches(labels: StringMap | undefined): boolean;
}

export type ParsedLabelSelector =
  | { readonly ok: true; readonly selector: LabelSelector }
  /** `message` is the whole message of the 400 BadRequest. */
  | { readonly ok: false; readonly message: string };

/** A selector as it stands in objects: `{ matchLabels: {}, matchExpressions: [] }`. */
export interface LabelSelectorObject extends JsonObject {
  /** Each label must have this value. */
  matchLabels?: StringMap;
  /** All of them must hold. */
  matchExpressions?: LabelSelectorExpression[];
}

export interface LabelSelectorExpression extends JsonObject {
  key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  operator: string;
  values?: string[];
}

/** Selects every object: `{}` and the empty text. */
export const EVERY_LABEL: LabelSelector = compile([]);

/** Selects no object: a selector that is null. */
export const NO_LABEL: LabelSelector = {
  requirements: [],
  isEmpty: false,
  selectsNothing: true,
  canonical: '',
  matches: () => false,
};

/** Reads `app=web,tier notin (a,b),!canary,replicas>3`; '' selects everything. */
export function parseLabelSelector(text: string): ParsedLabelSelector {
  if (text === '') return { ok: true, selector: EVERY_LABEL };
  const parsed = parseRequirements(text);
  return parsed.ok ? { ok: true, selector: compile(parsed.requirements) } : parsed;
}

/** Whether it can be read, which is found in half of the time when nothing is to be selected. */
export function* isLabelSelector(text: string): Parts<boolean> {
  return text === '' || (yield* requirementsInParts(text)).ok;
}

/** The object form; undefined selects nothing, an empty object everything. */
export function labelSelectorOf(object: LabelSelectorObject | undefined): ParsedLabelSelector {
  if (object === undefined) return { ok: true, selector: NO_LABEL };
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(object.matchLabels ?? {})) {
    const made = requirement(key, '=', [value]);
    if (!made.ok) return made;
    requirements.push(made.requirement);
  }
  for (const expression of object.matchExpressions ?? []) {
    const made = requirementOf(expression);
    if (!made.ok) return made;
    requirements.push(made.requirement);
  }
  return { ok: true, selector: compile(requirements) };
}

/**
 * Whether the object form selects the labels, where that is asked once: nothing is compiled, and a
 * large selector is gone through in slices. One that says something wrongly selects nothing.
 */
export function selectsLabels(object: LabelSelectorObject, labels: StringMap): boolean {
  const { matchLabels = {}, matchExpressions = [] } = object;
  const holds = (made: MadeRequirement): boolean =>
    made.ok && compileRequirement(made.requirement)(labels);
  return (
    !someItem(keysOf(matchLabels), (key) => {
      return !holds(requirement(key, '=', [matchLabels[key] ?? '']));
    }) && !someItem(matchExpressions, (expression) => !holds(requirementOf(expression)))
  );
}

function requirementOf({ key, operator, values }: LabelSelectorExpression): MadeRequirement {
  const known = OBJECT_OPERATORS.get(operator);
  if (known !== undefined) return requirement(key, known, values ?? []);
  return { ok: false, message: `${goQuote(operator)} is not a valid label selector operator` };
}

const OBJECT_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** The one value that objects must have at `key` to be selected, when there is just one. */
export function exactLabelValue(selector: LabelSelector, key: string): string | undefined {
  const found = selector.requirements.find((one) => one.key === key);
  if (found === undefined || found.values.length !== 1) return undefined;
  const { operator } = found;
  return operator === '=' || operator === '==' || operator === 'in' ? found.values[0] : undefined;
}

/** One label that has one value, as nearly every selector of a watch asks for, and a watch holds its selector. */
class OneLabel implements LabelSelector {
  readonly operator: '=' | '==';
  readonly key: string;
  readonly value: string;

  constructor(operator: '=' | '==', key: string, value: string) {
    this.operator = operator;
    this.key = key;
    this.value = value;
  }

  get requirements(): readonly LabelRequirement[] {
    const { key, operator, value } = this;
    return [{ key, operator, values: [value] }];
  }

  get isEmpty(): boolean {
    return false;
  }

  get selectsNothing(): boolean {
    return false;
  }

  get canonical(): string {
    return this.requirements.map(canonicalRequirement).join(',');
  }

  matches(labels: StringMap | undefined): boolean {
    return labels?.[this.key] === this.value;
  }
}

function compile(unsorted: readonly LabelRequirement[]): LabelSelector {
  const [only] = unsorted;
  if (unsorted.length === 1 && only !== undefined) {
    const { key, operator, values } = only;
    if (operator === '=' || operator === '==') return new OneLabel(operator, key, values[0] ?? '');
  }
  const requirements = [...unsorted].sort((a, b) => compareGoStrings(a.key, b.key));
  return {
    requirements,
    isEmpty: requirements.length === 0,
    selectsNothing: false,
    canonical: requirements.map(canonicalRequirement).join(','),
    matches: conjunction(requirements.map(compileRequirement)),
  };
}

/** Values of the object form come in any order. */
function canonicalRequirement(one: LabelRequirement): string {
  return formatRequirement({ ...one, values: [...one.values].sort(compareGoStrings) });
}

function conjunction(tests: readonly LabelTest[]): LabelTest {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) return (labels) => first(labels) && second(labels);
  return (labels) => tests.every((test) => test(labels));
}
