/**
 * What the validation of values finds, until it is told as field errors: each text once, and how
 * many checks a value came to, by which the best of several failed alternatives is chosen.
 *
 * The surprise is what stands at no field: what is wrong with a whole, such as an `anyOf`, is told
 * at the field `<nil>`, which is how Go prints a path that is not there.
 *
 * In Kubernetes: Result of kube-openapi, pkg/validation/validate, and kubeOpenAPIResultToFieldErrors.
 */
import type { JsonValue } from '../json/json.ts';
import { goJson, goQuote } from '../json/go-format.ts';
import {
  type FieldError,
  type FieldErrors,
  fieldOfWrongType,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../field/field-errors.ts';
import { formatGoFloat } from '../json/go-numbers.ts';
import { sortedValue } from './sorted-object.ts';

export interface Problem {
  /** As kube-openapi says it; of two with the same text, one is told. */
  readonly message: string;
  /** As `spec.ports[0].name`, `.name` below the top; undefined: at no field. */
  readonly path: string | undefined;
  readonly tell: (field: string) => FieldError;
}

/** Clients read a few; more would only make answers large. */
const PROBLEMS_MAX = 1_000;

export class Findings {
  readonly #problems = new Map<string, Problem>();
  /** How many validators were met that said something. */
  matchCount = 0;

  get isEmpty(): boolean {
    return this.#problems.size === 0;
  }

  /** Nothing more will be told. */
  get isFull(): boolean {
    return this.#problems.size >= PROBLEMS_MAX;
  }

  add(problem: Problem): void {
    if (this.isFull || this.#problems.has(problem.message)) return;
    this.#problems.set(problem.message, problem);
  }

  merge(other: Findings): void {
    for (const problem of other.#problems.values()) this.add(problem);
    this.matchCount += other.matchCount;
  }

  /** What is wrong, forgotten; how far the value came stays. */
  forgive(): this {
    this.#problems.clear();
    return this;
  }

  /** @param prefix where the value stands in the object; '' is the whole object. */
  toFieldErrors(prefix: string): FieldErrors {
    return [...this.#problems.values()].map(({ path, tell }) => tell(fieldAt(prefix, path)));
  }
}

const NOWHERE = '<nil>';

function fieldAt(prefix: string, path: string | undefined): string {
  const name = path?.startsWith('.') === true ? path.slice(1) : (path ?? '');
  if (name === '') return prefix === '' ? NOWHERE : prefix;
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** Told without a value, at the whole. */
export function problemOfWhole(message: string): Problem {
  return { message, path: undefined, tell: (field) => invalidValue(field, '', message) };
}

/** @param value what is shown; Go shows `""` where there is none. */
export function invalidAt(path: string, value: JsonValue, sentence: string): Problem {
  return invalidWith(path, value, `${path} in body ${sentence}`);
}

export function invalidWith(path: string, value: JsonValue, message: string): Problem {
  return { message, path, tell: (field) => invalidValue(field, sortedValue(value), message) };
}

/** Of a number that was compared as one with a fraction, which is how it is shown then. */
export function invalidFloatAt(path: string, value: number | bigint, sentence: string): Problem {
  return invalidFloatWith(path, value, `${path} in body ${sentence}`);
}

export function invalidFloatWith(path: string, value: number | bigint, message: string): Problem {
  const body = `Invalid value: ${formatGoFloat(Number(value))}: ${message}`;
  return { message, path, tell: (field) => ({ type: 'FieldValueInvalid', field, body }) };
}

/** @param found the name of the type, or the text that is not of the format. */
export function wrongTypeAt(path: string, wanted: string, found: string): Problem {
  const message = `${path} in body must be of type ${wanted}: ${goQuote(found)}`;
  return { message, path, tell: (field) => fieldOfWrongType(field, found, message) };
}

export function requiredAt(path: string): Problem {
  return { message: `${path} in body is required`, path, tell: (field) => required(field) };
}

export function tooLongAt(path: string, lengthMax: number): Problem {
  const message = `${path} in body should be at most ${String(lengthMax)} chars long`;
  return { message, path, tell: (field) => tooLong(field, lengthMax) };
}

export function tooManyAt(
  path: string,
  what: 'items' | 'properties',
  { actual, max }: { actual: number; max: number },
): Problem {
  const message = `${path} in body should have at most ${String(max)} ${what}`;
  return { message, path, tell: (field) => tooMany(field, actual, max) };
}

export function notInEnumAt(
  path: string,
  value: JsonValue,
  allowed: readonly JsonValue[],
): Problem {
  const texts = allowed.map((one) => (typeof one === 'string' ? one : goJson(sortedValue(one))));
  const message = `${path} in body should be one of [${texts.join(' ')}]`;
  return { message, path, tell: (field) => notSupported(field, sortedValue(value), texts) };
}
