/**
 * Indexes of the pods of a job, written as `0,2-4,7`: numbers and ranges that rise.
 *
 * In Kubernetes: validateIndexesFormat, pkg/apis/batch/validation.
 */
import { goQuote } from '../../json/go-format.ts';

export type ParsedIndexes =
  | { readonly ok: true; readonly count: number }
  | { readonly ok: false; readonly why: string };

type Interval =
  | { readonly ok: true; readonly first: number; readonly last: number }
  | { readonly ok: false; readonly why: string };

/** How many indexes there are; all are below `completions`. */
export function countIndexes(text: string, completions: number): ParsedIndexes {
  if (text === '') return { ok: true, count: 0 };
  let last: number | undefined;
  let count = 0;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (!interval.ok) return interval;
    if (last !== undefined && last >= interval.first) {
      return { ok: false, why: notRising(last, interval.first) };
    }
    count += interval.last - interval.first + 1;
    last = interval.last;
  }
  return { ok: true, count };
}

/** The first index that stands in both; parts that cannot be read are passed over. */
export function overlapOf(one: string, other: string, completions: number): number | undefined {
  if (one === '' || other === '') return undefined;
  const [left, right] = [one, other].map((text) =>
    text.split(',').flatMap((part) => {
      const interval = parseInterval(part, completions);
      return interval.ok ? [interval] : [];
    }),
  );
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [left?.[i], right?.[j]];
    if (a === undefined || b === undefined) return undefined;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i += 1;
    else j += 1;
  }
}

function parseInterval(text: string, completions: number): Interval {
  const [first = '', last, ...others] = text.split('-');
  if (others.length > 0) {
    const why =
      `the fragment ${goQuote(text)} violates the requirement that ` +
      "an index interval can have at most two parts separated by '-'";
    return { ok: false, why };
  }
  const problem = indexProblem(first, completions) ?? (last && indexProblem(last, completions));
  if (problem !== undefined && problem !== '') return { ok: false, why: problem };
  if (last === '') return { ok: false, why: indexProblem(last, completions) ?? '' };
  const [from, to] = [Number(first), Number(last ?? first)];
  if (last !== undefined && from >= to) return { ok: false, why: notRising(from, to) };
  return { ok: true, first: from, last: to };
}

function indexProblem(text: string, completions: number): string | undefined {
  if (!/^\+?[0-9]{1,18}$/.test(text)) {
    return `cannot convert string to integer for index: ${goQuote(text)}`;
  }
  return Number(text) >= completions ? `too large index: ${goQuote(text)}` : undefined;
}

function notRising(previous: number, current: number): string {
  return `non-increasing order, previous: ${String(previous)}, current: ${String(current)}`;
}
