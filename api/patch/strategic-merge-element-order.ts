/**
 * Whether the items of a patched list stand in the order that `$setElementOrder` asks for, which
 * must name each of them.
 *
 * In Kubernetes: validatePatchWithSetOrderList, apimachinery/pkg/util/strategicpatch.
 */
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { formatGoValue } from '../json/go-format.ts';
import { ownValue } from '../json/own-property.ts';
import { PatchProblem, unexpected } from './patch-result.ts';
import {
  DIRECTIVE,
  noMergeKey,
  notAnObject,
  SET_ELEMENT_ORDER,
} from './strategic-merge-directives.ts';

export function checkElementOrder(
  patch: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string,
): PatchProblem | undefined {
  if (patch.length === 0 || order.length === 0) return undefined;
  if (mergeKey !== '') {
    const wrong = patch.find((item) => !isJsonObject(item));
    if (wrong !== undefined) return notAnObject(wrong);
  }
  const items = mergeKey === '' ? patch : patch.filter((item) => directiveOf(item) !== 'delete');
  let next = 0;
  let at = 0;
  while (next < items.length && at < order.length) {
    const item = items[next] ?? null;
    if (directiveOf(item) !== undefined) {
      next++;
      continue;
    }
    const isSame = isSameItem(item, order[at] ?? null, mergeKey);
    if (isSame instanceof PatchProblem) return isSame;
    if (isSame) next++;
    at++;
  }
  if (next >= items.length) return undefined;
  const shown = `${formatGoValue([...patch])}\n doesn't match ${SET_ELEMENT_ORDER} list:`;
  return unexpected(`The order in patch list:\n${shown}\n${formatGoValue([...order])}\n`);
}

function directiveOf(item: JsonValue): JsonValue | undefined {
  return isJsonObject(item) ? ownValue(item, DIRECTIVE) : undefined;
}

function isSameItem(item: JsonValue, other: JsonValue, mergeKey: string): boolean | PatchProblem {
  if (mergeKey === '') return item === other;
  if (!isJsonObject(item)) return notAnObject(item);
  if (!isJsonObject(other)) return notAnObject(other);
  const id = ownValue(item, mergeKey);
  if (id === undefined) return noMergeKey(item, mergeKey);
  const otherId = ownValue(other, mergeKey);
  return otherId === undefined ? noMergeKey(other, mergeKey) : id === otherId;
}
