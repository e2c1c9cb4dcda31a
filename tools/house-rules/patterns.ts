/**
 * Every regular expression in the sources of the server: literals, and what `new RegExp` is given,
 * put together from constants of this file and of others. A pattern that is made while the server
 * runs cannot be read here, and is returned as one without a pattern.
 */
import ts from 'typescript';
import { isTestSide, type House, type Source } from './house.ts';

export interface PlacedPattern {
  /** As `api/meta/names.ts:12`. */
  readonly place: string;
  /** undefined: it is not known before the server runs. */
  readonly pattern: Pattern | undefined;
}

export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** What a constant expression of a pattern can be. */
type Constant = string | Pattern | readonly string[];

/** Methods of strings that make a regular expression of a string that they are given. */
const IMPLICIT: ReadonlySet<string> = new Set(['match', 'matchAll', 'search']);

/** Of the server and the tools that are shipped with it; tests and what builds it are left out. */
export function patternsOf(house: House): readonly PlacedPattern[] {
  const byPath = new Map(house.sources.map((source) => [source.path, source]));
  const evaluate = evaluatorOf(byPath);
  return house.sources
    .filter(({ path }) => !isTestSide(path) && !/^(?:tools|bench)\/|\.config\.ts$/.test(path))
    .flatMap((source) =>
      source.nodes.flatMap((node) => {
        const made = madeBy(node);
        if (made === undefined) return [];
        const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree));
        const place = `${source.path}:${String(line + 1)}`;
        return [{ place, pattern: patternOf(made, (part) => evaluate(source, part)) }];
      }),
    );
}

interface Made {
  readonly pattern: ts.Expression | undefined;
  readonly flags?: ts.Expression | undefined;
}

/** undefined: the node makes no regular expression. */
function madeBy(node: ts.Node): Made | undefined {
  if (ts.isRegularExpressionLiteral(node)) return { pattern: node };
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    const [first, flags] = node.arguments ?? [];
    const { expression: called } = node;
    if (ts.isIdentifier(called) && called.text === 'RegExp') return { pattern: first, flags };
    const isImplicit = ts.isPropertyAccessExpression(called) && IMPLICIT.has(called.name.text);
    if (isImplicit && first !== undefined && isText(first)) return { pattern: first };
  }
  return undefined;
}

function isText(node: ts.Expression): boolean {
  return (
    ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isBinaryExpression(node)
  );
}

function patternOf(
  { pattern, flags }: Made,
  evaluate: (node: ts.Expression) => Constant | undefined,
): Pattern | undefined {
  const source = pattern === undefined ? undefined : evaluate(pattern);
  const given = flags === undefined ? undefined : evaluate(flags);
  if (flags !== undefined && typeof given !== 'string') return undefined;
  const extra = typeof given === 'string' ? given : undefined;
  if (typeof source === 'string') return { source, flags: extra ?? '' };
  if (source === undefined || !('source' in source)) return undefined;
  return { source: source.source, flags: extra ?? source.flags };
}

type Evaluate = (source: Source, node: ts.Expression) => Constant | undefined;

function evaluatorOf(byPath: ReadonlyMap<string, Source>): Evaluate {
  const constants = new WeakMap<Source, ReadonlyMap<string, ts.Expression>>();
  const constantsOf = (source: Source): ReadonlyMap<string, ts.Expression> => {
    const known = constants.get(source) ?? declaredIn(source);
    constants.set(source, known);
    return known;
  };
  const lookUp = (source: Source, name: string): Constant | undefined => {
    const own = constantsOf(source).get(name);
    if (own !== undefined) return evaluate(source, own);
    const imported = importedAs(source, name);
    const other = imported === undefined ? undefined : byPath.get(imported.path);
    return imported === undefined || other === undefined ? undefined : lookUp(other, imported.name);
  };
  const evaluate: Evaluate = (source, node) =>
    evaluateNode(node, {
      evaluate: (part) => evaluate(source, part),
      lookUp: (name) => lookUp(source, name),
    });
  return evaluate;
}

