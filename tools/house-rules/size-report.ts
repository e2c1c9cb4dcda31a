/**
 * How long files and functions are, and how often `as` is written. Reported and never a failure:
 * past a size one looks for the seam, and sometimes there is none.
 */
import ts from 'typescript';
import { isTestSide, type House, type Source } from './house.ts';

const LINES_MAX = 400;

/** A few lines to print. */
export function sizeReport(house: House): string {
  const ours = house.sources.filter(({ path }) => !isTestSide(path) && !isLeftOut(path));
  const tests = house.sources.filter(({ path }) => isTestSide(path));
  const files = sorted(ours.map(linesOf));
  const functions = sorted(ours.flatMap(functionLines));
  const [written, tested] = [ours, tests].map((some) => sum(some.map(linesOf)));
  const assertions = sum(ours.map(countAssertions));
  const long = ours.filter((source) => linesOf(source) > LINES_MAX);
  return [
    `source: ${String(files.length)} files, ${String(written)} lines; tests: ${String(tested)} lines`,
    `lines of a file: median ${at(files, 0.5)}, p90 ${at(files, 0.9)}`,
    `lines of a function: median ${at(functions, 0.5)}, p90 ${at(functions, 0.9)}`,
    `as: ${((1000 * assertions) / Math.max(1, written ?? 0)).toFixed(1)} in 1,000 lines`,
    `over ${String(LINES_MAX)} lines: ${String(long.length)}`,
    ...long.map((source) => `  ${source.path}: ${String(linesOf(source))}`),
  ].join('\n');
}

/** Tools, and what a program writes. */
function isLeftOut(path: string): boolean {
  return path.startsWith('tools/') || path.startsWith('api/generated/');
}

function linesOf({ text }: Source): number {
  return text.split('\n').length - 1;
}

function functionLines({ tree, nodes }: Source): readonly number[] {
  const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  return nodes.flatMap((node) => {
    const hasBody = ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
    return hasBody ? [lineAt(node.end) - lineAt(node.getStart(tree)) + 1] : [];
  });
}

/** `as const` asserts nothing. */
function countAssertions({ tree, nodes }: Source): number {
  const asserts = (node: ts.Node) => ts.isAsExpression(node) && node.type.getText(tree) !== 'const';
  return nodes.filter(asserts).length;
}

function sorted(numbers: readonly number[]): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

function at(numbers: readonly number[], share: number): string {
  return String(numbers[Math.floor(numbers.length * share)] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
