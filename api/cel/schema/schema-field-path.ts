/**
 * Paths such as `.spec.ports['http'].name`, which name a field of a schema.
 *
 * In Kubernetes: ValidFieldPath, apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
import { childPath, keyPath } from '../../field/field-path.ts';
import type { StructuralSchema } from '../../structural-schema/structural-schema.ts';
import { NAMED_ESCAPES } from '../syntax/literals.ts';

export type FieldPath =
  | { readonly ok: true; readonly path: string; readonly schema: StructuralSchema }
  | { readonly ok: false; readonly message: string };

/** `isWithoutBrackets`: as the paths of selectable fields. */
export function resolveFieldPath(
  text: string,
  root: StructuralSchema,
  { isWithoutBrackets = false } = {},
): FieldPath {
  const tokens = tokensOf(text);
  let at: At = { path: '', schema: root };
  for (let next = 0; next < tokens.length;) {
    const token = tokens[next] ?? '';
    const isBracket = token === '[';
    if (token !== '.' && !isBracket) return problem(`expected [ or . but got: ${token}`);
    if (isBracket && isWithoutBrackets) return problem('array notation is not allowed');
    const name = isBracket ? quotedName(tokens[next + 1]) : plainName(tokens[next + 1]);
    if (!name.ok) return name;
    const child = step(at, name.name);
    if (child === undefined) return problem('does not refer to a valid field');
    if (isBracket) {
      const close = tokens[next + 2];
      if (close === undefined) return problem('unexpected end of JSON path');
      if (close !== ']') return problem(`expected ] but got ${close}`);
    }
    at = child;
    next += isBracket ? 3 : 2;
  }
  return { ok: true, ...at };
}

interface At {
  readonly path: string;
  readonly schema: StructuralSchema;
}

type Name =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly message: string };

function problem(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

/** Delimiters, quoted names, and what stands between. */
function tokensOf(text: string): string[] {
  return text.match(/[.[\]]|'(?:[^\\]|\\.)*?'|[^.[\]]+/gs) ?? [];
}

function plainName(token: string | undefined): Name {
  return token === undefined ? problem('unexpected end of JSON path') : { ok: true, name: token };
}

function quotedName(token: string | undefined): Name {
  if (token === undefined) return problem('unexpected end of JSON path');
  if (!/^'.*'$/s.test(token) || token.length < 2) {
    return problem(`expected single quoted string but got ${token}`);
  }
  let illegal: string | undefined;
  const name = token.slice(1, -1).replace(/\\./gs, (escape) => {
    const character = ESCAPES[escape.charAt(1)];
    if (character === undefined) illegal ??= escape;
    return character ?? '';
  });
  if (illegal === undefined) return { ok: true, name };
  return problem(`invalid string literal: invalid escape char ${illegal}`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...NAMED_ESCAPES,
  "'": "'",
  '\\': '\\',
};

function step({ path, schema }: At, name: string): At | undefined {
  const { properties, additionalProperties } = schema;
  if (properties.size > 0) {
    const property = properties.get(name);
    return property && { path: childPath(path, name), schema: property };
  }
  if (additionalProperties === undefined || additionalProperties === true) return undefined;
  return { path: keyPath(path, name), schema: additionalProperties };
}
