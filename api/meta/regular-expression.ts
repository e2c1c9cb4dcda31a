/**
 * Regular expressions of users, with Go's syntax, its meaning and its messages. They take time in
 * proportion to the text, whatever they are, so no client can stop the server with one.
 *
 * Compiling costs a hundred times more than asking, so what was compiled is kept, up to a number:
 * what was not asked for the longest time goes first.
 *
 * In Kubernetes: package regexp of Go.
 */
import { BoundedMap } from './bounded-map.ts';
import { RE2JS } from 're2js';

export interface RegularExpression {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean;
}

/** The expression, or why it is none, in Go's words. */
export type CompiledExpression =
  | { readonly ok: true; readonly expression: RegularExpression }
  | {
      readonly ok: false;
      /** As Go says it: `error parsing regexp: missing closing ]: …`. */
      readonly message: string;
    };

const KEPT_MAX = 2_000;
/** Of compiled patterns together. Counted repetitions make long programs of short patterns. */
const KEPT_BYTES_MAX = 1 << 25;
/** What an instruction of a program takes, about. */
const INSTRUCTION_BYTES = 200;
/** Go itself has no limit; a CRD is not larger than this anyway. */
const PATTERN_LENGTH_MAX = 1 << 20;
/** Go names the empty rest of the pattern here, RE2JS nothing. */
const TRAILING_BACKSLASH = 'error parsing regexp: trailing backslash at end of expression';

interface Kept {
  readonly compiled: CompiledExpression;
  readonly bytes: number;
}

const kept = new BoundedMap<string, Kept>(KEPT_MAX, {
  bytesMax: KEPT_BYTES_MAX,
  bytesOf: (pattern, { bytes }) => 2 * pattern.length + bytes,
});

/**
 * Compiles RE2 syntax as Go's `regexp.Compile`. Matching takes linear time; compiled expressions
 * are kept up to a bound.
 */
export function compileRegularExpression(pattern: string): CompiledExpression {
  const known = kept.get(pattern);
  if (known !== undefined) return known.compiled;
  const made = compile(pattern);
  kept.set(pattern, made);
  return made.compiled;
}

/** A pattern of ours that a regular expression of JavaScript would need quadratic time for. */
export function linearPattern(pattern: string): RegularExpression {
  return RE2JS.compile(pattern);
}

function compile(pattern: string): Kept {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return failure('error parsing regexp: expression too large');
  }
  try {
    const expression = RE2JS.compile(pattern);
    const bytes = expression.programSize() * INSTRUCTION_BYTES;
    return { compiled: { ok: true, expression }, bytes };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failure(message === TRAILING_BACKSLASH ? `${message}: \`\`` : message);
  }
}

function failure(message: string): Kept {
  return { compiled: { ok: false, message }, bytes: 2 * message.length };
}
