/**
 * The values of built-in kinds that JSON has no types for, as decoding leaves them.
 * The declarations of api/generated/kinds are made of these.
 */

/** A whole number of 64 bits: a bigint beyond 2^53 - 1 on either side, and a number elsewhere. */
export type Int64 = number | bigint;

/** In its canonical spelling: `500m`, `1Gi`. */
export type Quantity = string;

/** A port or an amount by its number, or a name or a percentage. */
export type IntOrString = number | string;

/** RFC 3339 in UTC with whole seconds; null is Go's zero time. */
export type Time = string | null;

/** RFC 3339 in UTC with microseconds; null is Go's zero time. */
export type MicroTime = string | null;

/** What a client has sent of a list: nothing at all is a list without items. */
export type ListOf<Item> = readonly Item[] | null | undefined;

/** Bytes in base64 with padding. */
export type Base64 = string;

/** The items; none where there is no list. The list is the object's own: it is not to be changed. */
export function items<Item>(list: Item[] | null | undefined): Item[];
export function items<Item>(list: ListOf<Item>): readonly Item[];
export function items<Item>(list: ListOf<Item>): readonly Item[] {
  return list ?? [];
}
