/**
 * Field selectors: `metadata.name=a,status.phase!=Running`. In values, `,`, `=` and `\` are
 * written with a `\` before them. A term whose field and value are both empty (`=`) counts for
 * nothing, as upstream has it.
 *
 * In Kubernetes: fields.ParseSelector, apimachinery/pkg/fields.
 */
import { compareGoStrings, goQuote } from '../json/go-format.ts';

export interface FieldRequirement {
  readonly field: string;
  /** `==` is read as `=`. */
  readonly operator: '=' | '!=';
  /** Unescaped. */
  readonly value: string;
}

export interface FieldSelector {
  /** In the order of their text. */
  readonly requirements: readonly FieldRequirement[];
  /** Everything is selected. */
  readonly isEmpty: boolean;
  /** The selector as a string, escaped again. */
  readonly canonical: string;
  /** `get` gives the object's value of a field, '' when it has none. */
  matches(get: (field: string) => string): boolean;
  /** The value that the field must have for an object to be selected, when there is one. */
  requiresExactMatch(field: string): string | undefined;
}

export type ParsedFieldSelector =
  | { readonly ok: true; readonly selector: FieldSelector }
  /** `message` is the whole message of the 400 BadRequest. */
  | { readonly ok: false; readonly message: string };

/** Selects every object. */
export const EVERY_FIELD: FieldSelector = compile([]);

/** '' selects everything. */
export function parseFieldSelector(text: string): ParsedFieldSelector {
  if (text === '') return { ok: true, selector: EVERY_FIELD };
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort(compareGoStrings)) {
    if (term === '') continue;
    const parts = TERM.exec(term);
    if (parts === null) {
      const message = `invalid selector: '${text}'; can't understand '${term}'`;
      return { ok: false, message };
    }
    const [, field = '', operator, escaped = ''] = parts;
    const unescaped = unescapeValue(escaped);
    if (!unescaped.ok) return unescaped;
    const { value } = unescaped;
    if (field === '' && value === '') continue;
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value });
  }
  return { ok: true, selector: compile(requirements) };
}

/** The selector `field=value`; the field must not be empty. */
export function fieldEquals(field: string, value: string): FieldSelector {
  return compile([{ field, operator: '=', value }]);
}

/** Objects that both select. */
export function bothFieldSelectors(one: FieldSelector, other: FieldSelector): FieldSelector {
  if (one.isEmpty) return other;
  return other.isEmpty ? one : compile([...one.requirements, ...other.requirements]);
}

/**
 * Why a kind cannot answer this selector, or undefined. Metadata's name and namespace are always
 * supported. The message is for a 400 BadRequest; the few kinds that word it differently give
 * `refuse`, and so do kinds without fields of their own that do not use the common sentence.
 */
export function unsupportedField(
  selector: FieldSelector,
  supported: readonly string[],
  refuse: (field: string) => string = supported.length === 0 ? refuseAllFields : refuseField,
): string | undefined {
  for (const { field } of selector.requirements) {
    if (!ALWAYS_SUPPORTED.includes(field) && !supported.includes(field)) return refuse(field);
  }
  return undefined;
}

/** In the words of a kind that has fields of its own, and of every custom resource. */
export function refuseField(field: string): string {
  return `field label not supported: ${field}`;
}

/** In the words of a kind that has none. */
export function refuseAllFields(field: string): string {
  const known = ALWAYS_SUPPORTED.map(goQuote).join(', ');
  return `${goQuote(field)} is not a known field selector: only ${known}`;
}

const ALWAYS_SUPPORTED: readonly string[] = ['metadata.name', 'metadata.namespace'];

/** A value as it must be written in a selector. */
export function escapeFieldValue(value: string): string {
  return value.length < LONG ? value.replace(SPECIAL, '\\$&') : escapedLong(value);
}

const SPECIAL = /[\\,=]/g;
const LONG = 4_096;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const EQUALS = 0x3d;

/** A replacement of each of three million characters takes half a second, this a fiftieth of it. */
function escapedLong(value: string): string {
  const units = new Uint16Array(value.length * 2);
  let length = 0;
  for (let at = 0; at < value.length; at += 1) {
    const unit = value.charCodeAt(at);
    if (unit === BACKSLASH || unit === COMMA || unit === EQUALS) {
      units[length] = BACKSLASH;
      length += 1;
    }
    units[length] = unit;
    length += 1;
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}

/** The first operator of a term parts it, so a field cannot have an operator in its name. */
const TERM = /^(.*?)(!=|==|=)(.*)$/s;

type Unescaped =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

function unescapeValue(text: string): Unescaped {
  if (!/[\\,=]/.test(text)) return { ok: true, value: text };
  let value = '';
  let isEscaped = false;
  for (const character of text) {
    if (isEscaped) {
      if (!'\\,='.includes(character)) return badEscape(`\\${character}`);
      value += character;
      isEscaped = false;
    } else if (character === '\\') {
      isEscaped = true;
    } else if (character === ',' || character === '=') {
      // Upstream prints the number of the character.
      const code = String(character.charCodeAt(0));
      const message = `invalid field selector: unescaped character in value: ${code}`;
      return { ok: false, message };
    } else {
      value += character;
    }
  }
  return isEscaped ? badEscape('\\') : { ok: true, value };
}

function badEscape(sequence: string): Unescaped {
  return {
    ok: false,
    message: `invalid field selector: invalid escape sequence: ${sequence}`,
  };
}

/** Parts at commas that no backslash stands before; the backslashes stay. */
export function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    if (character !== ',') continue;
    terms.push(text.slice(start, at));
    start = at + 1;
  }
  terms.push(text.slice(start));
  return terms;
}

function compile(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    isEmpty: requirements.length === 0,
    canonical: requirements.map(formatFieldRequirement).join(','),
    matches: compileTest(requirements),
    requiresExactMatch: (field) =>
      requirements.find((one) => one.operator === '=' && one.field === field)?.value,
  };
}

function formatFieldRequirement({ field, operator, value }: FieldRequirement): string {
  return `${field}${operator}${escapeFieldValue(value)}`;
}

function compileTest(requirements: readonly FieldRequirement[]): FieldSelector['matches'] {
  const [only] = requirements;
  if (only === undefined) return () => true;
  const holds = ({ field, operator, value }: FieldRequirement, get: (field: string) => string) =>
    (get(field) === value) === (operator === '=');
  if (requirements.length === 1) return (get) => holds(only, get);
  return (get) => requirements.every((one) => holds(one, get));
}
