/**
 * What a client may say about a delete, in the body or, where there is none, in the query.
 *
 * The two do not mix: with a body the query says nothing. The option that deletes objects which
 * cannot be read is dropped, as upstream does while its feature gate is off.
 * In Kubernetes: DeleteOptions of apimachinery/pkg/apis/meta/v1, its conversion and validation.
 */
import { goJson } from '../json/go-format.ts';
import type { FieldError, FieldErrors } from '../field/field-errors.ts';
import type { JsonValue } from '../json/json.ts';
import type {
  DeleteOptions,
  PropagationPolicy,
  ReadDeleteOptions,
  WrittenDeleteOptions,
} from './delete-options.ts';
import { readDeleteBody } from './options-delete-body.ts';
import { queryBoolean, queryInt64, queryString } from './options-query.ts';
import { invalidOptions, unsupported, validateDryRun, type ParsedOptions } from './options.ts';
import type { Preconditions } from './preconditions.ts';
import { badRequest } from '../meta/status.ts';
import { queryValue, queryValues } from '../meta/web-addresses.ts';

export const NO_DELETE_OPTIONS: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  orphanDependents: undefined,
  preconditions: undefined,
};

const EMPTY: ParsedOptions<DeleteOptions> = { ok: true, options: NO_DELETE_OPTIONS };
const POLICIES: readonly PropagationPolicy[] = ['Foreground', 'Background', 'Orphan'];

/**
 * @param query As in the URL, without the question mark.
 * @param body The decoded body; undefined when there is none.
 */
export function parseDeleteOptions(query: string, body?: JsonValue): ParsedOptions<DeleteOptions> {
  if (query === '' && body === undefined) return EMPTY;
  const read = body === undefined ? readDeleteQuery(query) : readDeleteBody(body);
  if (!read.ok) return { ok: false, status: badRequest(read.message) };
  const errors = validateDelete(read.written);
  if (errors.length > 0) return { ok: false, status: invalidOptions('DeleteOptions', errors) };
  const { written } = read;
  return {
    ok: true,
    options: {
      dryRun: written.dryRun.length > 0,
      gracePeriodSeconds: written.gracePeriodSeconds,
      propagationPolicy: POLICIES.find((policy) => policy === written.propagationPolicy),
      orphanDependents: written.orphanDependents,
      preconditions: written.preconditions,
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
