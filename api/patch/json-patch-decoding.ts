/**
 * Whether a decoded body is a JSON patch at all. With fieldValidation Warn or Strict the body is
 * held against the type of an operation first, and the messages differ.
 *
 * In Kubernetes: applyJSPatch, apiserver/pkg/endpoints/handlers/patch.go.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { FieldValidation } from '../options/options.ts';
import type { RepeatedKeys } from '../json/json-reader.ts';
import {
  duplicateField,
  entriesOf,
  repeatedFields,
  STRICT_ERRORS_MAX,
} from '../json/repeated-keys.ts';
import { flatMapItems, flatMapUntil, mapItems, rememberedOf } from '../json/work-in-slices.ts';
import { goQuote } from '../json/go-format.ts';
import { malformed, type PatchProblem } from './patch-result.ts';

export interface DecodedJsonPatch {
  readonly operations: readonly JsonObject[];
  readonly strictErrors: readonly string[];
}

/** How a patch is to be read. */
export interface JsonPatchReading {
  /** Warn or Strict: what is odd about the patch itself is told too. */
  readonly fieldValidation: FieldValidation;
  /** Keys that stand in the patch twice; undefined where there are none. */
  readonly repeated?: RepeatedKeys | undefined;
}

const KNOWN_FIELDS: readonly string[] = ['op', 'path', 'from', 'value'];
const NOTHING: JsonObject = {};

export function decodeJsonPatch(
  patch: JsonValue,
  { fieldValidation, repeated }: JsonPatchReading,
): DecodedJsonPatch | PatchProblem {
  if (patch === null) return { operations: [], strictErrors: [] };
  const isStrict = fieldValidation !== 'Ignore';
  const all = Array.isArray(patch) ? patch : [];
  const problem = isStrict ? strictProblem(patch) : rememberedOf([all], () => plainProblem(patch));
  if (problem !== undefined) return malformed(problem);
  return {
    operations: mapItems(all, (item) => (isJsonObject(item) ? item : NOTHING)),
    strictErrors: isStrict ? strictErrorsOf(all, repeated) : [],
  };
}

function plainProblem(patch: JsonValue): string | undefined {
  if (!Array.isArray(patch)) return cannotUnmarshal(patch, 'value of type jsonpatch.Patch');
  const wrong = patch.find((item) => item !== null && !isJsonObject(item));
  return wrong === undefined
    ? undefined
    : cannotUnmarshal(wrong, 'value of type jsonpatch.Operation');
}

function strictProblem(patch: JsonValue): string | undefined {
  const prefix = 'error decoding patch: ';
  if (!Array.isArray(patch)) {
    return prefix + cannotUnmarshal(patch, 'value of type []handlers.jsonPatchOp');
  }
  const [problem] = flatMapUntil(patch, 1, (item) => {
    const found = operationProblem(item);
    return found === undefined ? [] : [prefix + found];
  });
  return problem;
}

function operationProblem(item: JsonValue): string | undefined {
  if (item === null) return undefined;
  if (!isJsonObject(item)) return cannotUnmarshal(item, 'value of type handlers.jsonPatchOp');
  for (const [field, value] of Object.entries(item)) {
    if (field !== 'op' && field !== 'path' && field !== 'from') continue;
    if (typeof value === 'string' || value === null || value === undefined) continue;
    return cannotUnmarshal(value, `struct field jsonPatchOp.${field} of type string`);
  }
  return undefined;
}

function strictErrorsOf(
  items: readonly JsonValue[],
  repeated: RepeatedKeys | undefined,
): readonly string[] {
  return [...new Set(flatMapItems(items, oddFieldsWith(repeated)))].slice(0, STRICT_ERRORS_MAX);
}

function oddFieldsWith(repeated: RepeatedKeys | undefined) {
  return (item: JsonValue, index: number): readonly string[] => {
    if (!isJsonObject(item)) return [];
    const path = `[${String(index)}]`;
    const seen = new Set<string>();
    const odd = entriesOf(item, repeated).flatMap(([field, value]) => {
      const here = `${path}.${field}`;
      if (!KNOWN_FIELDS.includes(field)) return [`unknown field ${goQuote(here)}`];
      const again = seen.has(field) ? [duplicateField(here)] : [];
      seen.add(field);
      const within = repeated === undefined ? [] : repeatedFields(value, repeated, here);
      return [...again, ...within];
    });
    return odd.map((sentence) => `json patch ${sentence}`);
  };
}

function jsonTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** `into` is what follows the word Go. */
function cannotUnmarshal(value: JsonValue, into: string): string {
  const type = jsonTypeOf(value);
  return `json: cannot unmarshal ${type} into Go ${into}`;
}
