/**
 * Errors whose value upstream prints in a way of its own: strings as Go quotes them, everything
 * else as the JSON that Go would write.
 */
import { goQuote } from '../json/go-format.ts';
import type { FieldError, FieldErrors } from '../field/field-errors.ts';

export const NO_ERRORS: FieldErrors = Object.freeze([]);

/** `Invalid value: "a b": …`, with control characters as Go's `%q` shows them. */
export function invalidText(field: string, value: string, detail: string): FieldError {
  return invalidJson(field, goQuote(value), detail);
}

/** `shown` stands in the message as it is. */
export function invalidJson(field: string, shown: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: `Invalid value: ${shown}: ${detail}` };
}
