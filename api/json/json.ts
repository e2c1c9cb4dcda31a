/**
 * JSON as it comes off the wire. Objects say `undefined` for an absent key, as JavaScript does.
 *
 * A bigint is a whole number of 64 bits that no double keeps, beyond 2^53 - 1 on either side, and
 * never a smaller one, so that equal numbers are equal by `===`. A number beyond 2^53 - 1 is what Go
 * reads as float64. json-text.ts makes and writes both.
 */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject;

/** An object of JSON; undefined is a key that is not there, and is not written. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** True for an object, not for null or a list. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number of either form. */
export function isNumber(value: JsonValue | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The object at `key`, or undefined when there is none or it is something else. */
export function objectAt(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent?.[key];
  return isJsonObject(value) ? value : undefined;
}

/** The string at `key`, or '' when there is none or it is something else. */
export function stringAt(parent: JsonObject | undefined, key: string): string {
  const value = parent?.[key];
  return typeof value === 'string' ? value : '';
}

/** The number at `key`, whole or not, undefined when there is none or it is something else. */
export function numberAt(parent: JsonObject | undefined, key: string): number | bigint | undefined {
  const value = parent?.[key];
  return isNumber(value) ? value : undefined;
}

/** {@link numberAt} of a field that has 32 bits or fewer, or is no whole number. */
export function int32At(parent: JsonObject | undefined, key: string): number | undefined {
  const value = parent?.[key];
  return typeof value === 'number' ? value : undefined;
}

/** The list at `key`, or an empty one when there is none or it is something else. */
export function listAt(parent: JsonObject | undefined, key: string): JsonValue[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value : [];
}

/** The strings in the list at `key`; whatever else is in it is passed over. */
export function textsAt(parent: JsonObject | undefined, key: string): string[] {
  return listAt(parent, key).filter((one) => typeof one === 'string');
}

/** The objects in the list at `key`; whatever else is in it is passed over. */
export function itemsAt(parent: JsonObject | undefined, key: string): JsonObject[] {
  return listAt(parent, key).filter(isJsonObject);
}
