/**
 * A hook by which Node loads the sources of a server: each function says in which file it is when it begins and when
 * it ends, by two globals, `$crossed` and `$left`. It is told so in the text, so sources of any age run.
 *
 * The surprise: a function that pauses leaves at once, since it is not on the stack while it waits.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import ts from 'typescript';

/** For `module.register`. Packages are loaded as ever. */
export function load(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => unknown,
): unknown {
  if (!url.startsWith('file:') || !/\.tsx?$/.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  const text = tracedSource(readFileSync(path, 'utf8'), relative(process.cwd(), path));
  const { code } = transformSync(text, { loader: 'ts', format: 'esm', target: 'node20' });
  return { format: 'module', source: code, shortCircuit: true };
}

/** The source with a call of `$crossed(path)` at the beginning of each function, and of `$left()` at its end. */
export function tracedSource(text: string, path: string): string {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, false);
  const enter = `$crossed(${JSON.stringify(path)});`;
  const inserted: (readonly [at: number, text: string])[] = [];
  const visit = (node: ts.Node): void => {
    // What is inside comes first: where two end at one place, the inner one ends first.
    ts.forEachChild(node, visit);
    const body = bodyOf(node);
    if (body === undefined) return;
    const begin = ts.isBlock(body) ? body.getStart(tree) + 1 : body.getFullStart();
    const end = ts.isBlock(body) ? body.end - 1 : body.end;
    const [open, close] = ts.isBlock(body) ? ['', ''] : ['{', '}'];
    const [give, given] = ts.isBlock(body) ? ['', ''] : ['return (', ');'];
    if (pauses(node)) {
      inserted.unshift([begin, `${open}${enter}$left();${give}`]);
      inserted.push([end, `${given}${close}`]);
    } else {
      inserted.unshift([begin, `${open}${enter}try{${give}`]);
      inserted.push([end, `${given}}finally{$left();}${close}`]);
    }
  };
  visit(tree);
  return withInserted(text, inserted);
}

function withInserted(text: string, inserted: readonly (readonly [number, string])[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const [at, more] of [...inserted].sort(([one], [other]) => one - other)) {
    parts.push(text.slice(from, at), more);
    from = at;
  }
  return parts.join('') + text.slice(from);
}

/** Of what is called by its name or by a value; accessors and constructors only hand on. */
function bodyOf(node: ts.Node): ts.ConciseBody | undefined {
  const isTraced =
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node);
  return isTraced ? node.body : undefined;
}

function pauses(node: ts.Node): boolean {
  if (!ts.isFunctionLike(node)) return false;
  const isGenerator = 'asteriskToken' in node && node.asteriskToken !== undefined;
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  return isGenerator || modifiers.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword);
}
