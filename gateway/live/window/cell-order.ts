/** How the cells of a column stand in order, and what a filter sees of them. */
import { formatJson } from '../../../api/json/json-text.ts';
import type { LiveCell } from '../../../api/live/live-messages.ts';

/** A cell as a filter and a group see it. */
export function textOf(cell: LiveCell): string {
  if (typeof cell === 'string') return cell;
  if (cell === null) return '';
  return typeof cell === 'object' ? formatJson(cell) : String(cell);
}

/** Empty cells stand last, whichever way the others are sorted. @param sign -1: from the last to the first. */
export function compareCells(left: LiveCell, right: LiveCell, sign: number): number {
  const isLeftEmpty = left === null || left === '';
  const isRightEmpty = right === null || right === '';
  if (isLeftEmpty || isRightEmpty) return Number(isLeftEmpty) - Number(isRightEmpty);
  if (isNumeric(left) && isNumeric(right)) return sign * (left < right ? -1 : left > right ? 1 : 0);
  return sign * compareTexts(textOf(left), textOf(right));
}

function isNumeric(cell: LiveCell): cell is number | bigint {
  return typeof cell === 'number' || typeof cell === 'bigint';
}

/** By their units of UTF-16. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
