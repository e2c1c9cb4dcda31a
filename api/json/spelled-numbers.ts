/**
 * Numbers of a patch as the client spelled them. Upstream's patches of JSON work on raw text, so that `1.0`
 * is still `1.0` when what came of the patch is read by its type, which refuses it for an int.
 * While a patch is applied, such a number is a {@link spelledNumber}.
 */
import { isJsonObject, isNumber, type JsonValue } from './json.ts';
import { keepLiteral, literalAt, numberOfText } from './json-reader.ts';
import { spelledNumber, spellingOf } from './spelled-number.ts';
import { forEachItem, remembered } from './work-in-slices.ts';
import { ownKeys, setOwn } from './own-property.ts';

/**
 * Puts marked texts in the place of numbers whose spelling is known.
 *
 * @param value changed where it stands.
 * @returns whether there were any.
 */
export function markSpelled(value: JsonValue): boolean {
  return changedIn(value, (child, container, key) => {
    const literal = isNumber(child) ? literalAt(container, key) : undefined;
    return literal === undefined ? undefined : spelledNumber(literal);
  });
}

/** The same of the values in the operations of a JSON patch, and nowhere else in it. */
export function markSpelledValues(operations: JsonValue): boolean {
  if (!Array.isArray(operations)) return false;
  const found = remembered(() => ({ is: false }));
  forEachItem(operations, (operation) => {
    if (!isJsonObject(operation)) return;
    const { value = null } = operation;
    const literal = isNumber(value) ? literalAt(operation, 'value') : undefined;
    if (literal !== undefined) operation['value'] = spelledNumber(literal);
    if (literal !== undefined || markSpelled(value)) found.is = true;
  });
  return found.is;
}

/** @param value changed where it stands: its numbers are numbers again, whose spelling is known. */
export function unmarkSpelled(value: JsonValue): void {
  changedIn(value, (child, container, key) => {
    const literal = typeof child === 'string' ? spellingOf(child) : undefined;
    if (literal === undefined) return undefined;
    const number = numberOfText(literal);
    keepLiteral(container, key, literal);
    return number;
  });
}

/** Gives what is to stand in the place of a child; undefined: it stays. */
type Change = (child: JsonValue, container: object, key: string) => JsonValue | undefined;

function changedIn(value: JsonValue, change: Change): boolean {
  if (Array.isArray(value)) return changedInList(value, change);
  if (!isJsonObject(value)) return false;
  const found = remembered(() => ({ isChanged: false }));
  forEachItem(ownKeys(value), (key) => {
    const child = value[key] ?? null;
    const changed = change(child, value, key);
    if (changed !== undefined) setOwn(value, key, changed);
    if (changed !== undefined || changedIn(child, change)) found.isChanged = true;
  });
  return found.isChanged;
}

function changedInList(list: JsonValue[], change: Change): boolean {
  const found = remembered(() => ({ isChanged: false }));
  forEachItem(list, (child, index) => {
    const changed = change(child, list, String(index));
    if (changed !== undefined) list[index] = changed;
    if (changed !== undefined || changedIn(child, change)) found.isChanged = true;
  });
  return found.isChanged;
}
