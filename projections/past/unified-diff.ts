/**
 * Two texts as a unified diff, by Myers' algorithm. Texts so different that it would take long are
 * shown as one that went and one that came.
 */

/** What the header of a diff calls both sides. */
export interface DiffNames {
  /** Stands behind `---`. */
  readonly before: string;
  /** Stands behind `+++`. */
  readonly after: string;
}

interface Edit {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
}

const CONTEXT_LINES = 3;
/** Lines that differ; the time taken grows with their square. */
const DIFFERENCES_MAX = 500;

/** '' when the texts are the same. Else it ends with a line break. */
export function unifiedDiff(before: string, after: string, names: DiffNames): string {
  if (before === after) return '';
  const edits = editsOf(linesOf(before), linesOf(after));
  const hunks = hunksOf(edits);
  return [`--- ${names.before}`, `+++ ${names.after}`, ...hunks, ''].join('\n');
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const marked = (mark: Edit['mark'], lines: readonly string[]): Edit[] =>
    lines.map((line) => ({ mark, line }));
  return [
    ...marked(' ', before.slice(0, head)),
    ...middleEdits(
      before.slice(head, before.length - tail),
      after.slice(head, after.length - tail),
    ),
    ...marked(' ', before.slice(before.length - tail)),
  ];
}

/** Where the furthest path of each diagonal had come, after each number of differences. */
type Trace = readonly ReadonlyMap<number, number>[];

function middleEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const trace = shortestTrace(before, after);
  if (trace === undefined) {
    const gone = before.map((line): Edit => ({ mark: '-', line }));
    return [...gone, ...after.map((line): Edit => ({ mark: '+', line }))];
  }
  const edits: Edit[] = [];
  let x = before.length;
  let y = after.length;
  for (let differences = trace.length - 1; differences >= 0; differences -= 1) {
    const reached = trace[differences] ?? new Map<number, number>();
    const diagonal = x - y;
    const from = comesFromAbove(reached, diagonal, differences) ? diagonal + 1 : diagonal - 1;
    const startX = reached.get(from) ?? 0;
    const startY = startX - from;
    while (x > Math.max(startX, 0) && y > Math.max(startY, 0) && before[x - 1] === after[y - 1]) {
      edits.push({ mark: ' ', line: before[x - 1] ?? '' });
      x -= 1;
      y -= 1;
    }
    if (differences === 0) break;
    if (x === startX) edits.push({ mark: '+', line: after[startY] ?? '' });
    else edits.push({ mark: '-', line: before[startX] ?? '' });
    x = startX;
    y = startY;
  }
  return edits.reverse();
}

function comesFromAbove(
  reached: ReadonlyMap<number, number>,
  diagonal: number,
  differences: number,
): boolean {
  if (diagonal === -differences) return true;
  if (diagonal === differences) return false;
  return (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1);
}

/** undefined: there are too many differences. */
function shortestTrace(before: readonly string[], after: readonly string[]): Trace | undefined {
  const most = Math.min(before.length + after.length, DIFFERENCES_MAX);
  const trace: Map<number, number>[] = [];
  const reached = new Map<number, number>([[1, 0]]);
  for (let differences = 0; differences <= most; differences += 1) {
    trace.push(new Map(reached));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      const isDown = comesFromAbove(reached, diagonal, differences);
      let x = isDown ? (reached.get(diagonal + 1) ?? 0) : (reached.get(diagonal - 1) ?? 0) + 1;
      while (
        x < before.length &&
        x - diagonal < after.length &&
        before[x] === after[x - diagonal]
      ) {
        x += 1;
      }
      reached.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return trace;
    }
  }
  return undefined;
}

function hunksOf(edits: readonly Edit[]): string[] {
  const hunks: string[] = [];
  let beforeLine = 1;
  let afterLine = 1;
  let place = 0;
  for (const { start, end } of hunkRanges(edits)) {
    for (; place < start; place += 1) {
      beforeLine += 1;
      afterLine += 1;
    }
    const hunk = edits.slice(start, end);
    const beforeCount = hunk.filter(({ mark }) => mark !== '+').length;
    const afterCount = hunk.filter(({ mark }) => mark !== '-').length;
    hunks.push(`@@ -${range(beforeLine, beforeCount)} +${range(afterLine, afterCount)} @@`);
    hunks.push(...hunk.map(({ mark, line }) => `${mark}${line}`));
    beforeLine += beforeCount;
    afterLine += afterCount;
    place = end;
  }
  return hunks;
}

function range(line: number, count: number): string {
  const start = count === 0 ? line - 1 : line;
  return count === 1 ? String(start) : `${String(start)},${String(count)}`;
}

function hunkRanges(edits: readonly Edit[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (const [index, { mark }] of edits.entries()) {
    if (mark === ' ') continue;
    const start = Math.max(0, index - CONTEXT_LINES);
    const end = Math.min(edits.length, index + CONTEXT_LINES + 1);
    const last = ranges.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}
