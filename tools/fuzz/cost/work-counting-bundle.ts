/**
 * Runs in a thread of its own, in a bundle whose code counts its work: how much of it each case
 * makes at three sizes. What the engine does within one call of a built-in function is counted by
 * the length of what that goes through, for those that are easily called once for each item.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { CostCase } from './cost-case.ts';
import { growsTooFast } from './growth.ts';
import { SHORT_SHAPES } from './text-shapes.ts';
import { COST_FAMILIES } from './cost-families.ts';

export interface CountedCase {
  readonly name: string;
  /** Of an input, one of twice and one of four times its size. */
  readonly work: readonly [number, number, number];
}

const FIRST_BYTES = 1_024;
/**
 * Beyond where a limit is reached, or a list is first long enough to be sorted in another way; four
 * times as much is less than the 64 KiB from which on a body is looked at for its depth.
 */
const SECOND_BYTES = 14_336;

/** Counts the cases whose name has the text of the task. */
export async function countAll(): Promise<void> {
  const { everwatchWork: work } = globalThis as unknown as { everwatchWork: Float64Array };
  const containing = String(workerData);
  countBuiltIns(work);
  for (const casesOf of Object.values(COST_FAMILIES)) {
    for (const one of await casesOf(SHORT_SHAPES)) {
      if (one.name.includes(containing)) parentPort?.postMessage(await judged(one, work));
    }
  }
}

/** What seems to grow too fast is counted again with larger inputs. */
async function judged(one: CostCase, work: Float64Array): Promise<CountedCase> {
  // What is done once, as to compile what a kind needs, is done before.
  await one.make(FIRST_BYTES).run();
  const counted = await countedFrom(one, FIRST_BYTES, work);
  return growsTooFast(counted) ? countedFrom(one, SECOND_BYTES, work) : counted;
}

async function countedFrom(one: CostCase, bytes: number, work: Float64Array): Promise<CountedCase> {
  const count = async (size: number): Promise<number> => {
    const input = one.make(size);
    work[0] = 0;
    input.prepare?.();
    await input.run();
    return work[0];
  };
  const counts = [await count(bytes), await count(bytes * 2), await count(bytes * 4)] as const;
  return { name: one.name, work: counts };
}

type Method = (this: unknown, ...given: unknown[]) => unknown;
/** How many items a call goes through. */
type Reach = (
  of: { readonly length: number },
  given: readonly unknown[],
  result: unknown,
) => number;

const searched: Reach = ({ length }, [, from], result) => {
  const start = typeof from === 'number' ? from : 0;
  return (typeof result === 'number' && result >= 0 ? result : length) - start;
};
const whole: Reach = ({ length }) => length;
const copied: Reach = (_of, _given, result) => (result as { readonly length: number }).length;
const moved: Reach = ({ length }, [start]) => length - (typeof start === 'number' ? start : 0);

const OF_LISTS: Readonly<Record<string, Reach>> = {
  indexOf: searched,
  includes: (of, given, result) => (result === true ? 0 : searched(of, given, -1)),
  slice: copied,
  concat: copied,
  with: copied,
  splice: moved,
  unshift: whole,
};
const OF_TEXTS: Readonly<Record<string, Reach>> = {
  indexOf: searched,
  split: whole,
  replaceAll: whole,
};
/** A built-in function goes through so many items while one statement is carried out. */
const ITEMS_PER_STATEMENT = 8;

/** Counts what built-in functions go through as well. */
export function countBuiltIns(work: Float64Array): void {
  countIn(work, Array.prototype, OF_LISTS);
  countIn(work, String.prototype, OF_TEXTS);
  countDigits(work);
}

/** Of digits the engine makes a number in a time that grows with more than how many there are. */
function countDigits(work: Float64Array): void {
  globalThis.BigInt = new Proxy(globalThis.BigInt, {
    apply(make, _this, [given]: [string | number | bigint]) {
      const digits = typeof given === 'string' && !/^0[xob]/i.test(given) ? given.length : 0;
      work[0] = (work[0] ?? 0) + digits ** 2 / ITEMS_PER_STATEMENT ** 2;
      return make(given);
    },
  });
}

function countIn(
  work: Float64Array,
  prototype: object,
  reaches: Readonly<Record<string, Reach>>,
): void {
  const methods = prototype as Record<string, Method>;
  for (const [name, reach] of Object.entries(reaches)) {
    const own = methods[name];
    if (own === undefined) continue;
    methods[name] = function (...given) {
      const of = this as { readonly length: number }; // A list or a text.
      const result = own.apply(this, given);
      work[0] = (work[0] ?? 0) + reach(of, given, result) / ITEMS_PER_STATEMENT;
      return result;
    };
  }
}
