/**
 * A test that waits for something waits with a limit: a loop that only lets turns or time go by hangs
 * where it should fail, and the runner's own limit does not stop it.
 */
import ts from 'typescript';

import { isTestSide, type House, type Violations } from './house.ts';

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
