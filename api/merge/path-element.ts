/**
 * Path elements as managedFields has them: `f:name` a field, `k:{"name":"a"}` the item of a list
 * with that key, `v:"a"` the item of a set, `i:0` an item by its place. Each has one canonical
 * text, so that two are the same if and only if their texts are.
 *
 * The surprise is their order, which is that of what they say and not of their texts: fields, keys,
 * values, indices, and among values numbers before strings.
 *
 * In Kubernetes: PathElement, sigs.k8s.io/structured-merge-diff/fieldpath, and the JSON of
 * json-iterator.
 */
import { Escapes, hex } from '../json/go-escapes.ts';
import { parseJson } from '../json/json-text.ts';
import { sortedItems } from '../json/long-values.ts';
import { mapItems, stepped } from '../json/work-in-slices.ts';
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { parseInt64 } from '../json/go-numbers.ts';
import { compareGoStrings, goQuote } from '../json/go-format.ts';
import { DEPTH_MAX } from '../json/json-tree.ts';
import { showNumber } from './show-value.ts';
import { compareValues } from './value-order.ts';

export type KeyField = readonly [name: string, value: JsonValue];

/** Nearly every key there is: one field, whose text needs no escapes. */
const PLAIN_KEY = /^k:\{"[\w.-]+":(?:"[\w ./:@*-]*"|0|[1-9]\d{0,14})\}$/;
/** A key of one field that is text without escapes: its name, its text. */
const TEXT_KEY = /^k:\{"([^"\\]*)":"([^"\\]*)"\}$/;

/** `f:<name>`: a field of an object. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** Sorts the fields, which are its own to sort. */
export function keyElement(fields: KeyField[]): string {
  const [only] = fields;
  if (only !== undefined && fields.length === 1) return `k:{${keyFieldText(only)}}`;
  fields.sort(compareFieldNames);
  return `k:{${fields.map(keyFieldText).join(',')}}`;
}

export function valueElement(value: JsonValue): string {
  return `v:${elementJson(value)}`;
}

function keyFieldText([name, value]: KeyField): string {
  return `${stringText(name, CONTROLS)}:${elementJson(value)}`;
}

/**
 * The canonical text of an element that was read.
 *
 * @returns undefined when its kind is not known, which is no mistake; null when it is one.
 */
export function canonicalElement(text: string): string | undefined | null {
  if (text.startsWith('f:') || PLAIN_KEY.test(text)) return text;
  if (text.length < 2 || text[1] !== ':') return null;
  switch (text[0]) {
    case 'k': {
      const key = readElementValue(text.slice(2));
      if (key === null) return 'k:{}';
      return isJsonObject(key) ? keyElement(keyFields(key)) : null;
    }
    case 'v': {
      const value = readElementValue(text.slice(2));
      return value === undefined ? null : valueElement(value);
    }
    case 'i': {
      const index = parseInt64(text.slice(2));
      return typeof index === 'bigint' ? `i:${String(index)}` : null;
    }
    default:
      return undefined;
  }
}

/** Both must be canonical. */
export function compareElements(left: string, right: string): number {
  if (left === right) return 0;
  if (isFieldElement(left) && isFieldElement(right)) return compareGoStrings(left, right);
  const rank = rankOf(left);
  if (rank !== rankOf(right)) return rank - rankOf(right);
  const [one, other] = [left.slice(2), right.slice(2)];
  if (rank === 3) return Number(one) - Number(other);
  if (rank === VALUE_RANK)
    return compareValues(readElementValue(one) ?? null, readElementValue(other) ?? null);
  const [mine, yours] = [TEXT_KEY.exec(left), TEXT_KEY.exec(right)];
  if (mine === null || yours === null || mine[1] !== yours[1]) {
    return compareKeys(keyFieldsOf(left), keyFieldsOf(right));
  }
  return compareGoStrings(mine[2] ?? '', yours[2] ?? '');
}

/** Fewer are compared as they are. */
const READ_ONCE_FROM = 16;

/** Many keys and values in the order of {@link compareElements}, each read once; not in place. */
export function sortedElements(elements: readonly string[]): string[] {
  const isPlain = elements.length < READ_ONCE_FROM || elements.every(isFieldElement);
  if (isPlain) return sortedItems(elements, compareElements);
  return sortedItems(mapItems(elements, readElement), compareRead).map(({ element }) => element);
}

interface ReadElement {
  readonly element: string;
  /** Of a key. */
  readonly fields: readonly KeyField[];
  /** Of a value of a set. */
  readonly value: JsonValue;
}

function readElement(element: string): ReadElement {
  const rank = rankOf(element);
  const fields = rank === KEY_RANK ? keyFieldsOf(element) : [];
  const value = rank === VALUE_RANK ? (readElementValue(element.slice(2)) ?? null) : null;
  return { element, fields, value };
}

function compareRead(left: ReadElement, right: ReadElement): number {
  const rank = rankOf(left.element);
  if (rank !== rankOf(right.element)) return rank - rankOf(right.element);
  if (rank === KEY_RANK) return compareKeys(left.fields, right.fields);
  if (rank === VALUE_RANK) return compareValues(left.value, right.value);
  return compareElements(left.element, right.element);
}

/**
 * For people: `.spec`, `[name="a",port=80]`, `[="a"]`, `[0]`.
 *
 * @param show how numbers are shown; otherwise as those that were read as floating point, which is
 *     how an entry and an applied object are read.
 */
export function showElement(element: string, show: ShowNumber = showNumber): string {
  const text = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${text}`;
    case 'k':
      return `[${keyFieldsOf(element)
        .map(([name, value]) => `${name}=${showValue(value, show)}`)
        .join(',')}]`;
    case 'v':
      return `[=${showValue(readElementValue(text) ?? null, show)}]`;
    default:
      return `[${text}]`;
  }
}

/** True for a field, false for an item of a list. */
export function isFieldElement(element: string): boolean {
  return element.startsWith('f:');
}

export function isKeyElement(element: string): boolean {
  return element.startsWith('k:');
}

/** Fields, keys, values, indices. */
const KEY_RANK = 1;
const VALUE_RANK = 2;

function rankOf(element: string): number {
  return 'fkvi'.indexOf(element[0] ?? '');
}

function compareKeys(left: readonly KeyField[], right: readonly KeyField[]): number {
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareGoStrings(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function keyFieldsOf(element: string): KeyField[] {
  const [, name, text] = TEXT_KEY.exec(element) ?? [];
  if (name !== undefined && text !== undefined) return [[name, text]];
  const key = readElementValue(element.slice(2));
  return isJsonObject(key) ? keyFields(key).sort(compareFieldNames) : [];
}

function keyFields(key: JsonObject): KeyField[] {
  return Object.entries(key).map(([name, value]) => [name, value ?? null]);
}

function compareFieldNames([left]: KeyField, [right]: KeyField): number {
  return compareGoStrings(left, right);
}

/** undefined when it is no JSON, too deep, or has a number beyond all doubles: that is no text. */
function readElementValue(text: string): JsonValue | undefined {
  try {
    const value = parseJson(text);
    return isKept(value, DEPTH_MAX) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is the same when it is written, by a walk into it as deep as it is. */
function isKept(value: JsonValue, depthMax: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return depthMax > 0 && Object.values(value).every((one) => isKept(one ?? null, depthMax - 1));
}

const IN_HTML: ReadonlySet<string> = new Set(['<', '>', '&', '\u2028', '\u2029']);
const CONTROLS = new Escapes((point) => escapeOf(point, false));
const HTML_AND_CONTROLS = new Escapes((point) => escapeOf(point, true));
/** Most texts have nothing that is escaped. */
const MAYBE_ESCAPED = /["\\\u0000-\u001f<>&\u2028\u2029]/;
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** So much of a text is written in the time of a step. */
const CHARACTERS_A_STEP = 32;

/** JSON with sorted keys, escaped for the sake of HTML, and two digits in exponents. */
function elementJson(value: JsonValue): string {
  if (typeof value === 'string') return stringText(value, HTML_AND_CONTROLS);
  if (isNumber(value)) return numberText(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(elementJson).join(',')}]`;
  return `{${keyFields(value).sort(compareFieldNames).map(keyFieldText).join(',')}}`;
}

function stringText(text: string, escapes: Escapes): string {
  stepped(text.length / CHARACTERS_A_STEP);
  return MAYBE_ESCAPED.test(text) ? `"${escapes.write(text)}"` : `"${text}"`;
}

function escapeOf(point: number, isForHtml: boolean): string | undefined {
  const character = String.fromCodePoint(point);
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return short;
  const isEscaped = point < 0x20 || (isForHtml && IN_HTML.has(character));
  return isEscaped ? `\\u${hex(point, 4)}` : undefined;
}

function numberText(value: number | bigint): string {
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}

type ShowNumber = (value: number | bigint) => string;

/** `%q` of text, `%v` of numbers. */
function showValue(value: JsonValue, show: ShowNumber): string {
  if (typeof value === 'string') return goQuote(value);
  if (isNumber(value)) return show(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => showValue(item, show)).join(',')}]`;
  return keyFields(value)
    .map(([name, field]) => `${name}=${showValue(field, show)}`)
    .join('');
}
