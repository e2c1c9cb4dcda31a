/**
 * Regular expressions of users, with Go's syntax, its meaning and its messages. They take time in
 * proportion to the text, whatever they are, so nobody can stop the server with one.
 *
 * Compiling costs a hundred times more than asking, so what was compiled is kept, up to a number:
 * what was not asked for the longest time goes first.
 *
 * In Kubernetes: package regexp of Go.
 */
import { RE2JS } from 're2js';

export interface RegularExpression {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean;
}

export type CompiledExpression =
  | { readonly ok: true; readonly expression: RegularExpression }
  | {
      readonly ok: false;
      /** As Go says it: `error parsing regexp: missing closing ]: …`. */
      readonly message: string;
    };

const KEPT_MAX = 2_000;
/** Go itself has no limit; a CRD is not larger than this anyway. */
const PATTERN_LENGTH_MAX = 1 << 20;
/** Go names the empty rest of the pattern here, RE2JS nothing. */
const TRAILING_BACKSLASH = 'error parsing regexp: trailing backslash at end of expression';

const kept = new Map<string, CompiledExpression>();

export function compileRegularExpression(pattern: string): CompiledExpression {
  const known = kept.get(pattern);
  const compiled = known ?? compile(pattern);
  // Set anew, so that it stands last, where it is safe.
  if (known !== undefined) kept.delete(pattern);
  else if (kept.size >= KEPT_MAX) forgetOldest();
  kept.set(pattern, compiled);
  return compiled;
}

/** A pattern of ours that a regular expression of JavaScript would need quadratic time for. */
export function linearPattern(pattern: string): RegularExpression {
  return RE2JS.compile(pattern);
}

function forgetOldest(): void {
  for (const pattern of kept.keys()) {
    kept.delete(pattern);
    return;
  }
}

function compile(pattern: string): CompiledExpression {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return { ok: false, message: 'error parsing regexp: expression too large' };
  }
  try {
    return { ok: true, expression: RE2JS.compile(pattern) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, message: message === TRAILING_BACKSLASH ? `${message}: \`\`` : message };
  }
}
