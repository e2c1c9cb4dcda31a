/**
 * What a client may say about a create, an update, a patch or a get beside the object itself. An
 * empty query costs nothing: it gives the same options every time. Options of a kind that the verb
 * does not know are passed over in silence, as upstream does.
 *
 * Single options are read as upstream's parameter codec reads them: the first value counts, numbers
 * must be what Go's strconv takes, and any value of a boolean is true, even an empty one, except
 * `0` and `false`.
 *
 * In Kubernetes: CreateOptions … of apimachinery/pkg/apis/meta/v1, and their validation;
 * Convert_Slice_string_To_bool and its like, apimachinery/pkg/runtime/conversion.go.
 */
import { goJson, goQuote, UNPRINTABLE } from '../json/go-format.ts';
import { int64Of, parseInt64 } from '../json/go-numbers.ts';
import { queryValue, queryValues } from '../meta/web-addresses.ts';
import {
  ERRORS_SHOWN_MAX,
  type FieldError,
  type FieldErrors,
  forbiddenField,
  required,
  tooLong,
} from '../field/field-errors.ts';
import { invalid, type Status } from '../meta/status.ts';

type QueryNumber<Value = number> =
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
  // Each error shows the manager, which may be long: it is quoted once, and told as often as errors are.
  const shown = goQuote(manager);
  let [from, position] = [0, 0];
  for (const { 0: character, index } of manager.matchAll(UNPRINTABLE)) {
    if (errors.length >= ERRORS_SHOWN_MAX) break;
    position += Buffer.byteLength(manager.slice(from, index));
    from = index;
    errors.push(unprintable(path, shown, { character, position }));
  }
  return errors;
}

interface Found {
  readonly character: string;
  /** In bytes. */
  readonly position: number;
}

function unprintable(path: string, shown: string, { character, position }: Found): FieldError {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const detail = `invalid character U+${code} (at position ${String(position)})`;
  return {
    type: 'FieldValueInvalid',
    field: path,
    body: `Invalid value: ${shown}: ${detail}`,
  };
}

/** What happens to fields that the type does not know, and to fields that stand there twice. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Everything is done but the write. */
interface DryRunOption {
  readonly dryRun: boolean;
}

/** The query of a create. */
export interface CreateOptions extends DryRunOption {
  /** '' when the client did not name itself; then it is known by its user agent. */
  readonly fieldManager: string;
  /** `Warn` when the client did not say. */
  readonly fieldValidation: FieldValidation;
}

/** The query of an update, which has the same options as a create. */
export type UpdateOptions = CreateOptions;

/** The query of a patch or an apply. */
export interface PatchOptions extends CreateOptions {
  /** Takes fields from other managers; only for apply. */
  readonly force: boolean;
}

interface GetOptions {
  /** '' when none was given. */
  readonly resourceVersion: string;
  /** The object is wanted as it was at exactly that version; upstream has this for lists alone. */
  readonly isExact: boolean;
  /** Whether it asks for what `kubectl get --export` once asked for, which is refused. */
  readonly isExport: boolean;
}

/** The options, or the 400 that answers a query that has no meaning. */
export type ParsedOptions<Options> =
  | { readonly ok: true; readonly options: Options }
  | { readonly ok: false; readonly status: Status };

const NO_CREATE_OPTIONS: CreateOptions = {
  dryRun: false,
  fieldManager: '',
  fieldValidation: 'Warn',
};
const EMPTY: ParsedOptions<CreateOptions> = { ok: true, options: NO_CREATE_OPTIONS };
const EMPTY_PATCH: ParsedOptions<PatchOptions> = {
  ok: true,
  options: { force: false, ...NO_CREATE_OPTIONS },
};
const EMPTY_GET: GetOptions = { resourceVersion: '', isExact: false, isExport: false };

/** @param query As in the URL, without the question mark. */
export function parseCreateOptions(query: string): ParsedOptions<CreateOptions> {
  return query === '' ? EMPTY : parseWriteOptions(query, 'CreateOptions');
}

