/**
 * JSON patches (RFC 6902) with upstream's ways: `replace` of a key that is not there adds it, an
 * `add` without a value adds null, and a path without a slash leads nowhere. The document is
 * never changed.
 *
 * Values are compared as values. Upstream compares their bytes, so that there a test of `1.0`
 * against 1, or of a text with `<` in it, fails.
 * In Kubernetes: jsonPatcher, apiserver/pkg/endpoints/handlers/patch.go, and
 * gopkg.in/evanphx/json-patch.v4.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import {
  getValue,
  PatchedDocument,
  setValue,
  StepProblem,
  type PatchTarget,
} from './json-patch-document.ts';
import { decodeJsonPatch, type JsonPatchReading } from './json-patch-decoding.ts';
import {
  copyJson,
  DEPTH_MAX,
  isDeeperThan,
  isEqualJson,
  jsonSizeBytes,
} from '../json/json-tree.ts';
import { flatMapUntil, remembered } from '../json/work-in-slices.ts';
import { ownValue } from '../json/own-property.ts';
import type { Touched } from './shown-order.ts';
import {
  malformed,
  panicking,
  patched,
  PatchProblem,
  unprocessable,
  type PatchResult,
} from './patch-result.ts';

export const JSON_PATCH_OPERATIONS_MAX = 10_000;
/** How much longer, in bytes, all `copy` operations of one patch together may make a document. */
export const JSON_PATCH_COPY_BYTES_MAX = 3 * 1024 * 1024;
/**
 * How many items of lists one patch may move by what it puts in and takes out before them: as many as
 * take some tenths of a second, in which no other client is served. In Kubernetes nothing says so.
 */
const MOVED_ITEMS_MAX = 200_000_000;

export interface JsonPatchOptions extends JsonPatchReading {
  /** {@link JSON_PATCH_COPY_BYTES_MAX} unless said otherwise. */
  readonly copyBytesMax?: number;
}

/** @param document An object or an array. */
export function applyJsonPatch(
  document: JsonValue,
  patch: JsonValue,
  { copyBytesMax = JSON_PATCH_COPY_BYTES_MAX, ...reading }: JsonPatchOptions,
): PatchResult {
  const decoded = decodeJsonPatch(patch, reading);
  if (decoded instanceof PatchProblem) return decoded;
  const { operations, strictErrors } = decoded;
  if (operations.length > JSON_PATCH_OPERATIONS_MAX) {
    const counts = `${String(JSON_PATCH_OPERATIONS_MAX)}, got ${String(operations.length)}`;
    return new PatchProblem(413, `The allowed maximum operations in a JSON patch is ${counts}`);
  }
  if (operations.length === 0) return patched(document, strictErrors, () => untouched(document));
  if (!isJsonObject(document) && !Array.isArray(document)) {
    return unprocessable('the document is no object and no array');
  }
  if (isDeeperThan(patch, DEPTH_MAX)) return malformed('exceeded max depth');
  const run = remembered((): Run => ({
    document: new PatchedDocument(document),
    copyBytesMax,
    copiedBytes: 0,
  }));
  const [problem] = flatMapUntil(operations, 1, (operation) => {
    const failed = applyOperation(run, operation);
    if (failed !== undefined) return [failed];
    if (run.document.movedItems > MOVED_ITEMS_MAX) return [movesTooMuch()];
    return [];
  });
  if (problem !== undefined) return problem;
  const { root } = run.document;
  if (isDeeperThan(root, DEPTH_MAX)) return unprocessable('exceeded max depth');
  return patched(root, strictErrors, () => run.document.touched(operations));
}

/** But for its outermost keys. */
function untouched(document: JsonValue): Touched {
  const outermost = isJsonObject(document) ? [document] : [];
  return { apart: new Set(outermost), sent: new Set() };
}

function movesTooMuch(): PatchProblem {
  const most = `${String(MOVED_ITEMS_MAX)} list items`;
  return new PatchProblem(413, `A JSON patch may not move more than ${most}`);
}

/** One patch being applied. */
interface Run {
  readonly document: PatchedDocument;
  readonly copyBytesMax: number;
  copiedBytes: number;
}

type Outcome = PatchProblem | undefined;

