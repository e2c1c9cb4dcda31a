/**
 * The difference of two texts, line by line, in unified format without a header: what messages
 * about fields that may not change end with. The lines that are paired are those that the library
 * of kube-apiserver pairs, which looks for the longest run first and leaves out lines that come
 * too often to say anything.
 *
 * In Kubernetes: Diff, apimachinery/pkg/util/diff, over go-difflib.
 */

const CONTEXT = 3;
/** Lines that come more often than once in a hundred are left out of texts from here on. */
const POPULAR_FROM = 200;
/** Finding runs takes time with the square of the lines; a longer text is not compared. */
const LINES_MAX = 4000;

interface Run {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly tag: 'equal' | 'change';
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

interface Range {
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

/** '' when there is no difference, or when the texts are too long to be compared. */
export function unifiedDiff(oldText: string, newText: string): string {
  const a = oldText.split('\n');
  const b = newText.split('\n');
  if (a.length > LINES_MAX || b.length > LINES_MAX) return '';
  return groupsOf(changesOf(a, b))
    .map((group) => formatGroup(group, a, b))
    .join('');
}

function formatGroup(group: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return '';
  const lines = group.flatMap(({ tag, a1, a2, b1, b2 }) =>
    tag === 'equal'
      ? a.slice(a1, a2).map((line) => ` ${line}`)
      : [
          ...a.slice(a1, a2).map((line) => `-${line}`),
          ...b.slice(b1, b2).map((line) => `+${line}`),
        ],
  );
  const head = `@@ -${formatRange(first.a1, last.a2)} +${formatRange(first.b1, last.b2)} @@`;
  return [head, ...lines].map((line) => `${line}\n`).join('');
}

function formatRange(start: number, stop: number): string {
  const length = stop - start;
  if (length === 1) return String(start + 1);
  return `${String(length === 0 ? start : start + 1)},${String(length)}`;
}

/** Changes with the lines around them; those that are near one another are one group. */
function groupsOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  changes.forEach((change, index) => {
    const { tag, a1, a2, b1, b2 } = change;
    if (tag === 'change') {
      group.push(change);
      return;
    }
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    const start = isFirst ? Math.max(0, a2 - a1 - CONTEXT) : 0;
    const end = isLast ? Math.min(a2 - a1, start + CONTEXT) : a2 - a1;
    if (end - start > 2 * CONTEXT) {
      group.push({ tag, a1, a2: a1 + CONTEXT, b1, b2: b1 + CONTEXT });
      groups.push(group);
      group = [{ tag, a1: a2 - CONTEXT, a2, b1: b2 - CONTEXT, b2 }];
      return;
    }
    group.push({ tag, a1: a1 + start, a2: a1 + end, b1: b1 + start, b2: b1 + end });
  });
  groups.push(group);
  return groups.filter((one) => one.some(({ tag }) => tag === 'change'));
}

function changesOf(a: readonly string[], b: readonly string[]): readonly Change[] {
  const changes: Change[] = [];
  let [atA, atB] = [0, 0];
  for (const run of [...runsOf(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (atA < run.a || atB < run.b) {
      changes.push({ tag: 'change', a1: atA, a2: run.a, b1: atB, b2: run.b });
    }
    atA = run.a + run.size;
    atB = run.b + run.size;
    if (run.size > 0) changes.push({ tag: 'equal', a1: run.a, a2: atA, b1: run.b, b2: atB });
  }
  return changes;
}

/** Equal runs of lines in order, those that follow each other without a gap as one. */
function runsOf(a: readonly string[], b: readonly string[]): readonly Run[] {
  const places = placesOf(b);
  const open: Range[] = [{ a1: 0, a2: a.length, b1: 0, b2: b.length }];
  const found: Run[] = [];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const run = longestRun(a, b, places, range);
    if (run.size === 0) continue;
    found.push(run);
    const [endA, endB] = [run.a + run.size, run.b + run.size];
    if (range.a1 < run.a && range.b1 < run.b) {
      open.push({ a1: range.a1, a2: run.a, b1: range.b1, b2: run.b });
    }
    if (endA < range.a2 && endB < range.b2) {
      open.push({ a1: endA, a2: range.a2, b1: endB, b2: range.b2 });
    }
  }
  found.sort((one, other) => one.a - other.a);
  return joined(found);
}

function joined(runs: readonly Run[]): readonly Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    const isNext =
      last !== undefined && last.a + last.size === run.a && last.b + last.size === run.b;
    if (isNext) result[result.length - 1] = { ...last, size: last.size + run.size };
    else result.push(run);
  }
  return result;
}

/** Where each line of `b` stands, without the lines that come too often. */
function placesOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  b.forEach((line, index) => {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  });
  if (b.length < POPULAR_FROM) return places;
  const most = Math.floor(b.length / 100) + 1;
  for (const [line, indexes] of places) if (indexes.length > most) places.delete(line);
  return places;
}

/** The first of the longest runs in the range, made longer by lines that come too often. */
function longestRun(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  range: Range,
): Run {
  let best: Run = { a: range.a1, b: range.b1, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = range.a1; i < range.a2; i += 1) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < range.b1) continue;
      if (j >= range.b2) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  return extended(a, b, range, best);
}

function extended(a: readonly string[], b: readonly string[], range: Range, run: Run): Run {
  let { a: atA, b: atB, size } = run;
  while (atA > range.a1 && atB > range.b1 && a[atA - 1] === b[atB - 1]) {
    atA -= 1;
    atB -= 1;
    size += 1;
  }
  while (atA + size < range.a2 && atB + size < range.b2 && a[atA + size] === b[atB + size]) {
    size += 1;
  }
  return { a: atA, b: atB, size };
}
