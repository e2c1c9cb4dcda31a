/**
 * In which order the keys of a patched object stand, where a message shows it.
 *
 * The surprise: upstream patches texts, and takes apart only what the patch touches. An object that was
 * taken apart is written with its keys sorted; every other one stands as it was.
 *
 * In Kubernetes: lazyNode, gopkg.in/evanphx/json-patch.v4.
 */
import { compareGoStrings } from '../json/go-format.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownKeys, ownValue, setOwn } from '../json/own-property.ts';

type Container = JsonObject | readonly JsonValue[];

/** Which objects were taken apart, and which are as the patch has them. */
export interface Touched {
  readonly apart: ReadonlySet<Container>;
  readonly sent: ReadonlySet<Container>;
}

/**
 * A copy of the value with its keys in the order in which Go writes them.
 *
 * @param isSorted whether all keys of the document were sorted before the patch, as those of custom
 *   resources are.
 */
export function inShownOrder(value: JsonValue, touched: Touched, isSorted: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => inShownOrder(item, touched, isSorted));
  if (!isJsonObject(value)) return value;
  const keys = ownKeys(value);
  const wasSorted = touched.apart.has(value) || (isSorted && !touched.sent.has(value));
  const copy: JsonObject = {};
  for (const key of wasSorted ? keys.toSorted(compareGoStrings) : keys) {
    setOwn(copy, key, inShownOrder(ownValue(value, key) ?? null, touched, isSorted));
  }
  return copy;
}

/** Notes the value, and all that is in it. */
export function addContainers(value: JsonValue | undefined, containers: Set<Container>): void {
  if (typeof value !== 'object' || value === null) return;
  containers.add(value);
  for (const item of Object.values(value)) addContainers(item, containers);
}

/** Notes the parts of the copy whose originals are noted. */
export function addCopies(
  value: JsonValue | undefined,
  copy: JsonValue | undefined,
  containers: Set<Container>,
): void {
  if (!isJsonObject(value) || !isJsonObject(copy)) return;
  if (containers.has(value)) containers.add(copy);
  for (const key of ownKeys(value)) addCopies(value[key], ownValue(copy, key), containers);
}

/** What a merge patch takes apart, of what came of it. */
export function touchedByMerge(
  value: JsonValue,
  document: JsonValue | undefined,
  patch: JsonValue | undefined,
): Touched {
  const touched = { apart: new Set<Container>(), sent: new Set<Container>() };
  mergeTouches(value, document, patch, touched);
  return touched;
}

function mergeTouches(
  value: JsonValue,
  document: JsonValue | undefined,
  patch: JsonValue | undefined,
  touched: { readonly apart: Set<Container>; readonly sent: Set<Container> },
): void {
  if (!isJsonObject(document)) {
    // Nulls are taken out of it, and so all of it is taken apart.
    addContainers(value, touched.apart);
    return;
  }
  if (!isJsonObject(patch) || !isJsonObject(value)) {
    addContainers(value, touched.sent);
    return;
  }
  touched.apart.add(value);
  for (const key of ownKeys(patch)) {
    const child = ownValue(value, key);
    if (child === undefined) continue;
    mergeTouches(child, ownValue(document, key), ownValue(patch, key), touched);
  }
}
