/**
 * Values as the messages of merging show them. The surprise is that upstream prints the box in
 * which it keeps a value, `&{map[a:1]}` or `&value.valueUnstructured{Value:"a"}`, and that all
 * numbers are floating point, because that is how an applied object is read.
 */
import { isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { compareGoStrings, goQuote } from '../json/go-format.ts';

/** `%v` of a float64: 100000, 1e+06, 1.234567e+06. */
export function showNumber(shown: number | bigint): string {
  const value = Number(shown);
  const magnitude = Math.abs(value);
  const isPlain = magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e6);
  const text = isPlain ? String(value) : value.toExponential();
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** `%v` of the box: `&{map[a:1 b:<nil>]}`. */
export function showBoxed(value: JsonValue): string {
  return `&{${showPlain(value)}}`;
}

/** `%#v` of the box: `&value.valueUnstructured{Value:map[string]interface {}{"a":1}}`. */
export function showBoxedSyntax(value: JsonValue): string {
  return `&value.valueUnstructured{Value:${showSyntax(value)}}`;
}

/** `%T`: `string`, `float64`, `map[string]interface {}`. */
export function showTypeOf(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (isNumber(value)) return 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function showPlain(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (isNumber(value)) return showNumber(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(showPlain).join(' ')}]`;
  return `map[${sortedEntries(value)
    .map(([key, field]) => `${key}:${showPlain(field)}`)
    .join(' ')}]`;
}

function showSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (isNumber(value)) return showNumber(value);
  if (typeof value === 'string') return goQuote(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(showSyntax).join(', ')}}`;
  return `map[string]interface {}{${sortedEntries(value)
    .map(([key, field]) => `${goQuote(key)}:${showSyntax(field)}`)
    .join(', ')}}`;
}

function sortedEntries(value: JsonObject): [string, JsonValue][] {
  return Object.entries(value)
    .flatMap(([key, field]): [string, JsonValue][] => (field === undefined ? [] : [[key, field]]))
    .sort(([left], [right]) => compareGoStrings(left, right));
}
