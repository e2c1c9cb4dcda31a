/** Keeps the parts of a value that a newer one repeats, so that `===` tells what has changed. */

/**
 * The value `after`, in which each part that equals its counterpart in `before` is that counterpart; all of
 * `before` where nothing has changed. Both are JSON, and neither is changed.
 */
export function shared<Value>(before: unknown, after: Value): Value {
  if (Object.is(before, after)) return after;
  if (Array.isArray(before) && Array.isArray(after)) return sharedList(before, after) as Value;
  if (!isRecord(before) || !isRecord(after)) return after;
  const keys = Object.keys(after);
  let isSame = keys.length === Object.keys(before).length;
  const parts = keys.map((key): [string, unknown] => {
    const part = shared(Object.hasOwn(before, key) ? before[key] : undefined, after[key]);
    isSame &&= Object.hasOwn(before, key) && Object.is(part, before[key]);
    return [key, part];
  });
  // Equal in all of its parts, it is a value of the same type.
  return (isSame ? before : Object.fromEntries(parts)) as Value;
}

function sharedList(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const parts = after.map((part, at) => shared(before[at], part));
  const isSame =
    parts.length === before.length && parts.every((part, at) => Object.is(part, before[at]));
  return isSame ? before : parts;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
