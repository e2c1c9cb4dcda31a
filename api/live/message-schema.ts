/**
 * The part of JSON Schema (draft 2020-12) in which the messages of the live protocol are described, the
 * TypeScript type of what such a schema describes, and the check of a value against it. So one text is
 * the documentation, the type and the guard. A check looks at every value once.
 */
import type { JsonObject, JsonValue } from '../json/json.ts';

/** A schema as it is written down; what it leaves out is not asked for. */
export interface MessageSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly const?: string | boolean;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, MessageSchema>>;
  readonly required?: readonly string[];
  /** Whether properties that are not named may be there; left out, they may. */
  readonly additionalProperties?: boolean;
  readonly items?: MessageSchema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly oneOf?: readonly MessageSchema[];
}

/** What a schema describes, as a type. */
export type Described<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly oneOf: readonly (infer O)[] }
      ? Described<O>
      : S extends { readonly type: 'string' }
        ? string
        : S extends { readonly type: 'integer' }
          ? number
          : S extends { readonly type: 'boolean' }
            ? boolean
            : S extends { readonly type: 'array'; readonly items: infer I }
              ? readonly Described<I>[]
              : S extends { readonly type: 'object'; readonly properties: infer P }
                ? DescribedObject<P, RequiredOf<S>>
                : S extends { readonly type: 'object' }
                  ? JsonObject
                  : JsonValue;

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type DescribedObject<P, R> = {
  readonly [K in keyof P as K extends R ? K : never]: Described<P[K]>;
} & {
  readonly [K in keyof P as K extends R ? never : K]?: Described<P[K]> | undefined;
};

/** What is wrong with a value, and where, as `window.limit must be at least 0`; undefined: nothing. */
export function problemOf(schema: MessageSchema, value: unknown, where = ''): string | undefined {
  if (schema.oneOf !== undefined) {
    const isOne = schema.oneOf.some((one) => problemOf(one, value, where) === undefined);
    return isOne ? undefined : `${nameOf(where)} has none of the forms that are allowed there`;
  }
  if (schema.const !== undefined && value !== schema.const) {
    return `${nameOf(where)} must be ${JSON.stringify(schema.const)}`;
  }
  if (schema.enum !== undefined && !schema.enum.includes(String(value))) {
    return `${nameOf(where)} must be one of ${schema.enum.join(', ')}`;
  }
  switch (schema.type) {
    case 'string':
      return textProblem(schema, value, where);
    case 'integer':
      return numberProblem(schema, value, where);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${nameOf(where)} must be true or false`;
    case 'array':
      return listProblem(schema, value, where);
    case 'object':
      return objectProblem(schema, value, where);
    default:
      return undefined;
  }
}

function textProblem({ maxLength }: MessageSchema, value: unknown, where: string) {
  if (typeof value !== 'string') return `${nameOf(where)} must be a string`;
  if (maxLength === undefined || value.length <= maxLength) return undefined;
  return `${nameOf(where)} must have at most ${String(maxLength)} characters`;
}

function numberProblem({ minimum, maximum }: MessageSchema, value: unknown, where: string) {
  if (!Number.isSafeInteger(value)) return `${nameOf(where)} must be a whole number`;
  const number = Number(value);
  if (minimum !== undefined && number < minimum) {
    return `${nameOf(where)} must be at least ${String(minimum)}`;
  }
  if (maximum === undefined || number <= maximum) return undefined;
  return `${nameOf(where)} must be at most ${String(maximum)}`;
}

function listProblem({ items, maxItems }: MessageSchema, value: unknown, where: string) {
  if (!Array.isArray(value)) return `${nameOf(where)} must be a list`;
  if (maxItems !== undefined && value.length > maxItems) {
    return `${nameOf(where)} must have at most ${String(maxItems)} entries`;
  }
  if (items === undefined) return undefined;
  for (const [index, item] of value.entries()) {
    const problem = problemOf(items, item, `${where}[${String(index)}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function objectProblem(schema: MessageSchema, value: unknown, where: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `${nameOf(where)} must be an object`;
  }
  const given = new Map(Object.entries(value));
  const known = new Map(Object.entries(schema.properties ?? {}));
  for (const name of schema.required ?? []) {
    if (!given.has(name)) return `${nameOf(within(where, name))} must be given`;
  }
  for (const [name, item] of given) {
    const property = known.get(name);
    if (property === undefined && schema.additionalProperties === false) {
      return `${nameOf(within(where, shortened(name)))} is not known`;
    }
    const problem =
      property === undefined ? undefined : problemOf(property, item, within(where, name));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function within(where: string, name: string): string {
  return where === '' ? name : `${where}.${name}`;
}

function nameOf(where: string): string {
  return where === '' ? 'the message' : where;
}

const NAME_CHARACTERS_MAX = 64;

/** A name that the client made up. */
function shortened(name: string): string {
  return name.length <= NAME_CHARACTERS_MAX ? name : `${name.slice(0, NAME_CHARACTERS_MAX)}…`;
}
