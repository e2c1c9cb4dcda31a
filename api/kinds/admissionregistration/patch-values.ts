/**
 * The values that only policies that change objects make: objects, `Object{spec: Object.spec{…}}`,
 * and operations of a patch, `JSONPatch{op: "add", …}`.
 *
 * In Kubernetes: apiserver/pkg/cel/mutation.
 */
import { structType, type CelType } from '../../cel/cel-type.ts';
import { jsonOf } from '../../cel/value-json.ts';
import { CelError, CelList, CelMap, CelOpaque, type CelValue } from '../../cel/value.ts';
import { goText } from '../../cel/go-text.ts';
import { areEqual } from '../../cel/equality.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { goQuote } from '../../json/go-format.ts';
import { setOwn } from '../../json/own-property.ts';

type Fields = ReadonlyMap<string, CelValue>;

abstract class MadeValue extends CelOpaque {
  override readonly type: CelType;
  readonly fields: Fields;

  constructor(name: string, fields: Fields) {
    super();
    this.type = structType(name);
    this.fields = fields;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof MadeValue) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => {
      const theirs = other.fields.get(name);
      return theirs !== undefined && areEqual(value, theirs);
    });
  }
}

/** What `Object{…}` makes, and every struct in it. */
export class ObjectValue extends MadeValue {}
/** What `JSONPatch{…}` makes: `op`, `path`, `from` and `value`. */
export class JsonPatchValue extends MadeValue {}

/** For `jsonpatch.escapeKey`: a key as it stands in the path of a patch. */
export function escapeKey(key: CelValue): CelValue {
  if (typeof key !== 'string') return new CelError('no such overload');
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The data of a value, with the objects that are in it. */
export function dataOf(value: CelValue): JsonValue {
  if (value instanceof ObjectValue) return objectData(value);
  if (value instanceof CelList) {
    return Array.from({ length: value.size }, (_, index) => dataOf(value.at(index)));
  }
  if (!(value instanceof CelMap)) return jsonOf(value);
  const data: JsonObject = {};
  for (const key of value.keys()) setOwn(data, goText(key), dataOf(value.find(key) ?? null));
  return data;
}

/** The JSON of an object that an expression made. */
export function objectData({ fields }: ObjectValue): JsonObject {
  const data: JsonObject = {};
  for (const [name, value] of fields) setOwn(data, name, dataOf(value));
  return data;
}

/**
 * Objects in objects have to be named by where they are: in `Object{spec: …}` only `Object.spec`.
 * '' when all are.
 */
export function misnamed(value: CelValue, path: readonly string[] = []): string {
  return problemsOf(value, path).join('\n');
}

function problemsOf(value: CelValue, path: readonly string[]): string[] {
  if (value instanceof ObjectValue) {
    const here = path.length === 0 ? [value.type.name] : path;
    const expected = here.join('.');
    const { name } = value.type;
    const wrong =
      `unexpected type name ${goQuote(name)}, expected ${goQuote(expected)}, ` +
      'which matches field name path from root Object type';
    return [
      ...(name === expected ? [] : [wrong]),
      ...[...value.fields].flatMap(([field, one]) => problemsOf(one, [...here, field])),
    ];
  }
  if (path.length === 0) return [];
  if (value instanceof CelList) {
    return Array.from({ length: value.size }, (_, at) => problemsOf(value.at(at), path)).flat();
  }
  if (!(value instanceof CelMap)) return [];
  return value.keys().flatMap((key) => problemsOf(value.find(key) ?? null, path));
}
