/**
 * `npm run fuzz -- --cost`: judges every case by the law of costs, and prints what the worst input
 * of a decoder costs at its largest. See docs/fuzzing.md.
 */
import { BODY_BYTES, HEADER_BYTES, type CostCase, type CostInput } from './cost-case.ts';
import { COST_FAMILIES, LONG_FAMILIES } from './cost-families.ts';
import { ALL_SHAPES, USUAL_SHAPES } from './text-shapes.ts';
import { longestTurn } from './longest-turn.ts';
import { costMs, growing, leastCostMs, RATIO_MAX } from './measurement.ts';

export interface CostOptions {
  /** None: all. */
  readonly families: readonly string[];
  /** Only cases whose name has this. */
  readonly containing: string;
  /** Every shape of text instead of one of each sort: four times as many inputs. */
  readonly allShapes: boolean;
  readonly print: (line: string) => unknown;
}

interface Judged {
  readonly one: CostCase;
  readonly nsPerByte: number;
}

/** Where the growth of most inputs shows; those before authentication never get larger. */
const LAW_BYTES = { 'before authentication': 64 * 1024, 'after authentication': 128 * 1024 };
const TABLE_BYTES = { 'before authentication': HEADER_BYTES, 'after authentication': BODY_BYTES };
const TABLE_REPEATS = { 'before authentication': 5, 'after authentication': 2 };
const WORST = 2;
const SMALL_BYTES = 64;

/** @returns how many cases break the law. */
export async function costSession(options: CostOptions): Promise<number> {
  let broken = 0;
  const shapes = options.allShapes ? ALL_SHAPES : USUAL_SHAPES;
  for (const [name, casesOf] of Object.entries({ ...COST_FAMILIES, ...LONG_FAMILIES })) {
    if (options.families.length > 0 && !options.families.includes(name)) continue;
    const cases = (await casesOf(shapes)).filter((one) => one.name.includes(options.containing));
    options.print(`${name}: ${String(cases.length)} inputs that grow`);
    for (const ofDecoder of byDecoder(cases)) broken += await judgedDecoder(ofDecoder, options);
  }
  return broken;
}

/** The line of a decoder is printed as soon as it is known, so that a run that is cut has told something. */
function byDecoder(cases: readonly CostCase[]): Iterable<readonly CostCase[]> {
  const decoders = new Map<string, CostCase[]>();
  for (const one of cases) {
    const decoder = one.name.slice(0, one.name.indexOf(':'));
    const known = decoders.get(decoder);
    if (known === undefined) decoders.set(decoder, [one]);
    else known.push(one);
  }
  return decoders.values();
}

/** @returns how many of them break the law. */
async function judgedDecoder(cases: readonly CostCase[], options: CostOptions): Promise<number> {
  let broken = 0;
  const judged: Judged[] = [];
  for (const one of cases) {
    const { ratio, bytes, costMs: ms } = await growing(one, LAW_BYTES[one.stage]);
    judged.push({ one, nsPerByte: ms / bytes });
    if (ratio <= RATIO_MAX) continue;
    broken += 1;
    options.print(`  x${ratio.toFixed(2)}  ${ms.toFixed(1)} ms at ${kib(bytes)}  ${one.name}`);
  }
  await printWorst(judged, options);
  return broken;
}

async function printWorst(judged: readonly Judged[], { print }: CostOptions): Promise<void> {
  const worst = [...judged].sort((a, b) => b.nsPerByte - a.nsPerByte).slice(0, WORST);
  let line = '';
  let most = -1;
  for (const { one } of worst) {
    const { input, costMs } = await largest(one);
    if (costMs <= most) continue;
    most = costMs;
    line = `${costMs.toFixed(2).padStart(10)} ms  ${kib(input.bytes)}  ${one.name}${await longest(one, input)}`;
  }
  print(line);
}

/** What is so dear is not measured again: noise is no great part of it. */
const DEAR_MS = 1_000;
/** What seems so cheap is measured until its code is compiled: before, it takes up to ten times as long. */
const CHEAP_MS = 50;
const CHEAP_REPEATS = 40;

async function largest(one: CostCase): Promise<{ input: CostInput; costMs: number }> {
  const input = sizedInput(one, TABLE_BYTES[one.stage]);
  const first = await costMs(input);
  if (first > DEAR_MS) return { input, costMs: first };
  const repeats = first < CHEAP_MS ? CHEAP_REPEATS : TABLE_REPEATS[one.stage];
  const least = await leastCostMs(input, repeats - 1);
  return { input, costMs: Math.min(first, least) };
}

/** Makers meet the size about; one that made too much is asked for less, as the server refuses more. */
function sizedInput(one: CostCase, bytes: number): CostInput {
  const input = one.make(bytes);
  return input.bytes <= bytes ? input : one.make((bytes * bytes) / input.bytes);
}

async function longest(one: CostCase, input: CostInput): Promise<string> {
  const small = one.make(SMALL_BYTES).run();
  // A reader that is done at once has one turn.
  if (!(small instanceof Promise)) return '';
  await small;
  const { ms, turns } = await longestTurn(input, 1);
  return turns < 3 ? '' : `, ${ms.toFixed(0)} ms at a time`;
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KiB`;
}
