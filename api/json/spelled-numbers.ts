/**
 * Numbers of a patch as the client spelled them. Upstream's patches of JSON work on raw text, so that `1.0`
 * is still `1.0` when what came of the patch is read by its type, which refuses it for an int.
 *
 * While a patch is applied, such a number is a string that no JSON can hold: half of a surrogate pair, and
 * the number's text behind it.
 */
import { isJsonObject, isNumber, type JsonValue } from './json.ts';
import { keepLiteral, literalAt, numberOfText } from './json-reader.ts';
import { formatJson } from './json-text.ts';
import { ownKeys, setOwn } from './own-property.ts';

const MARK = '\ud800';
const SHOWN_MARK = /"\\ud800([^"\\]+)"/g;

/**
 * Puts marked texts in the place of numbers whose spelling is known.
 *
 * @param value changed where it stands.
 * @returns whether there were any.
 */
export function markSpelled(value: JsonValue): boolean {
  return changedIn(value, (child, container, key) => {
    const literal = isNumber(child) ? literalAt(container, key) : undefined;
    return literal === undefined ? undefined : MARK + literal;
  });
}

/** The same of the values in the operations of a JSON patch, and nowhere else in it. */
export function markSpelledValues(operations: JsonValue): boolean {
  if (!Array.isArray(operations)) return false;
  return operations.filter(isJsonObject).reduce((isFound, operation) => {
    const { value = null } = operation;
    const literal = isNumber(value) ? literalAt(operation, 'value') : undefined;
    if (literal === undefined) return markSpelled(value) || isFound;
    operation['value'] = MARK + literal;
    return true;
  }, false);
}

/** @param value changed where it stands: its numbers are numbers again, whose spelling is known. */
export function unmarkSpelled(value: JsonValue): void {
  changedIn(value, (child, container, key) => {
    if (typeof child !== 'string' || !child.startsWith(MARK)) return undefined;
    const literal = child.slice(MARK.length);
    const number = numberOfText(literal);
    keepLiteral(container, key, literal);
    return number;
  });
}

/** A marked value as text, with its numbers as they were spelled. */
export function formatSpelled(value: JsonValue): string {
  return formatJson(value).replaceAll(SHOWN_MARK, '$1');
}

/** Gives what is to stand in the place of a child; undefined: it stays. */
type Change = (child: JsonValue, container: object, key: string) => JsonValue | undefined;

function changedIn(value: JsonValue, change: Change): boolean {
  if (Array.isArray(value)) return changedInList(value, change);
  if (!isJsonObject(value)) return false;
  let isChanged = false;
  for (const key of ownKeys(value)) {
    const child = value[key] ?? null;
    const changed = change(child, value, key);
    if (changed !== undefined) setOwn(value, key, changed);
    isChanged = changed !== undefined || changedIn(child, change) || isChanged;
  }
  return isChanged;
}

function changedInList(list: JsonValue[], change: Change): boolean {
  let isChanged = false;
  for (const [index, child] of list.entries()) {
    const changed = change(child, list, String(index));
    if (changed !== undefined) list[index] = changed;
    isChanged = changed !== undefined || changedIn(child, change) || isChanged;
  }
  return isChanged;
}
