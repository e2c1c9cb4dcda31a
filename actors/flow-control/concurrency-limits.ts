/**
 * How many seats each priority level has: by its shares to begin with, and from then on by what it
 * could use. Levels lend what they do not use, and borrow what others lend.
 *
 * In Kubernetes: finishQueueSetReconfigsLocked and updateBorrowingLocked,
 * apiserver/pkg/util/flowcontrol.
 */
import type { PriorityLevel } from './priority-level.ts';

/**
 * Shares seats out by what each level aims at, within the bounds of each: there is one proportion
 * at which all of them come to what there is.
 *
 * In Kubernetes: computeConcurrencyAllocation, apiserver/pkg/util/flowcontrol.
 */
interface SeatClass {
  readonly target: number;
  readonly lower: number;
  readonly upper: number;
}

interface Allocation {
  /** In the order of the classes. */
  readonly seats: readonly number[];
  /** What part of its target a level gets that no bound holds up. */
  readonly fair: number;
}

const TARGET_MIN = 0.001;
const EPSILON = 0.000_000_1;

/** undefined: the bounds leave no way. */
export function allocateSeats(sum: number, classes: readonly SeatClass[]): Allocation | undefined {
  if (sum < 0 || classes.some(isContradictory)) return undefined;
  const targets = classes.map(({ target }) => Math.max(target, TARGET_MIN));
  const lows = classes.map(({ lower }, at) => lower / (targets[at] ?? 1));
  const highs = classes.map(({ upper }, at) => upper / (targets[at] ?? 1));
  const lowSum = total(classes.map(({ lower }) => lower));
  const highSum = total(classes.map(({ upper }) => upper));
  if (lowSum - sum > EPSILON || sum - highSum > EPSILON) return undefined;
  if (sum === 0) return { seats: classes.map(() => 0), fair: 0 };
  if (lowSum - sum > -EPSILON) {
    return { seats: classes.map(({ lower }) => lower), fair: Math.min(...lows) };
  }
  if (sum - highSum > -EPSILON) {
    return { seats: classes.map(({ upper }) => upper), fair: Math.max(0, ...highs) };
  }
  const free = sum / total(targets);
  const isFree = Math.max(0, ...lows) <= free && free <= Math.min(...highs);
  const fair = isFree ? free : boundedProportion({ sum, lowSum, targets, lows, highs });
  const seats = classes.map(({ lower, upper }, at) =>
    Math.max(lower, Math.min(upper, fair * (targets[at] ?? 0))),
  );
  return { seats, fair };
}

function isContradictory({ target, lower, upper }: SeatClass): boolean {
  return lower < 0 || target < lower || upper < lower;
}

interface Bounded {
  readonly sum: number;
  readonly lowSum: number;
  readonly targets: readonly number[];
  readonly lows: readonly number[];
  readonly highs: readonly number[];
}

/** Raises the proportion from bound to bound until the seats come to the sum. */
function boundedProportion({ sum, lowSum, targets, lows, highs }: Bounded): number {
  // A level takes part in a rise from its lower bound on, and until its upper one.
  const turns = targets.flatMap((target, at) => [
    { at: lows[at] ?? 0, change: target },
    { at: highs[at] ?? 0, change: -target },
  ]);
  turns.sort((one, other) => one.at - other.at);
  let reached = lowSum;
  let proportion = Math.min(...lows);
  let rising = 0;
  // Sums of fractions that cancel each other out need not come to nothing.
  let levels = 0;
  for (const turn of turns) {
    const gained = levels > 0 ? (turn.at - proportion) * rising : 0;
    if (levels > 0 && reached + gained >= sum) return proportion + (sum - reached) / rising;
    reached += Math.max(0, gained);
    proportion = Math.max(proportion, turn.at);
    rising += turn.change;
    levels += Math.sign(turn.change);
  }
  return proportion;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** How much of a level's seats one request may take. */
const SEATS_MAX_PART = 0.15;

/** @param serverSeats what the server may serve at once, apart from exempt requests. */
export function setLimits(levels: readonly PriorityLevel[], serverSeats: number): void {
  let shareSum = 0;
  for (const { spec } of levels) shareSum += spec.shares;
  for (const level of levels) {
    const { shares, lendablePercent, borrowingPercent, queuing } = level.spec;
    const nominal = Math.ceil((serverSeats * shares) / shareSum);
    const lendable = Math.round((nominal * lendablePercent) / 100);
    const borrowing =
      borrowingPercent === undefined ? serverSeats : Math.round((nominal * borrowingPercent) / 100);
    level.nominal = nominal;
    level.lower = nominal - lendable;
    level.upper = nominal + borrowing;
    if (queuing.queues > 0) {
      const part = Math.ceil(nominal * SEATS_MAX_PART);
      level.seatsMax = Math.max(1, Math.min(part, Math.trunc(nominal / queuing.handSize)));
    }
    level.current ??= nominal - Math.trunc(lendable / 2);
  }
}

/**
 * Shares the seats out anew by the demand since the last time. Limits must be set.
 *
 * @param now milliseconds since 1970.
 * @returns what part of its target a level gets that no bound holds up; 0 where all get their least.
 */
export function adjustSeats(levels: readonly PriorityLevel[], now: number): number {
  for (const { demand } of levels) demand.takeStock(now);
  const exempt = levels.filter(({ spec }) => spec.isExempt);
  const limited = levels.filter(({ spec }) => !spec.isExempt);
  const nominalSum = sumOf(levels, ({ nominal }) => nominal);
  for (const level of exempt) level.target = Math.max(level.lower, level.demand.highWatermark);
  for (const level of limited) level.target = Math.max(leastOf(level), level.demand.smoothed);
  const remaining = nominalSum - sumOf(exempt, ({ target }) => target);
  const shared = shareOut(limited, { remaining, nominalSum });
  for (const level of exempt) level.give(level.target);
  for (const [at, level] of limited.entries()) {
    level.give(Math.round(shared.seats[at] ?? level.current ?? level.nominal));
  }
  return shared.fair;
}

/** What a level has used lately it keeps, up to what is its own. */
function leastOf({ lower, nominal, demand }: PriorityLevel): number {
  return Math.max(lower, Math.min(nominal, demand.highWatermark));
}

interface Shared {
  readonly seats: readonly (number | undefined)[];
  readonly fair: number;
}

function shareOut(
  levels: readonly PriorityLevel[],
  { remaining, nominalSum }: { readonly remaining: number; readonly nominalSum: number },
): Shared {
  const lowerSum = sumOf(levels, ({ lower }) => lower);
  if (remaining <= lowerSum) return { seats: levels.map(({ lower }) => lower), fair: 0 };
  const leastSum = sumOf(levels, leastOf);
  if (remaining <= leastSum) {
    const part = (remaining - lowerSum) / (leastSum - lowerSum);
    const seats = levels.map((level) => {
      return level.lower + Math.round((leastOf(level) - level.lower) * part);
    });
    return { seats, fair: 0 };
  }
  const classes = levels.map((level) => {
    return { lower: leastOf(level), upper: level.upper, target: level.target };
  });
  // Where the bounds leave no way, all keep what they have.
  return allocateSeats(nominalSum, classes) ?? { seats: levels.map(() => undefined), fair: 0 };
}

function sumOf(levels: readonly PriorityLevel[], value: (level: PriorityLevel) => number): number {
  let sum = 0;
  for (const level of levels) sum += value(level);
  return sum;
}
