/**
 * What a client may say about a delete, in the body or, where there is none, in the query. The two
 * do not mix: with a body the query says nothing. Any apiVersion of the body will do, because each
 * group's clients send their own; the kind may be left out. The option that deletes objects which
 * cannot be read is dropped while upstream's feature gate for it is off.
 *
 * In Kubernetes: DeleteOptions of apimachinery/pkg/apis/meta/v1, its conversion and validation;
 * DeleteResource, apiserver/pkg/endpoints/handlers/delete.go, and the messages of its JSON decoder.
 */
import type { Preconditions } from './preconditions.ts';
import { goJson, goQuote } from '../json/go-format.ts';
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { type FieldError, type FieldErrors, invalidValue } from '../field/field-errors.ts';
import {
  invalidOptions,
  type ParsedOptions,
  queryBoolean,
  queryInt64,
  queryString,
  unsupported,
  validateDryRun,
} from './options.ts';
import { badRequest } from '../meta/status.ts';
import { queryValue, queryValues } from '../meta/web-addresses.ts';

type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan';

/** What a client asks of a delete, as the server takes it. */
export interface DeleteOptions {
  /** Whether nothing is deleted, and all is answered as if it were. */
  readonly dryRun: boolean;
  /** As the client wrote it; what is negative counts as 1. undefined: the kind decides. */
  readonly gracePeriodSeconds: number | bigint | undefined;
  /** What becomes of dependents; undefined: as the kind has it. */
  readonly propagationPolicy: PropagationPolicy | undefined;
  /** The old way to say `Orphan` (true) or `Background` (false). */
  readonly orphanDependents: boolean | undefined;
  /** What must be true of the object; undefined: nothing. */
  readonly preconditions: Preconditions | undefined;
  /** Whether an object is meant that cannot be read; as {@link DeleteOptionsRules} have it. */
  readonly ignoresReadErrors?: boolean;
}

/** What depends on how the server was started. */
export interface DeleteOptionsRules {
  /** Whether a delete may mean objects that cannot be read: upstream's gate AllowUnsafeMalformedObjectDeletion. */
  readonly allowsUnsafe: boolean;
}

/** As the client wrote them. */
interface WrittenDeleteOptions extends Omit<DeleteOptions, 'dryRun' | 'propagationPolicy'> {
  readonly ignoresReadErrors: boolean;
  readonly dryRun: readonly string[];
  readonly propagationPolicy: string | undefined;
}

type ReadDeleteOptions =
  | { readonly ok: true; readonly written: WrittenDeleteOptions }
  | { readonly ok: false; readonly message: string };

/** Kinds that upstream knows here, and which are no DeleteOptions. */
const OTHER_OPTIONS: readonly string[] = ['CreateOptions', 'UpdateOptions', 'Status'];

/** The option that means objects which cannot be read. */
export const UNSAFE_OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential';

const META_VERSION = 'meta.k8s.io/v1';

/** Go's names of the types, by field. */
const FIELD_TYPES = {
  gracePeriodSeconds: 'int64',
  preconditions: 'v1.Preconditions',
  orphanDependents: 'bool',
  propagationPolicy: 'v1.DeletionPropagation',
  dryRun: '[]string',
  [UNSAFE_OPTION]: 'bool',
} as const;

type Field = keyof typeof FIELD_TYPES;

/** Reads no unknown fields; of several problems the first in the document is told. */
function readDeleteBody(body: JsonValue): ReadDeleteOptions {
  const object = body ?? {};
  const problem = typeProblem(object);
  if (problem !== undefined) return { ok: false, message: problem };
  if (!isJsonObject(object)) return { ok: false, message: 'not an object' };
  for (const [name, value] of Object.entries(object)) {
    const wrong = isField(name) ? fieldProblem(name, value ?? null) : undefined;
    if (wrong !== undefined) return { ok: false, message: wrong };
  }
  return { ok: true, written: written(object) };
}

