/**
 * Single options out of a query string, read as upstream's parameter codec reads them: the first
 * value counts, numbers must be what Go's strconv takes, and any value of a boolean is true, even
 * an empty one, except `0` and `false`.
 *
 * In Kubernetes: Convert_Slice_string_To_bool and its like, apimachinery/pkg/runtime/conversion.go.
 */
import { goQuote } from '../json/go-format.ts';
import { int64Of } from '../json/int64.ts';
import { queryValue } from '../meta/web-addresses.ts';
import { parseInt64 } from '../json/whole-number.ts';

export type QueryNumber<Value = number> =
  | { readonly ok: true; readonly value: Value | undefined }
  /** `message` is the whole message of the 400 BadRequest. */
  | { readonly ok: false; readonly message: string };

const ABSENT: QueryNumber<never> = { ok: true, value: undefined };
const FALSE = /^(?:0|false)$/iu;

/** undefined when the query does not have it. */
export function queryBoolean(query: string, name: string): boolean | undefined {
  const value = queryValue(query, name);
  return value === undefined ? undefined : !FALSE.test(value);
}

/** Beyond 2^53 the number is the nearest that JavaScript has. */
export function queryInteger(query: string, name: string): QueryNumber {
  const read = queryInt64(query, name);
  if (!read.ok || read.value === undefined) return read.ok ? ABSENT : read;
  return { ok: true, value: Number(read.value) };
}

/** The exact number, as JSON values have it. */
export function queryInt64(query: string, name: string): QueryNumber<number | bigint> {
  const text = queryValue(query, name);
  if (text === undefined) return ABSENT;
  const value = parseInt64(text);
  if (typeof value === 'bigint') return { ok: true, value: int64Of(value) };
  return { ok: false, message: `strconv.ParseInt: parsing ${goQuote(text)}: ${value}` };
}

export function queryString(query: string, name: string): string {
  return queryValue(query, name) ?? '';
}
