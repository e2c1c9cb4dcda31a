/**
 * No request costs more than its size: every regular expression of the server is proved to take
 * time in proportion to the text, by recheck's automata. What that method cannot judge
 * (look-around, references back, patterns that are made while the server runs) is refused too,
 * unless it stands among the exceptions with the reason why it is harmless.
 *
 * The surprise is how much is quadratic: `/\s+$/` tries each of n blanks as the first, and
 * `/\d*\.?\d*$/` each way to part n digits. CONTRIBUTING.md says what to write instead.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { House, Violations } from './house.ts';
import { patternsOf, type Pattern } from './patterns.ts';

type Verdict =
  | { readonly status: 'safe' }
  | { readonly status: 'vulnerable'; readonly complexity: { readonly summary: string } }
  | {
      readonly status: 'unknown';
      readonly error: { readonly kind: string; readonly message?: string };
    };

interface Recheck {
  /** Of the checkers only `automaton` proves; `fuzz` tries inputs. */
  readonly checkSync: (
    source: string,
    flags: string,
    options: { readonly checker: 'automaton'; readonly timeout: number },
  ) => Verdict;
}

/**
 * The pure JavaScript build, which needs neither the native program nor the JVM that the main entry
 * looks for. The package has no types for it.
 */
const load = createRequire(import.meta.url);
const { checkSync } = load('recheck/lib/browser.js') as Recheck;

/** By the file and the pattern: why it costs no more than the text is long. */
export type Exceptions = Readonly<Record<string, string>>;

export const EXCEPTIONS: Exceptions = {};

/** Milliseconds that the proof of one pattern may take; most take some ten. */
const PROOF_MS_MAX = 60_000;

/** Patterns that are not proved linear, and exceptions that no pattern needs. */
export function linearPatterns(house: House, exceptions: Exceptions = EXCEPTIONS): Violations {
  const unused = new Set(Object.keys(exceptions));
  const problems = patternsOf(house).flatMap(({ place, pattern }) => {
    const shown = pattern === undefined ? 'a pattern' : shownAs(pattern);
    const key = `${place.slice(0, place.lastIndexOf(':'))} ${shown}`;
    const problem = pattern === undefined ? 'is not constant' : problemOf(pattern);
    if (problem === undefined) return [];
    return unused.delete(key) || key in exceptions ? [] : [`${place}: ${shown} ${problem}`];
  });
  return [
    ...problems,
    ...[...unused].map((key) => `linear-patterns.ts: no exception is needed for ${key}`),
  ];
}

function shownAs({ source, flags }: Pattern): string {
  return `/${source}/${flags}`;
}

/**
 * Patterns that were proved before, one JSON text a line below the release that proved them. What stands there
 * is not proved again, since a proof takes some tenths of a second and its outcome does not change; another
 * release proves everything anew. `npm run prove:patterns` writes it.
 */
export const PROVED_FILE = join(import.meta.dirname, 'proved-patterns.txt');

/** As the first line of {@link PROVED_FILE} names the release that judges here. */
export const PROVED_BY = `recheck ${(load('recheck/package.json') as { readonly version: string }).version}`;

const judged = new Map<string, string | undefined>();

/** undefined: the pattern is linear. */
function problemOf(pattern: Pattern): string | undefined {
  if (judged.size === 0) for (const known of provedBefore()) judged.set(known, undefined);
  const key = shownAs(pattern);
  if (!judged.has(key)) judged.set(key, judge(pattern));
  return judged.get(key);
}

function provedBefore(): readonly string[] {
  const [release, ...lines] = readFileSync(PROVED_FILE, 'utf8').trimEnd().split('\n');
  return release === PROVED_BY ? lines.map((line) => JSON.parse(line) as string) : [];
}

/** The text of {@link PROVED_FILE} as it should be. @param isTrusted whether what it has is taken as proved. */
export function provedPatterns(house: House, isTrusted: boolean): string {
  const known = new Set(isTrusted ? provedBefore() : []);
  const shown = patternsOf(house).flatMap(({ pattern }) => {
    if (pattern === undefined) return [];
    const key = shownAs(pattern);
    const isProved = known.has(key) || judge(pattern) === undefined;
    if (isProved) known.add(key);
    return isProved ? [JSON.stringify(key)] : [];
  });
  return `${[PROVED_BY, ...[...new Set(shown)].sort()].join('\n')}\n`;
}

/** Patterns that the test has to prove, since they are not in {@link PROVED_FILE} yet. */
export function unprovedPatterns(house: House): readonly string[] {
  const known = new Set(provedBefore());
  const all = patternsOf(house)
    .flatMap(({ pattern }) => pattern ?? [])
    .map(shownAs);
  return [...new Set(all)].filter((one) => !known.has(one));
}

function judge({ source, flags }: Pattern): string | undefined {
  const verdict = checkSync(source, flags, { checker: 'automaton', timeout: PROOF_MS_MAX });
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'vulnerable') return `takes ${verdict.complexity.summary} time`;
  const { kind, message } = verdict.error;
  return `is not proved linear: ${message ?? kind}`;
}
