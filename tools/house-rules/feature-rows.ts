/**
 * That docs/features.md can be believed: its rows are numbered without a hole, its counts are those of its rows, and each
 * row that is not absent names a test that exists, by a link to it, to a folder with tests, or to what tests import.
 */
import { posix } from 'node:path';
import { linksIn, resolvedLink } from './documents.ts';
import type { House, Violations } from './house.ts';

const FEATURES = 'docs/features.md';
const TEST = /\.test\.tsx?$/;
const ROW = /^\| (\d+) \| [^|]+ \| ([a-z]+) \| (.*) \|$/;
const STATES = ['works', 'own', 'partly', 'absent'] as const;

interface Row {
  readonly nth: number;
  readonly state: string;
  readonly shownBy: string;
}

/** What is wrong with the rows and with the sentence that counts them. */
export function featureRows(house: House): Violations {
  const text = house.files.find(({ path }) => path === FEATURES)?.text;
  if (text === undefined) return [`${FEATURES} is missing`];
  const numbered = text.split('\n').filter((line) => /^\| \d/.test(line));
  const rows = numbered.flatMap(rowIn);
  const shown = shownPlaces(house);
  return [
    ...(rows.length < numbered.length ? [`${FEATURES}: a row is not read`] : []),
    ...rows.flatMap((row, at) => [
      ...(row.nth === at + 1
        ? []
        : [`${FEATURES}: row ${String(row.nth)} stands at ${String(at + 1)}`]),
      ...(namesTest(row, shown) ? [] : [`${FEATURES}: row ${String(row.nth)} names no test`]),
    ]),
    ...(text.includes(countOf(rows)) ? [] : [`${FEATURES}: does not say: ${countOf(rows)}`]),
  ];
}

function rowIn(line: string): readonly Row[] {
  const [, nth, state = '', shownBy = ''] = ROW.exec(line) ?? [];
  const isKnown = (STATES as readonly string[]).includes(state);
  return isKnown ? [{ nth: Number(nth), state, shownBy }] : [];
}

/** As the page has it above its rows. */
function countOf(rows: readonly Row[]): string {
  const [works = 0, own = 0, partly = 0, absent = 0] = STATES.map(
    (state) => rows.filter((row) => row.state === state).length,
  );
  const none = absent === 0 ? 'none is absent' : `${String(absent)} are absent`;
  const met = `${String(works)} work, ${String(own)} are met in another way`;
  return `Of the ${String(rows.length)}, ${met}, ${String(partly)} are partly there, ${none}.`;
}

/** Tests, what they import, and the folders in which tests lie. */
function shownPlaces({ sources }: House): ReadonlySet<string> {
  const tests = sources.filter(({ path }) => TEST.test(path));
  const places = new Set<string>();
  for (const { path, imports } of tests) {
    places.add(path);
    for (const { target } of imports) if (target !== undefined) places.add(target);
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder))
      places.add(folder);
  }
  return places;
}

function namesTest({ state, shownBy }: Row, shown: ReadonlySet<string>): boolean {
  if (state === 'absent') return true;
  return linksIn(shownBy).some((link) => shown.has(resolvedLink(FEATURES, link)));
}
