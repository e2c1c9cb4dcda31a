/**
 * Which objects a list, a watch or a deletecollection speaks of.
 *
 * The name is the one that was authorized, `info.name`, whether it stands in the path or in the
 * field selector. A selector narrows it and never replaces it.
 *
 * In Kubernetes: listOpts, apiserver/pkg/endpoints/handlers/get.go.
 */
import { badRequest, type Status, unclassifiedFailure } from '../../../api/meta/status.ts';
import {
  NAME_FIELD,
  parseListOptions,
  type ListOptions,
} from '../../../api/options/options-list.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { FieldSelector } from '../../../api/selectors/field-selector.ts';
import { parseShardSelector, type ShardSelector } from '../../../api/shards/shard-selector.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Selection } from '../../../projections/objects/selection.ts';
import { statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import type { Stage } from '../stage.ts';
import { noted, type Received } from '../write.ts';
import type { ReadContext } from '../write-context.ts';

export type Selected =
  | { readonly ok: true; readonly selection: Selection }
  | { readonly ok: false; readonly status: Status };

const NAMESPACE = 'metadata.namespace';

export function selectionOf(
  { info }: AuthenticatedRequest,
  served: ServedResource,
  { labelSelector, fieldSelector }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
  shard?: ShardSelector,
): Selected {
  const unknown = fieldSelector.requirements.find(({ field }) => !isKnown(served, field));
  if (unknown !== undefined) {
    return { ok: false, status: badRequest(unknownField(served, unknown.field)) };
  }
  if (info.name !== '' && !fieldSelector.isEmpty) {
    const selected = fieldSelector.requiresExactMatch(NAME_FIELD);
    if (selected !== info.name) return { ok: false, status: badRequest(OTHER_NAME) };
  }
  const namespace = served.definition.namespaced ? info.namespace : '';
  const labels = labelSelector.isEmpty ? undefined : labelSelector;
  // `metadata.name=x` and nothing else is a look-up, and needs no object to be read.
  const only = onlyName(fieldSelector);
  const name = info.name === '' ? (only ?? '') : info.name;
  const isLookUp = fieldSelector.isEmpty || only !== undefined;
  const fields = isLookUp ? undefined : fieldSelector;
  const texts = [labels, fields, shard].map((one) => one?.canonical ?? '');
  const key = [namespace, name, ...texts].join('\0');
  const fieldsOf = served.fields;
  return { ok: true, selection: { namespace, name, labels, fields, fieldsOf, shard, key } };
}

const OTHER_NAME = `fieldSelector ${NAME_FIELD} doesn't match requested name`;

/** undefined for `metadata.name=` too, which selects nothing. */
function onlyName({ requirements }: FieldSelector): string | undefined {
  const [first] = requirements;
  const isName = requirements.length === 1 && first?.field === NAME_FIELD && first.operator === '=';
  return isName && first.value !== '' ? first.value : undefined;
}

/** In Kubernetes: the field label conversions of these kinds, pkg/apis/batch and pkg/apis/resource. */
const REFUSALS: ReadonlyMap<string, (field: string, facts: ServedResource['facts']) => string> =
  new Map([
    ['batch/Job', (field) => `field label ${goQuote(field)} not supported for Job`],
    [
      'resource.k8s.io/ResourceSlice',
      (field, { group, version, kind }) =>
        `field label not supported for ${group}/${version}, Kind=${kind}: ${field}`,
    ],
  ]);

function isKnown({ selectableFields }: ServedResource, field: string): boolean {
  return field === NAME_FIELD || field === NAMESPACE || selectableFields.includes(field);
}

function unknownField({ selectableFields, facts }: ServedResource, field: string): string {
  const inOwnWords = REFUSALS.get(`${facts.group}/${facts.kind}`);
  if (inOwnWords !== undefined) return inOwnWords(field, facts);
  if (selectableFields.length > 0) return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "${NAME_FIELD}", "${NAMESPACE}"`;
}

export interface HasSelection {
  readonly listOptions: ListOptions;
  readonly selection: Selection;
}

/** What the query asks of a list, a watch or a deletecollection, and which objects it is about. */
export function selectObjects(
  mayBeginWithList?: (context: ReadContext) => boolean,
): Stage<Received, Received & HasSelection> {
  return {
    name: 'selection',
    run(read, context) {
      const { request, served } = read;
      const parsed = parseListOptions(request.query, mayBeginWithList?.(context) ?? true);
      if (!parsed.ok) return statusAnswer(parsed.status);
      const { options: listOptions } = parsed;
      const shard = shardOf(listOptions, context);
      if (shard?.ok === false) {
        const why = `invalid shard selector: ${shard.message}`;
        return statusAnswer(unclassifiedFailure(why));
      }
      const selected = selectionOf(request, served, listOptions, shard?.selector);
      if (!selected.ok) return statusAnswer(selected.status);
      return noted(read, { listOptions, selection: selected.selection });
    },
  };
}

/** undefined: all objects are wanted, or the gate is off and the parameter is passed over. */
function shardOf({ shardSelector }: ListOptions, { limits }: ReadContext) {
  if (shardSelector === '' || !limits.shards) return undefined;
  return parseShardSelector(shardSelector);
}
