/**
 * Shares seats out by what each level aims at, within the bounds of each: there is one proportion
 * at which all of them come to what there is.
 *
 * In Kubernetes: computeConcurrencyAllocation, apiserver/pkg/util/flowcontrol.
 */
export interface SeatClass {
  readonly target: number;
  readonly lower: number;
  readonly upper: number;
}

export interface Allocation {
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
