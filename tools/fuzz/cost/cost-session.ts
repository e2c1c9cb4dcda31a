/**
 * `npm run fuzz -- --cost`: judges every case by the law of costs, and prints what the worst input
 * of a decoder costs at its largest. See docs/fuzzing.md.
 */
import { BODY_BYTES, HEADER_BYTES, type CostCase } from './cost-case.ts';
import { COST_FAMILIES } from './cost-families.ts';
import { ALL_SHAPES } from './text-shapes.ts';
import { longestTurn } from './longest-turn.ts';
import { growing, leastCostMs, RATIO_MAX } from './measurement.ts';

export interface CostOptions {
  /** None: all. */
  readonly families: readonly string[];
  /** Only cases whose name has this. */
  readonly containing: string;
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

/** @returns how many cases break the law. */
export async function costSession(options: CostOptions): Promise<number> {
  let broken = 0;
  for (const [name, casesOf] of Object.entries(COST_FAMILIES)) {
    if (options.families.length > 0 && !options.families.includes(name)) continue;
    const cases = (await casesOf(ALL_SHAPES)).filter((one) =>
      one.name.includes(options.containing),
    );
    options.print(`${name}: ${String(cases.length)} inputs that grow`);
    const byDecoder = new Map<string, Judged[]>();
    for (const one of cases) {
      const { ratio, bytes, costMs } = await growing(one, LAW_BYTES[one.stage]);
      if (ratio > RATIO_MAX) {
        broken += 1;
        options.print(
          `  x${ratio.toFixed(2)}  ${costMs.toFixed(1)} ms at ${kib(bytes)}  ${one.name}`,
        );
      }
      const decoder = one.name.slice(0, one.name.indexOf(':'));
      const judged = byDecoder.get(decoder) ?? [];
      byDecoder.set(decoder, [...judged, { one, nsPerByte: costMs / bytes }]);
    }
    for (const judged of byDecoder.values()) await printWorst(judged, options);
  }
  return broken;
}

async function printWorst(judged: readonly Judged[], { print }: CostOptions): Promise<void> {
  const worst = [...judged].sort((a, b) => b.nsPerByte - a.nsPerByte).slice(0, WORST);
  let line = '';
  let most = -1;
  for (const { one } of worst) {
    const input = one.make(TABLE_BYTES[one.stage]);
    const costMs = await leastCostMs(input, TABLE_REPEATS[one.stage]);
    if (costMs <= most) continue;
    most = costMs;
    const { ms, turns } = await longestTurn(input, TABLE_REPEATS[one.stage]);
    const longest = turns < 3 ? '' : `, ${ms.toFixed(0)} ms at a time`;
    line = `${costMs.toFixed(2).padStart(10)} ms  ${kib(input.bytes)}  ${one.name}${longest}`;
  }
  print(line);
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KiB`;
}
