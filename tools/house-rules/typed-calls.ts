/**
 * Laws that need the types of what they judge; added-keys.ts has one more, which is asked here as well:
 *
 * - What is JSON of objects goes through json-text.ts, or an int64 in it is lost: `JSON.parse(…) as T`
 *   and `JSON.stringify(value)` are refused where the type may have a bigint in it.
 * - Digits that clients send are counted before they are read: `BigInt(text)` is refused where the
 *   argument may be a string, because it takes a time that grows with the square of its length.
 *
 * The compiler is asked, by its own program beside this one; the linter has no rules of ours that
 * know types.
 */
import { join } from 'node:path';
import {
  isAsExpression,
  isCallExpression,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isTemplateExpression,
  type CallExpression,
  type Node,
  type SourceFile,
} from 'typescript-native/unstable/ast';
import { API, TypeFlags, type Checker, type Type } from 'typescript-native/unstable/sync';
import { addedKeys, mayAddKeys } from './added-keys.ts';
import { isTestSide, type TextFile, type Violations } from './house.ts';

/** Folders of the server; tests and tools may do as they like. */
const SERVER = /^(?:api|streams|projections|actors|gateway)\//;
/** Where JSON is read and written exactly. */
const EXACT_JSON = /^api\/json\/json-/;
/** Where digits are counted first. */
const COUNTED_DIGITS = 'api/json/go-numbers.ts';

const DEPTH_MAX = 4;

/** @param root where the files lie, with their tsconfig.json. */
export function typedCalls(files: readonly TextFile[], root: string): Violations {
  const api = new API({ cwd: root });
  try {
    const config = join(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} is no project`);
    return files.filter(isJudged).flatMap((file) => {
      const tree = project.program.getSourceFile(join(root, file.path));
      // The page has a project of its own, and no objects of 64 bits.
      return tree === undefined ? [] : problemsOf(file, { tree, checker: project.checker });
    });
  } finally {
    api.close();
  }
}

function isJudged({ path, text }: TextFile): boolean {
  return (
    SERVER.test(path) &&
    path.endsWith('.ts') &&
    !isTestSide(path) &&
    (/\bJSON\b|\bBigInt\(/.test(text) || mayAddKeys(path, text))
  );
}

interface Judged {
  readonly tree: SourceFile;
  readonly checker: Checker;
}

function problemsOf({ path, text }: TextFile, { tree, checker }: Judged): Violations {
  const problems: string[] = [];
  const isHot = mayAddKeys(path, text);
  const visit = (node: Node, parent: Node): void => {
    let why = isCallExpression(node) ? problemOf(path, node, { parent, checker }) : undefined;
    if (isHot && isObjectLiteralExpression(node)) why = addedKeys(node, checker);
    if (why !== undefined) problems.push(`${path}:${String(lineOf(text, node.end))}: ${why}`);
    node.forEachChild((child) => {
      visit(child, node);
    });
  };
  visit(tree, tree);
  return problems;
}

function lineOf(text: string, end: number): number {
  return text.slice(0, end).split('\n').length;
}

function problemOf(
  path: string,
  call: CallExpression,
  { parent, checker }: { readonly parent: Node; readonly checker: Checker },
): string | undefined {
  const [first] = call.arguments;
  if (isBigInt(call)) {
    const isCounted = path === COUNTED_DIGITS || first === undefined || isOfPowerOfTwo(first);
    return !isCounted && mayBeString(typeAt(checker, first))
      ? 'BigInt takes more than linear time: use api/json/go-numbers.ts'
      : undefined;
  }
  if (EXACT_JSON.test(path)) return undefined;
  const method = methodOfJson(call);
  if (method === 'parse' && isAsExpression(parent) && isExact(checker, parent))
    return 'use parseJson of api/json/json-text.ts';
  if (method === 'stringify' && first !== undefined && isExact(checker, first))
    return 'use formatJson of api/json/json-text.ts';
  return undefined;
}

function isBigInt({ expression }: CallExpression): boolean {
  return isIdentifier(expression) && expression.text === 'BigInt';
}

function methodOfJson({ expression }: CallExpression): string | undefined {
  if (!isPropertyAccessExpression(expression)) return undefined;
  const { expression: object, name } = expression;
  return isIdentifier(object) && object.text === 'JSON' ? name.text : undefined;
}

/** Digits of a power of two are read in one pass. */
function isOfPowerOfTwo(node: Node): boolean {
  return isTemplateExpression(node) && /^0[xob]/.test(node.head.text);
}

function typeAt(checker: Checker, node: Node): Type {
  const type = checker.getTypeAtLocation(node);
  if (type === undefined) throw new Error('an expression without a type');
  return type;
}

function isExact(checker: Checker, node: Node): boolean {
  return mayHoldBigInt(typeAt(checker, node), checker, DEPTH_MAX);
}

/** Whether a value of the type may have a bigint somewhere in it, as JsonValue has. */
function mayHoldBigInt(type: Type, checker: Checker, depth: number): boolean {
  if ((type.flags & (TypeFlags.BigInt | TypeFlags.BigIntLiteral)) !== 0) return true;
  if (depth === 0) return false;
  const parts =
    type.isUnionType() || type.isIntersectionType()
      ? type.getTypes()
      : checker.getIndexInfosOfType(type).map(({ valueType }) => valueType);
  return parts.some((part) => mayHoldBigInt(part, checker, depth - 1));
}

const STRING =
  TypeFlags.Any |
  TypeFlags.Unknown |
  TypeFlags.String |
  TypeFlags.StringLiteral |
  TypeFlags.TemplateLiteral;

function mayBeString(type: Type): boolean {
  return (type.flags & STRING) !== 0 || (type.isUnionType() && type.getTypes().some(mayBeString));
}
