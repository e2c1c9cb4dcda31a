/**
 * The trees and mistakes of the parser's tests in the language's specification. Every expression
 * is read without what Kubernetes adds to the syntax, as the data was made.
 */
import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js';
import { tests as comprehension } from '@bufbuild/cel-spec/testdata/comprehension.js';
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js';
import { describe, expect, it } from 'vitest';
import { debugText } from '../debug-text.fixture.ts';
import { STANDARD_MACROS } from './macros.ts';
import { parse } from './parser.ts';

/** The data was made with much smaller limits than those of Kubernetes. */
const LIMITED = /limit exceeded|max recursion depth/;

/** Kubernetes has this macro for indexes and values only. */
const NO_MACRO = /\.existsOne\(\w+, \w+\)/;

const OPTIONS = { macros: STANDARD_MACROS, hasOptionals: false, hasEscapedFields: false };

describe('the syntax of the language', () => {
  it.each([parsing, checking, comprehension])(
    'is that of the specification: $name',
    ({ tests }) => {
      const asked = (tests ?? []).filter(({ original, error = '' }) => {
        return !LIMITED.test(error) && !NO_MACRO.test(original.expr);
      });
      expect(asked.length).toBeGreaterThan(80);
      for (const { original, ast, error = '' } of asked) {
        const parsed = parse(original.expr, OPTIONS);
        const result = parsed.ok ? debugText(parsed.root) : parsed.errors.toString();
        const expected = ast?.replace(SORT, '') ?? error.replace(/^ERROR: :/gm, 'ERROR: <input>:');
        expect({ expr: original.expr, result }).toEqual({ expr: original.expr, result: expected });
      }
    },
  );
});

/** `^#*expr.Expr_CallExpr#`: of which sort a node is. */
const SORT = /\^#\*expr\.\w+#/g;
