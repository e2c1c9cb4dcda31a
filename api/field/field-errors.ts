/**
 * What is wrong with an object, field by field, in Kubernetes' words, and as the causes of a
 * Status.
 *
 * In Kubernetes: Error and ErrorList, apimachinery/pkg/util/validation/field; StatusCause,
 * apimachinery/pkg/apis/meta/v1.
 */
import { isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { isLong, remembered, stepped } from '../json/work-in-slices.ts';
import { goJson, goQuote } from '../json/go-format.ts';
import { formatGoNumber } from '../json/go-numbers.ts';

type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

/** One thing that is wrong with one field, as kube-apiserver words it. */
export interface FieldError {
  /** By it the message begins, and the cause of the Status has its reason. */
  readonly type: FieldErrorType;
  /** As `spec.containers[0].name` or `metadata.labels[a/b]`; '' is the whole object. */
  readonly field: string;
  /** Everything after `field: `, for example `Required value: must not be empty`. */
  readonly body: string;
}

export type FieldErrors = readonly FieldError[];

/** A value whose text is known: that of a large map is put together by its rule, in slices. */
export class ShownText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What is wrong, as it is shown. */
export type ShownValue = JsonValue | ShownText | undefined;

/**
 * A request with a hundred thousand errors gets no answer of a hundred megabytes: the first are
 * told. So a rule may stop where it has found as many.
 */
export const ERRORS_SHOWN_MAX = 1_000;

/** Nor where each of a few errors shows a list that is large: in characters, behind the first. */
const SHOWN_LENGTH_MAX = 4 * 1024 * 1024;

/** Those that are told. */
export function shownErrors(errors: FieldErrors): FieldErrors {
  let [length, count] = [0, 0];
  for (const { field, body } of errors) {
    length += field.length + body.length;
    if (count > 0 && (length > SHOWN_LENGTH_MAX || count >= ERRORS_SHOWN_MAX)) break;
    count += 1;
  }
  return count === errors.length ? errors : errors.slice(0, count);
}

/** `Required value`, with the reason behind it when there is one. */
export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, body: withDetail('Required value', detail) };
}

/** The field may not be set, or not be changed, here: `Forbidden: <detail>`. */
export function forbiddenField(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, body: withDetail('Forbidden', detail) };
}

/** `Invalid value: <value>: <detail>`; the value is shown as Go shows it. */
export function invalidValue(field: string, value: ShownValue, detail: string): FieldError {
  return {
    type: 'FieldValueInvalid',
    field,
    body: withDetail(`Invalid value: ${shown(value)}`, detail),
  };
}

/** `Invalid value: <detail>`, where the value is long or no client needs to see it. */
export function invalidUnshown(field: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: withDetail('Invalid value', detail) };
}

/** Told apart from other invalid values by its type alone, which is not what clients read. */
export function fieldOfWrongType(field: string, value: JsonValue, detail: string): FieldError {
  return { ...invalidValue(field, value, detail), type: 'FieldValueTypeInvalid' };
}

/** `Duplicate value: <value>`, at the second of the two. */
export function duplicateValue(field: string, value: JsonValue | undefined): FieldError {
  return { type: 'FieldValueDuplicate', field, body: `Duplicate value: ${shown(value)}` };
}

/** `Not found: <value>`, for a name that refers to what is not in the object. */
export function notFoundValue(
  field: string,
  value: JsonValue | undefined,
  detail = '',
): FieldError {
  const body = withDetail(`Not found: ${shown(value)}`, detail);
  return { type: 'FieldValueNotFound', field, body };
}

/** `supported` is listed in the order given, as upstream lists it. */
export function notSupported(
  field: string,
  value: ShownValue,
  supported: readonly string[],
): FieldError {
  const detail = supported.length > 0 ? `supported values: ${listed(supported)}` : '';
  return {
    type: 'FieldValueNotSupported',
    field,
    body: withDetail(`Unsupported value: ${shown(value)}`, detail),
  };
}

/** What rules support they say in constants, and of a long list more than once. */
const LISTED = new WeakMap<readonly string[], string>();

function listed(supported: readonly string[]): string {
  let text = LISTED.get(supported);
  if (text === undefined) {
    text = supported.map(goQuote).join(', ');
    LISTED.set(supported, text);
  }
  return text;
}

/** The value itself is not shown: it is long by definition. */
export function tooLong(field: string, bytesMax: number): FieldError {
  const detail =
    bytesMax >= 0
      ? `may not be more than ${String(bytesMax)} ${bytesMax === 1 ? 'byte' : 'bytes'}`
      : 'value is too long';
  return { type: 'FieldValueTooLong', field, body: withDetail('Too long', detail) };
}

/** `Too many: <actual>: must have at most <itemsMax> items`. */
export function tooMany(field: string, actual: number, itemsMax: number): FieldError {
  const detail = `must have at most ${String(itemsMax)} ${itemsMax === 1 ? 'item' : 'items'}`;
  return { type: 'FieldValueTooMany', field, body: `Too many: ${String(actual)}: ${detail}` };
}

/** One error as it stands in a message: `metadata.name: Required value: …`. */
export function formatFieldError(error: FieldError): string {
  return error.field === '' ? error.body : `${error.field}: ${error.body}`;
}

/** One error alone, or several as `[a, b]`, each text once. */
export function formatFieldErrors(errors: FieldErrors): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** The causes of a 422, in the order of the errors. */
export function causesOf(errors: FieldErrors): StatusCause[] {
  return errors.map(({ type, field, body }) => ({ reason: type, message: body, field }));
}

function withDetail(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`;
}

/**
 * As Go's field.Error prints it: strings quoted, numbers as `%v`, null spelled, the rest as JSON,
 * behind which there may be a pause: an item that leaves something for later ones makes its errors first.
 */
function shown(value: ShownValue): string {
  if (value instanceof ShownText) return value.text;
  if (isNumber(value)) return formatGoNumber(value);
  if (typeof value === 'string') return shownText(value);
  if (value === undefined || value === null) return 'null';
  // Once, whatever pauses come behind it: a list may have very many items.
  return remembered(() => {
    if (lastLong?.value === value) return lastLong.text;
    const text = goJson(value);
    stepped(text.length / CHARACTERS_A_STEP);
    if (typeof value === 'object' && text.length >= LONG_FROM) lastLong = { value, text };
    return text;
  });
}

/** A text between quotes; behind a long one there may be a pause as well. */
export function shownText(text: string): string {
  const steps = text.length / CHARACTERS_A_STEP;
  return isLong(steps) ? remembered(() => goQuote(text), steps) : goQuote(text);
}

/** Of a list some rules show all of it with each of its items, which would be a square of its length. */
let lastLong: { readonly value: object; readonly text: string } | undefined;
const LONG_FROM = 4_096;

/** So much of a text is written in the time of a step. */
const CHARACTERS_A_STEP = 32;

/** One of the reasons why a request failed, as a Status tells it. */
export interface StatusCause extends JsonObject {
  /** For a machine: `FieldValueInvalid`. */
  reason?: string;
  /** For people, without the field. */
  message?: string;
  /** As `spec.containers[0].name`. */
  field?: string;
}
