/**
 * Since Node 23 JSON.parse misreads keys. V8 guesses the next key of an object from objects that it
 * has read before, and compares the guess with the raw text: where one had the key `\`, the text
 * `"\n"` is taken for it. A key that was misread always has a backslash in it, since it is a part of
 * the text that has an escape. So a value without such keys was read as it is.
 */
import type { JsonValue } from './json.ts';

/** Whether the engine that runs this does so. */
export const MISREADS_KEYS: boolean = misreadsKeys();

function misreadsKeys(): boolean {
  // The second object is read with the first one as its pattern.
  JSON.parse('{"everwatch probes":1,"\\\\":1}');
  const read = JSON.parse('{"everwatch probes":1,"\\n":1}') as object;
  return !Object.hasOwn(read, '\n');
}

/** Whether any object in the value has a key with a backslash. Values may be nested deeply. */
export function hasBackslashInKey(value: JsonValue): boolean {
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && Object.keys(next).some(hasBackslash)) return true;
    for (const inner of Object.values(next)) if (inner !== undefined) open.push(inner);
  }
  return false;
}

function hasBackslash(key: string): boolean {
  return key.includes('\\');
}
