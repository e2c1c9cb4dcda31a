/**
 * What a writer may call itself.
 *
 * In Kubernetes: ValidateFieldManager, apimachinery/pkg/apis/meta/v1/validation.
 */
import { goQuote, isPrintable } from '../json/go-format.ts';
import { tooLong, type FieldError, type FieldErrors } from '../field/field-errors.ts';

const FIELD_MANAGER_BYTES_MAX = 128;
const PLAIN = /^[ -~]{0,128}$/;
const NO_ERRORS: FieldErrors = Object.freeze([]);

/** Whether it is right at first sight, being short and of ASCII. */
export function isPlainFieldManager(manager: string): boolean {
  return PLAIN.test(manager);
}

/** '' means that none was given, which is right here. */
export function validateFieldManager(manager: string, path: string): FieldErrors {
  if (isPlainFieldManager(manager)) return NO_ERRORS;
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > FIELD_MANAGER_BYTES_MAX) {
    errors.push(tooLong(path, FIELD_MANAGER_BYTES_MAX));
  }
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) errors.push(unprintable(path, manager, { character, position }));
    position += Buffer.byteLength(character);
  }
  return errors;
}

interface Found {
  readonly character: string;
  /** In bytes. */
  readonly position: number;
}

function unprintable(path: string, manager: string, { character, position }: Found): FieldError {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const detail = `invalid character U+${code} (at position ${String(position)})`;
  return {
    type: 'FieldValueInvalid',
    field: path,
    body: `Invalid value: ${goQuote(manager)}: ${detail}`,
  };
}
