/**
 * What has a limit. What strangers send is remembered in a BoundedMap only, whose bytes are
 * bounded: a Map that is emptied at so many entries holds as much memory as they make their entries
 * long. A test that waits for something waits with a limit: a loop that only lets turns or time go
 * by hangs where it should fail, and the runner's own limit does not stop it. And with a limit that a loaded
 * machine does not come near, since it takes ten times as long as a quiet one.
 */
import ts from 'typescript';

import { type House, isTestSide, type Source, type Violations } from './house.ts';

const DOOR = 'api/meta/bounded-map.ts';
/** What makes room in a Map or a Set. */
const FREES_SPACE: ReadonlySet<string> = new Set(['clear', 'delete']);

/** Conditions `map.size > MAX`, with whatever constant, whose consequence empties the same Map. */
export function boundedCaches(house: House): Violations {
  return house.sources
    .filter(({ path }) => !isTestSide(path) && path !== DOOR && !/^(?:tools|bench)\//.test(path))
    .flatMap((source) =>
      source.nodes.flatMap((node) => {
        const name = ts.isIfStatement(node) ? countedCache(node, source) : undefined;
        const problem = 'is bounded by its number of entries alone: take BoundedMap';
        return name === undefined ? [] : [`${source.path}: ${name} ${problem}`];
      }),
    );
}

function countedCache(node: ts.IfStatement, source: Source): string | undefined {
  const sizes = comparisonsIn(node.expression).flatMap((one) => sizedBy(one, source));
  const consequence = node.thenStatement.getText(source.tree);
  return sizes.find((name) =>
    [...FREES_SPACE].some((method) => consequence.includes(`${name}.${method}(`)),
  );
}

function comparisonsIn(node: ts.Expression): readonly ts.BinaryExpression[] {
  if (!ts.isBinaryExpression(node)) return [];
  return [node, ...comparisonsIn(node.left), ...comparisonsIn(node.right)];
}

/** `known` of `known.size >= KNOWN_MAX`. */
function sizedBy({ left, operatorToken, right }: ts.BinaryExpression, source: Source): string[] {
  const { GreaterThanToken, GreaterThanEqualsToken } = ts.SyntaxKind;
  const isMore =
    operatorToken.kind === GreaterThanToken || operatorToken.kind === GreaterThanEqualsToken;
  // `size > 0` is no bound, nor is the size of another.
  if (!isMore || !isSize(left) || isSize(right) || ts.isNumericLiteral(right)) return [];
  return [left.expression.getText(source.tree)];
}

function isSize(node: ts.Expression): node is ts.PropertyAccessExpression {
  return ts.isPropertyAccessExpression(node) && node.name.text === 'size';
}

const WAITS: ReadonlySet<string> = new Set([
  'turn',
  'turns',
  'setImmediate',
  'sleep',
  'setTimeout',
]);

export function boundedPolls(house: House): Violations {
  return house.sources
    .filter(({ path }) => isTestSide(path))
    .flatMap(({ path, nodes, tree }) =>
      nodes
        .filter((node) => ts.isWhileStatement(node) && isPoll(node, tree))
        .map(() => `${path}: polls without a limit; until of tools/until.fixture.ts has one`),
    );
}

/** `while (…) await turn();`, and `while ((await …));` */
function isPoll({ statement, expression }: ts.WhileStatement, tree: ts.SourceFile): boolean {
  if (ts.isEmptyStatement(statement)) return isComparisonOfAnswer(expression, tree);
  if (!ts.isExpressionStatement(statement) || !ts.isAwaitExpression(statement.expression)) {
    return false;
  }
  const awaited = statement.expression.expression;
  if (ts.isNewExpression(awaited)) return true;
  return ts.isCallExpression(awaited) && WAITS.has(awaited.expression.getText(tree));
}

/** A question that is asked again and again. */
function isComparisonOfAnswer(condition: ts.Expression, tree: ts.SourceFile): boolean {
  return ts.isBinaryExpression(condition) && condition.left.getText(tree).includes('await ');
}

/** The least that a test waits for what has to come, in milliseconds. */
const PATIENCE_MS = 100_000;
const WAITERS = /^(?:vi\.(?:waitFor|waitUntil)|eventually|.*\.poll)$/s;

/** Waits that time decides: `vi.waitFor` takes a second unless it is told, and short limits. */
export function patientWaits(house: House): Violations {
  return house.sources
    .filter(({ path }) => isTestSide(path))
    .flatMap(({ path, nodes, tree }) =>
      nodes.filter(ts.isCallExpression).flatMap((call) => {
        const waiter = call.expression.getText(tree);
        if (!WAITERS.test(waiter)) return [];
        const isHasty =
          call.arguments.some((one) => shortLimit(one, tree)) ||
          (waiter.startsWith('vi.') && call.arguments.length < 2);
        return isHasty ? [`${path}: ${waiter} waits for less than a loaded machine may take`] : [];
      }),
    );
}

/** `{ timeout: 30_000 }` */
function shortLimit(argument: ts.Expression, tree: ts.SourceFile): boolean {
  if (!ts.isObjectLiteralExpression(argument)) return false;
  return argument.properties.some(
    (one) =>
      ts.isPropertyAssignment(one) &&
      ['timeout', 'timeoutMs'].includes(one.name.getText(tree)) &&
      ts.isNumericLiteral(one.initializer) &&
      Number(one.initializer.text) < PATIENCE_MS,
  );
}

/** A locator of Playwright that waits for a text fails where two elements have it, if only for a moment. */
export function strictTexts(house: House): Violations {
  return house.sources
    .filter(({ path }) => isTestSide(path))
    .flatMap(({ path, nodes, tree }) =>
      nodes
        .filter(ts.isPropertyAccessExpression)
        .filter(({ name, expression }) => name.text === 'waitFor' && isByText(expression, tree))
        .map(() => `${path}: waits for a text by getByText; shows of e2e/dashboard takes any`),
    );
}

function isByText(node: ts.Expression, tree: ts.SourceFile): boolean {
  return ts.isCallExpression(node) && /\bgetByText$/.test(node.expression.getText(tree));
}
