/**
 * Scalars of a YAML document as JSON values: by their tag, or by what plain text means to Go.
 *
 * In Kubernetes: decode.go of go.yaml.in/yaml/v2, below sigs.k8s.io/yaml.
 */
import type { Scalar } from 'yaml';
import { int64Of, isInt64 } from '../../api/json/go-numbers.ts';
import type { JsonValue } from '../../api/json/json.ts';
import { YamlError } from './yaml-error.ts';
import { resolveYamlScalar } from './yaml-scalar.ts';

/** The whole number that the text is; undefined where it is something else. */
export function integerOf(node: Scalar): bigint | undefined {
  const resolved = resolveYamlScalar(String(node.value));
  return resolved.kind === 'int' ? resolved.value : undefined;
}

/** A block that the end of the text cuts off has no line break at its end. */
function textOf({ value, type, range }: Scalar, document: string): string {
  const text = typeof value === 'string' ? value : '';
  const isBlock = type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';
  const isCutOff = isBlock && range?.[1] === document.length && !document.endsWith('\n');
  return isCutOff && text.endsWith('\n') ? text.slice(0, -1) : text;
}

const TAG_PREFIX = 'tag:yaml.org,2002:';

/**
 * What a scalar is as JSON.
 *
 * @param document the whole text.
 * @throws YamlError when it is not what its tag says, or no JSON has it.
 */
export function readScalar(scalar: Scalar, document: string): JsonValue {
  const { type, tag } = scalar;
  const text = textOf(scalar, document);
  if (tag === undefined) return type === 'PLAIN' ? plainValue(text) : text;
  const kind = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : '';
  if (kind === 'binary') return Buffer.from(text, 'base64').toString();
  if (!['null', 'bool', 'int', 'float', 'timestamp'].includes(kind)) return text;
  const resolved = resolveYamlScalar(text);
  const fits = resolved.kind === kind || (kind === 'float' && resolved.kind === 'int');
  if (!fits) {
    const was = resolved.kind === 'string' ? 'str' : resolved.kind;
    throw new YamlError(`yaml: cannot decode !!${was} \`${text}\` as a !!${kind}`);
  }
  return plainValue(text);
}

function plainValue(text: string): JsonValue {
  const resolved = resolveYamlScalar(text);
  switch (resolved.kind) {
    case 'null':
      return null;
    case 'bool':
      return resolved.value;
    case 'int':
      // What is beyond int64 was a uint64 until it came through JSON.
      return isInt64(resolved.value) ? int64Of(resolved.value) : Number(resolved.value);
    case 'float':
      if (Number.isFinite(resolved.value)) return resolved.value;
      throw new YamlError(`json: unsupported value: ${goInfinity(resolved.value)}`);
    case 'string':
    case 'timestamp':
      return text;
  }
}

function goInfinity(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** The digits of a number that a uint64 holds and neither an int64 nor a double does; undefined for all others. */
export function uint64Digits(node: Scalar, value: JsonValue): string | undefined {
  if (typeof value !== 'number' || value <= Number.MAX_SAFE_INTEGER) return undefined;
  return integerOf(node)?.toString();
}