function applyOperation(run: Run, operation: JsonObject): Outcome {
  const kind = ownValue(operation, 'op');
  switch (kind) {
    case 'add':
      return add(run, operation);
    case 'remove':
      return remove(run, operation);
    case 'replace':
      return replace(run, operation);
    case 'move':
      return move(run, operation);
    case 'test':
      return test(run, operation);
    case 'copy':
      return copy(run, operation);
    default:
      return unprocessable(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`);
  }
}

function add(run: Run, operation: JsonObject): Outcome {
  const path = textOf(operation, 'path');
  if (path === undefined)
    return unprocessable('add operation failed to decode path: missing value');
  const place = run.document.find(path);
  if (place === undefined)
    return missing('add operation does not apply: doc is missing path', `"${path}"`);
  const problem = run.document.add(place, ownValue(operation, 'value') ?? null);
  return failedAt(problem, `error in add for path: '${path}'`);
}

function remove(run: Run, operation: JsonObject): Outcome {
  const path = textOf(operation, 'path');
  if (path === undefined) {
    return unprocessable('remove operation failed to decode path: missing value');
  }
  const place = run.document.find(path);
  if (place === undefined) {
    return missing('remove operation does not apply: doc is missing path', `"${path}"`);
  }
  return failedAt(run.document.remove(place), `error in remove for path: '${path}'`);
}

function replace(run: Run, operation: JsonObject): Outcome {
  const path = textOf(operation, 'path');
  if (path === undefined) {
    return unprocessable(
      `replace operation failed to decode path: ${whyNoText(operation, 'path')}`,
    );
  }
  if (path === '') return replaceRoot(run, ownValue(operation, 'value'));
  const place = run.document.find(path);
  if (place === undefined) {
    return missing('replace operation does not apply: doc is missing path', path);
  }
  if (getValue(place) instanceof StepProblem) {
    return missing('replace operation does not apply: doc is missing key', path);
  }
  const problem = setValue(place, ownValue(operation, 'value') ?? null);
  return failedAt(problem, `error in remove for path: '${path}'`);
}

function replaceRoot(run: Run, value: JsonValue | undefined): Outcome {
  if (value === undefined) return panicking('replace operation of the document has no value');
  if (!isJsonObject(value) && !Array.isArray(value)) {
    // The reason is missing upstream too.
    return unprocessable('replace operation value must be object or array: %!w(<nil>)');
  }
  run.document.root = value;
  return undefined;
}

function move(run: Run, operation: JsonObject): Outcome {
  const from = textOf(operation, 'from');
  if (from === undefined) {
    return unprocessable(`move operation failed to decode from: ${whyNoText(operation, 'from')}`);
  }
  const source = run.document.find(from);
  if (source === undefined) {
    return missing('move operation does not apply: doc is missing from path', from);
  }
  const { value, removed } = remembered(() => taken(run, source));
  if (removed !== undefined || value instanceof StepProblem) {
    return failedAt(removed, `error in move for path: '${source.key}'`);
  }
  const path = textOf(operation, 'path');
  if (path === undefined) {
    return unprocessable(`move operation failed to decode path: ${whyNoText(operation, 'path')}`);
  }
  const target = run.document.find(path);
  if (target === undefined) {
    return missing('move operation does not apply: doc is missing destination path', path);
  }
  const added = run.document.add(target, value ?? null);
  return failedAt(added, `error in move for path: '${path}'`);
}

function taken({ document }: Run, source: PatchTarget) {
  const value = getValue(source);
  return { value, removed: value instanceof StepProblem ? value : document.remove(source) };
}

function test(run: Run, operation: JsonObject): Outcome {
  const path = textOf(operation, 'path');
  if (path === undefined) {
    return unprocessable(`test operation failed to decode path: ${whyNoText(operation, 'path')}`);
  }
  const wanted = ownValue(operation, 'value');
  if (path === '') {
    run.document.compared(run.document.root);
    run.document.compared(wanted ?? null);
    return isEqualJson(run.document.root, wanted) ? undefined : testFailed(path);
  }
  const place = run.document.find(path);
  if (place === undefined) return missing('test operation does not apply: is missing path', path);
  const found = getValue(place);
  if (found instanceof StepProblem) return failedAt(found, `error in test for path: '${path}'`);
  run.document.compared(found ?? null);
  run.document.compared(wanted ?? null);
  // A key that is not there is as good as null, and so is a value that is not given.
  return isEqualJson(found ?? null, wanted ?? null) ? undefined : testFailed(path);
}

function copy(run: Run, operation: JsonObject): Outcome {
  const from = textOf(operation, 'from');
  if (from === undefined) {
    return unprocessable(`copy operation failed to decode from: ${whyNoText(operation, 'from')}`);
  }
  const source = run.document.find(from);
  if (source === undefined) {
    return missing('copy operation does not apply: doc is missing from path', from);
  }
  const value = getValue(source);
  if (value instanceof StepProblem) return failedAt(value, `error in copy for from: '${from}'`);
  const path = textOf(operation, 'path');
  if (path === undefined) {
    return unprocessable('copy operation failed to decode path: missing value');
  }
  const target = run.document.find(path);
  if (target === undefined) {
    return missing('copy operation does not apply: doc is missing destination path', path);
  }
  return addCopy(run, target, value);
}

function addCopy(run: Run, target: PatchTarget, value: JsonValue | undefined): Outcome {
  remembered(() => {
    run.copiedBytes += value === undefined || value === null ? 0 : jsonSizeBytes(value);
  });
  if (run.copiedBytes > run.copyBytesMax) {
    const sizes = `${String(run.copiedBytes)}, exceeding the limit ${String(run.copyBytesMax)}`;
    return unprocessable(
      `Unable to complete the copy, the accumulated size increase of copy is ${sizes}`,
    );
  }
  // A copy of its own, because parts of the value may be ours to change where they stand.
  const own = value === undefined ? null : copyJson(value);
  run.document.copied(value ?? null, own);
  const problem = run.document.add(target, own);
  return failedAt(problem, 'error while adding value during copy');
}

function textOf(operation: JsonObject, field: string): string | undefined {
  const value = ownValue(operation, field);
  return typeof value === 'string' ? value : undefined;
}

function whyNoText(operation: JsonObject, field: 'path' | 'from'): string {
  const value = ownValue(operation, field) ?? null;
  if (value === null) {
    return field === 'path'
      ? 'operation missing path field: missing value'
      : 'operation, missing from field: missing value';
  }
  return `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type string`;
}

function jsonTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function missing(sentence: string, path: string): PatchProblem {
  return unprocessable(`${sentence}: ${path}: missing value`);
}

function testFailed(path: string): PatchProblem {
  return unprocessable(`testing value ${path} failed: test failed`);
}

function failedAt(problem: StepProblem | undefined, where: string): Outcome {
  return problem === undefined ? undefined : unprocessable(`${where}: ${problem.why}`);
}