/** The constants of a file, by name; a name that also means something else is none. */
function declaredIn(source: Source): ReadonlyMap<string, ts.Expression> {
  const declared = new Map<string, ts.Expression>();
  const others = new Set<string>();
  for (const node of source.nodes) {
    if (ts.isParameter(node) && ts.isIdentifier(node.name)) others.add(node.name.text);
    if (!ts.isVariableDeclarationList(node)) continue;
    const isConst = (node.flags & ts.NodeFlags.Const) !== 0;
    for (const { name, initializer } of node.declarations) {
      if (!ts.isIdentifier(name)) continue;
      if (!isConst || declared.has(name.text)) others.add(name.text);
      else if (initializer !== undefined) declared.set(name.text, initializer);
    }
  }
  for (const name of others) declared.delete(name);
  return declared;
}

function importedAs(source: Source, name: string): { path: string; name: string } | undefined {
  for (const node of source.nodes) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue;
    const bindings = node.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    const found = bindings.elements.find((one) => one.name.text === name);
    const specifier = node.moduleSpecifier.text;
    const path = source.imports.find((one) => one.specifier === specifier)?.target;
    if (found !== undefined && path !== undefined) {
      return { path, name: (found.propertyName ?? found.name).text };
    }
  }
  return undefined;
}

interface Scope {
  readonly evaluate: (node: ts.Expression) => Constant | undefined;
  readonly lookUp: (name: string) => Constant | undefined;
}

/** undefined: it is not constant, or of a form that no pattern has had so far. */
function evaluateNode(node: ts.Expression, scope: Scope): Constant | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return literalOf(node.text);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) {
    return scope.evaluate(node.expression);
  }
  if (ts.isIdentifier(node)) return scope.lookUp(node.text);
  if (ts.isTemplateExpression(node)) return templateOf(node, 'cooked', scope);
  if (ts.isTaggedTemplateExpression(node)) return rawOf(node, scope);
  if (ts.isBinaryExpression(node)) return sumOf(node, scope);
  if (ts.isPropertyAccessExpression(node)) return partOf(node, scope);
  if (ts.isArrayLiteralExpression(node)) return allTexts(node.elements.map(scope.evaluate));
  return ts.isCallExpression(node) ? joinedBy(node, scope) : undefined;
}

function literalOf(text: string): Pattern {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

function templateOf(
  { head, templateSpans }: ts.TemplateExpression,
  form: 'cooked' | 'raw',
  scope: Scope,
): string | undefined {
  const textOf = (part: ts.TemplateLiteralLikeNode): string =>
    form === 'raw' ? (part.rawText ?? part.text) : part.text;
  const spans = allTexts(templateSpans.map(({ expression }) => scope.evaluate(expression)));
  if (spans === undefined) return undefined;
  const tails = templateSpans.map(({ literal }) => textOf(literal));
  return textOf(head) + spans.map((text, at) => text + (tails[at] ?? '')).join('');
}

/** Only String.raw is known. */
function rawOf({ tag, template }: ts.TaggedTemplateExpression, scope: Scope): string | undefined {
  if (!ts.isPropertyAccessExpression(tag) || tag.name.text !== 'raw') return undefined;
  if (ts.isTemplateExpression(template)) return templateOf(template, 'raw', scope);
  return template.rawText ?? template.text;
}

function sumOf(node: ts.BinaryExpression, scope: Scope): string | undefined {
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  return allTexts([scope.evaluate(node.left), scope.evaluate(node.right)])?.join('');
}

/** `PATTERN.source` */
function partOf(node: ts.PropertyAccessExpression, scope: Scope): string | undefined {
  const whole = node.name.text === 'source' ? scope.evaluate(node.expression) : undefined;
  return typeof whole === 'object' && 'source' in whole ? whole.source : undefined;
}

/** `[…].join('|')` */
function joinedBy({ expression, arguments: given }: ts.CallExpression, scope: Scope) {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'join')
    return undefined;
  const parts = scope.evaluate(expression.expression);
  const between = given[0] === undefined ? ',' : scope.evaluate(given[0]);
  return isTexts(parts) && typeof between === 'string' ? parts.join(between) : undefined;
}

function isTexts(value: Constant | undefined): value is readonly string[] {
  return Array.isArray(value);
}

function allTexts(values: readonly (Constant | undefined)[]): readonly string[] | undefined {
  const texts = values.filter((value) => typeof value === 'string');
  return texts.length === values.length ? texts : undefined;
}
