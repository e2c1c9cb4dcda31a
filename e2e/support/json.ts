/**
 * JSON as tests read it: a path instead of a chain of casts.
 *
 * The visitors import nothing of the house, so they have their own two words for JSON.
 */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** The value at a path of keys and list indices; undefined as soon as a step leads nowhere. */
export function at(
  value: JsonValue | undefined,
  ...path: (string | number)[]
): JsonValue | undefined {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Array.isArray(here) ? here[Number(step)] : here[step];
  }
  return here;
}

/** As `at`, for strings; '' where there is none. */
export function textAt(value: JsonValue | undefined, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** As `at`, for lists; empty where there is none. */
export function listAt(value: JsonValue | undefined, ...path: (string | number)[]): JsonValue[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** @throws SyntaxError where the text is no JSON. */
export function parseJson(text: string): JsonValue {
  // JSON.parse can return nothing but JSON; its declared type is only wider.
  return JSON.parse(text) as JsonValue;
}
