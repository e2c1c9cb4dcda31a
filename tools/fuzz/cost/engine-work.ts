/**
 * What the engine does within one call or one statement of ours, counted by what it goes through,
 * for calls that may hold a turn of the event loop long: keys of large objects that are listed or
 * copied, lists that are sorted, texts that are parsed, written or matched. The weights are about
 * what each takes of a large value, in units of ten nanoseconds, as a statement of ours counts.
 */

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Weigh = (of: unknown, given: readonly unknown[], result: unknown) => number;

const A_KEY = 32;
const AN_ENTRY = 85;
const A_SORTED_ITEM = 20;
const AN_ITEM = 2;
const A_PARSED_TEXT = 60;
const A_WRITTEN_TEXT = 25;
const A_CHARACTER = 0.1;
const A_MATCHED_CHARACTER = 0.25;

/** That of before the calls are counted. */
const { indexOf } = String.prototype;

const sized = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0;
const sorted: Weigh = (of) => sized(of) * A_SORTED_ITEM;
const made: Weigh = (_of, _given, result) => sized(result) * AN_ITEM;
const gone: Weigh = (of) => sized(of) * AN_ITEM;
/** Of JSON: what is written is texts, each in two quotes, and cheaper than those what else there is. */
const jsonOf = (text: unknown, aText: number): number => {
  if (typeof text !== 'string') return 0;
  let quotes = 0;
  for (let at = indexOf.call(text, '"'); at >= 0; at = indexOf.call(text, '"', at + 1)) quotes += 1;
  return text.length * A_CHARACTER + (quotes / 2) * aText;
};
/** One that is sticky looks at nothing behind what it finds. */
const matched: Weigh = (of, [text], result) => {
  const isSticky = of instanceof RegExp && of.sticky;
  const seen: unknown = isSticky ? (Array.isArray(result) ? result[0] : '') : text;
  return sized(seen) * A_MATCHED_CHARACTER;
};
const searched: Weigh = (of) => sized(of) * A_MATCHED_CHARACTER;

const WEIGHTS: readonly (readonly [owner: object, Readonly<Record<string, Weigh>>])[] = [
  [
    Object,
    {
      keys: (_of, _given, result) => sized(result) * A_KEY,
      values: (_of, _given, result) => sized(result) * AN_ENTRY,
      entries: (_of, _given, result) => sized(result) * AN_ENTRY,
      fromEntries: (_of, [entries]) => sized(entries) * A_KEY,
    },
  ],
  [
    JSON,
    {
      parse: (_of, [text]) => jsonOf(text, A_PARSED_TEXT),
      stringify: (_of, _given, result) => jsonOf(result, A_WRITTEN_TEXT),
    },
  ],
  [
    Array.prototype,
    { sort: sorted, toSorted: sorted, join: gone, flat: made, map: made, filter: gone },
  ],
  [RegExp.prototype, { exec: matched, test: matched }],
  [String.prototype, { replace: searched, replaceAll: searched, match: searched }],
];

/** Opens a bundle whose loops over keys count what they list; see `workCounting`. */
export const LISTED_BANNER = `const $listed = (object) => {
  if (object !== null && typeof object === 'object') $work[0] += Object.keys(object).length * ${String(A_KEY)};
  return object;
};`;

/** Counts in `work` whatever is called from now on. */
export function countEngine(work: Float64Array): void {
  for (const [owner, weights] of WEIGHTS) {
    const methods = owner as Record<string, Method>;
    for (const [name, weigh] of Object.entries(weights)) {
      const own = methods[name];
      if (own === undefined) continue;
      methods[name] = function (...given) {
        const result = own.apply(this, given);
        work[0] = (work[0] ?? 0) + weigh(this, given, result);
        return result;
      };
    }
  }
}