/** What does not let the body be DeleteOptions at all. */
function typeProblem(body: JsonValue): string | undefined {
  const cannot = "couldn't get version/kind; json parse error: json: cannot unmarshal";
  if (!isJsonObject(body)) {
    const target =
      'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
      'Kind string "json:\\"kind,omitempty\\"" }';
    return `${cannot} ${jsonTypeOf(body)} into ${target}`;
  }
  for (const name of ['kind', 'apiVersion']) {
    const value = body[name] ?? '';
    if (typeof value === 'string') continue;
    return `${cannot} ${jsonTypeOf(value)} into Go struct field .${name} of type string`;
  }
  const { kind, apiVersion } = body;
  const version = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : META_VERSION;
  if (version.split('/').length > 2) return `unexpected GroupVersion string: ${version}`;
  if (typeof kind !== 'string' || kind === '' || kind === 'DeleteOptions') return undefined;
  if (OTHER_OPTIONS.includes(kind)) {
    return `converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`;
  }
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(version)} ${scheme}`;
}

function isField(name: string): name is Field {
  return Object.hasOwn(FIELD_TYPES, name);
}

function fieldProblem(field: Field, value: JsonValue): string | undefined {
  if (value === null) return undefined;
  switch (field) {
    case 'gracePeriodSeconds':
      return isInt64(value) ? undefined : mismatch(field, value);
    case 'preconditions':
      return isJsonObject(value) ? preconditionsProblem(value) : mismatch(field, value);
    case 'propagationPolicy':
      return typeof value === 'string' ? undefined : mismatch(field, value);
    case 'dryRun':
      return dryRunProblem(value);
    case 'orphanDependents':
    case UNSAFE_OPTION:
      return typeof value === 'boolean' ? undefined : mismatch(field, value);
  }
}

function preconditionsProblem(preconditions: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(preconditions)) {
    if (name !== 'uid' && name !== 'resourceVersion') continue;
    if (typeof value === 'string' || value === null || value === undefined) continue;
    const type = name === 'uid' ? 'types.UID' : 'string';
    return cannotUnmarshal(value, `Preconditions.preconditions.${name}`, type);
  }
  return undefined;
}

function dryRunProblem(value: JsonValue): string | undefined {
  if (!Array.isArray(value)) return mismatch('dryRun', value);
  const wrong = value.find((one) => typeof one !== 'string' && one !== null);
  return wrong === undefined ? undefined : cannotUnmarshal(wrong, 'DeleteOptions.dryRun', 'string');
}

function isInt64(value: JsonValue): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function mismatch(field: Field, value: JsonValue): string {
  return cannotUnmarshal(value, `DeleteOptions.${field}`, FIELD_TYPES[field]);
}

function cannotUnmarshal(value: JsonValue, field: string, type: string): string {
  // Numbers are shown where the type is a number too, for then it is their value that is wrong.
  const shown = isNumber(value) && type === 'int64' ? `number ${String(value)}` : jsonTypeOf(value);
  return `json: cannot unmarshal ${shown} into Go struct field ${field} of type ${type}`;
}

function jsonTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The types were checked before. */
function written(body: JsonObject): WrittenDeleteOptions {
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions, dryRun } = body;
  return {
    dryRun: Array.isArray(dryRun) ? dryRun.map((one) => (typeof one === 'string' ? one : '')) : [],
    gracePeriodSeconds: isNumber(gracePeriodSeconds) ? gracePeriodSeconds : undefined,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
    propagationPolicy: textOf(propagationPolicy),
    preconditions: isJsonObject(preconditions)
      ? {
          uid: textOf(preconditions['uid']),
          resourceVersion: textOf(preconditions['resourceVersion']),
        }
      : undefined,
    ignoresReadErrors: body[UNSAFE_OPTION] === true,
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export const NO_DELETE_OPTIONS: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  orphanDependents: undefined,
  preconditions: undefined,
};

const EMPTY: ParsedOptions<DeleteOptions> = { ok: true, options: NO_DELETE_OPTIONS };
const POLICIES: readonly PropagationPolicy[] = ['Foreground', 'Background', 'Orphan'];

const NOTHING_UNSAFE: DeleteOptionsRules = { allowsUnsafe: false };

/**
 * @param query As in the URL, without the question mark.
 * @param body The decoded body; undefined when there is none.
 */
export function parseDeleteOptions(
  query: string,
  body?: JsonValue,
  { allowsUnsafe } = NOTHING_UNSAFE,
): ParsedOptions<DeleteOptions> {
  if (query === '' && body === undefined) return EMPTY;
  const read = body === undefined ? readDeleteQuery(query) : readDeleteBody(body);
  if (!read.ok) return { ok: false, status: badRequest(read.message) };
  const { written } = read;
  const isUnsafe = allowsUnsafe && written.ignoresReadErrors;
  const errors = [...validateDelete(written), ...(isUnsafe ? validateUnsafe(written) : [])];
  if (errors.length > 0) return { ok: false, status: invalidOptions('DeleteOptions', errors) };
  return {
    ok: true,
    options: {
      dryRun: written.dryRun.length > 0,
      gracePeriodSeconds: written.gracePeriodSeconds,
      propagationPolicy: POLICIES.find((policy) => policy === written.propagationPolicy),
      orphanDependents: written.orphanDependents,
      preconditions: written.preconditions,
      ...(isUnsafe ? { ignoresReadErrors: true } : {}),
    },
  };
}

function readDeleteQuery(query: string): ReadDeleteOptions {
  const gracePeriod = queryInt64(query, 'gracePeriodSeconds');
  if (!gracePeriod.ok) return gracePeriod;
  return {
    ok: true,
    written: {
      dryRun: queryValues(query, 'dryRun'),
      gracePeriodSeconds: gracePeriod.value,
      propagationPolicy: queryValue(query, 'propagationPolicy'),
      orphanDependents: queryBoolean(query, 'orphanDependents'),
      preconditions: queryPreconditions(query),
      ignoresReadErrors: queryBoolean(query, UNSAFE_OPTION) === true,
    },
  };
}

/** Other than in a body, what is empty here is not meant. */
function queryPreconditions(query: string): Preconditions | undefined {
  const uid = queryString(query, 'uid');
  const resourceVersion = queryString(query, 'resourceVersion');
  if (uid === '' && resourceVersion === '') return undefined;
  return {
    uid: uid === '' ? undefined : uid,
    resourceVersion: resourceVersion === '' ? undefined : resourceVersion,
  };
}

function validateDelete(written: WrittenDeleteOptions): FieldErrors {
  const { propagationPolicy: policy, orphanDependents, dryRun } = written;
  const errors: FieldError[] = [];
  const field = 'propagationPolicy';
  if (policy !== undefined && orphanDependents !== undefined) {
    const sentence = 'orphanDependents and deletionPropagation cannot be both set';
    const body = `Invalid value: ${goJson(policy)}: ${sentence}`;
    errors.push({ type: 'FieldValueInvalid', field, body });
  }
  if (policy !== undefined && !POLICIES.some((known) => known === policy)) {
    errors.push(unsupported(field, goJson(policy), [...POLICIES, 'nil']));
  }
  return [...errors, ...validateDryRun(dryRun)];
}

/** Of an object that cannot be read nothing else can be asked. */
function validateUnsafe(written: WrittenDeleteOptions): FieldErrors {
  const said = {
    dryRun: written.dryRun.length > 0,
    propagationPolicy: written.propagationPolicy !== undefined,
    orphanDependents: written.orphanDependents !== undefined,
    gracePeriodSeconds: written.gracePeriodSeconds !== undefined,
    preconditions: written.preconditions !== undefined,
  };
  return Object.entries(said)
    .filter(([, isSaid]) => isSaid)
    .map(([name]) => invalidValue(UNSAFE_OPTION, true, `cannot be set together with .${name}`));
}
