/** Keys of maps that users fill, in Go's order. */
import type { JsonObject } from './json.ts';

/** The keys in the order in which Go writes them: by their UTF-8 bytes. */
export function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  return areSorted(keys) ? keys : keys.sort(compareKeys);
}

/** True for keys in the order in which Go writes those of a map: by UTF-8 bytes. */
export function areSorted(keys: readonly string[]): boolean {
  let previous = '';
  for (const key of keys) {
    if (compareKeys(previous, key) > 0) return false;
    previous = key;
  }
  return true;
}

const SURROGATES = 0xd800;

/** Code units compare as UTF-8 bytes do, except between a surrogate and U+E000 to U+FFFF. */
export function compareKeys(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === end) return a.length - b.length;
  const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
  if (one >= SURROGATES && other >= SURROGATES) {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return one - other;
}
