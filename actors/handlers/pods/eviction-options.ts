/**
 * What an Eviction says: how the pod is to be deleted, and whether all of it is only a rehearsal,
 * which can be said in two places.
 *
 * In Kubernetes: the beginning of EvictionREST.Create, registry/core/pod/storage/eviction.go.
 */
import type { Eviction } from '../../../api/generated/kinds/policy-v1.ts';
import { type DeleteOptions, parseDeleteOptions } from '../../../api/options/options-delete.ts';
import { type Status, badRequest, invalid, unclassifiedFailure } from '../../../api/meta/status.ts';
import { otherThan } from '../../../api/meta/identity.ts';
import { queryValues } from '../../../api/meta/web-addresses.ts';
import { invalidValue } from '../../../api/field/field-errors.ts';
import type { Posted } from '../../registry/paths/post.ts';

const EVICTION = { group: 'policy', resource: 'Eviction' };
const IGNORE_READ_ERROR = 'ignoreStoreReadErrorWithClusterBreakingPotential';

type DeletionSaid = NonNullable<Eviction['deleteOptions']>;

export type EvictionOptions =
  | { readonly ok: true; readonly options: DeleteOptions }
  | { readonly ok: false; readonly status: Status };

export function readEvictionOptions({
  request,
  object,
  options,
}: Posted<Eviction>): EvictionOptions {
  const { name } = request.info;
  if (otherThan(name, object.metadata, 'name') !== undefined) {
    return refused(badRequest('name in URL does not match name in Eviction object'));
  }
  const said: DeletionSaid = object.deleteOptions ?? {};
  if (said[IGNORE_READ_ERROR] === true) {
    const sentence = 'can not be set for pod eviction, try after removing the option';
    const error = invalidValue(`deleteOptions.${IGNORE_READ_ERROR}`, true, sentence);
    return refused(invalid(EVICTION, name, [error]));
  }
  const mismatch = dryRunMismatch(queryValues(request.query, 'dryRun'), said);
  if (mismatch !== undefined) return refused(unclassifiedFailure(mismatch));
  const parsed = parseDeleteOptions('', said);
  if (!parsed.ok) return parsed;
  return {
    ok: true,
    options: { ...parsed.options, dryRun: parsed.options.dryRun || options.dryRun },
  };
}

function dryRunMismatch(
  inRequest: readonly string[],
  { dryRun: inContent = [] }: DeletionSaid,
): string | undefined {
  if (inRequest.length === 0 || inContent.length === 0) return undefined;
  const [one, other] = [inRequest.join(' '), inContent.join(' ')];
  if (one === other) return undefined;
  return `Non-matching dry-run options in request and content: [${one}] and [${other}]`;
}

function refused(status: Status): EvictionOptions {
  return { ok: false, status };
}