/** @param query As in the URL, without the question mark. */
export function parseUpdateOptions(query: string): ParsedOptions<UpdateOptions> {
  return query === '' ? EMPTY : parseWriteOptions(query, 'UpdateOptions');
}

/**
 * @param query As in the URL, without the question mark.
 * @param isApply Whether the patch is an apply configuration, which must name its field manager.
 */
export function parsePatchOptions(query: string, isApply: boolean): ParsedOptions<PatchOptions> {
  if (query === '' && !isApply) return EMPTY_PATCH;
  const written = readWriteOptions(query);
  const force = queryBoolean(query, 'force');
  const errors: FieldError[] = [];
  if (isApply) {
    if (written.fieldManager === '') {
      errors.push(required('fieldManager', 'is required for apply patch'));
    }
  } else if (force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...validateWriteOptions(written));
  if (errors.length > 0) return { ok: false, status: invalidOptions('PatchOptions', errors) };
  return { ok: true, options: { force: force ?? false, ...optionsOf(written) } };
}

/** @param query As in the URL, without the question mark. */
export function parseGetOptions(query: string): GetOptions {
  if (query === '') return EMPTY_GET;
  const resourceVersion = queryString(query, 'resourceVersion');
  // Where there is no version there is nothing to be exact about, and upstream does not know the word.
  const pinned = resourceVersion !== '' && resourceVersion !== '0';
  const isExact = pinned && queryString(query, 'resourceVersionMatch') === 'Exact';
  return { resourceVersion, isExact, isExport: queryBoolean(query, 'export') === true };
}

/** The 422 that says what is wrong with options of the kind `CreateOptions`, `ListOptions` … */
export function invalidOptions(kind: string, errors: FieldErrors): Status {
  return invalid({ group: 'meta.k8s.io', resource: kind }, '', errors);
}

/** `All` is the one kind of dry run there is. */
export function validateDryRun(values: readonly string[]): FieldErrors {
  if (values.every((value) => value === 'All')) return [];
  return [unsupported('dryRun', goJson([...values]), ['All'])];
}

/** `shown` stands in the message as it is. */
export function unsupported(
  field: string,
  shown: string,
  supported: readonly string[],
): FieldError {
  return {
    type: 'FieldValueNotSupported',
    field,
    body: `Unsupported value: ${shown}: supported values: ${supported.map(goQuote).join(', ')}`,
  };
}

/** As the client wrote them. */
interface WrittenOptions {
  readonly dryRun: readonly string[];
  readonly fieldManager: string;
  readonly fieldValidation: string;
}

function parseWriteOptions(query: string, kind: string): ParsedOptions<CreateOptions> {
  const written = readWriteOptions(query);
  const errors = validateWriteOptions(written);
  if (errors.length > 0) return { ok: false, status: invalidOptions(kind, errors) };
  return { ok: true, options: optionsOf(written) };
}

function readWriteOptions(query: string): WrittenOptions {
  return {
    dryRun: queryValues(query, 'dryRun'),
    fieldManager: queryString(query, 'fieldManager'),
    fieldValidation: queryString(query, 'fieldValidation'),
  };
}

function validateWriteOptions(written: WrittenOptions): FieldErrors {
  const { dryRun, fieldManager, fieldValidation } = written;
  const errors = [...validateFieldManager(fieldManager, 'fieldManager'), ...validateDryRun(dryRun)];
  if (fieldValidation !== '' && !isFieldValidation(fieldValidation)) {
    const supported = ['', 'Ignore', 'Strict', 'Warn'];
    errors.push(unsupported('fieldValidation', goQuote(fieldValidation), supported));
  }
  return errors;
}

function optionsOf({ dryRun, fieldManager, fieldValidation }: WrittenOptions): CreateOptions {
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: isFieldValidation(fieldValidation) ? fieldValidation : 'Warn',
  };
}

function isFieldValidation(value: string): value is FieldValidation {
  return value === 'Ignore' || value === 'Warn' || value === 'Strict';
}
