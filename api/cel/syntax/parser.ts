/**
 * From the text of an expression to its tree. What a client sends decides neither how deep this
 * goes nor how large the tree becomes: some macros copy what they are applied to, so nested ones
 * would grow without bounds.
 *
 * In Kubernetes: parser.go of cel-go.
 */
import type { Expression } from './expression.ts';
import { Lexer } from './lexer.ts';
import { SourceErrors } from './source.ts';
import { LimitExceeded, ParsingStopped } from './error-recovery.ts';
import { SyntaxParser } from './syntax-parser.ts';
import { TokenStream } from './token-stream.ts';
import { TreeBuilder, type ParserOptions } from './tree-builder.ts';
import { characterCount } from '../value.ts';

const CHARACTERS_MAX = 100_000;
const SYNTAX_ERRORS_MAX = 100;

export type Parsed =
  | { readonly ok: true; readonly root: Expression; readonly nodeCount: number }
  | { readonly ok: false; readonly errors: SourceErrors };

/** The tree, or everything that is wrong with the text. */
export function parse(text: string, options: ParserOptions): Parsed {
  const errors = new SourceErrors(text);
  const size = characterCount(text);
  if (size > CHARACTERS_MAX) {
    const limits = `size: ${String(size)}, limit ${String(CHARACTERS_MAX)}`;
    errors.report(undefined, `expression code point size exceeds limit: ${limits}`);
    return { ok: false, errors };
  }
  const builder = new TreeBuilder(errors, options);
  try {
    const root = builder.build(syntaxParser(text, errors).parse());
    if (errors.count === 0) return { ok: true, root, nodeCount: builder.nodeCount };
  } catch (error) {
    if (error instanceof LimitExceeded) errors.report(undefined, error.message);
    else if (!(error instanceof ParsingStopped)) throw error;
  }
  return { ok: false, errors };
}

function syntaxParser(text: string, errors: SourceErrors): SyntaxParser {
  const report = (offset: number, message: string): void => {
    const isTooMuch = errors.count >= SYNTAX_ERRORS_MAX;
    const said = isTooMuch
      ? `More than ${String(SYNTAX_ERRORS_MAX)} syntax errors`
      : message.replace(WORD_AS_FIELD, "mismatched input '$1' expecting IDENTIFIER");
    errors.report(offset, `Syntax error: ${said}`);
    if (isTooMuch) throw new ParsingStopped();
  };
  const stream = new TokenStream(new Lexer(text, report));
  return new SyntaxParser(stream, ({ offset }, message) => {
    report(offset, message);
  });
}

/** Fields cannot have these names. */
const WORD_AS_FIELD = /no viable alternative at input '.(true|false|null)'/u;
