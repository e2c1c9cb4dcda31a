/**
 * How many seats each priority level has: by its shares to begin with, and from then on by what it
 * could use. Levels lend what they do not use, and borrow what others lend.
 *
 * In Kubernetes: finishQueueSetReconfigsLocked and updateBorrowingLocked,
 * apiserver/pkg/util/flowcontrol.
 */
import type { PriorityLevel } from './priority-level.ts';
import { allocateSeats } from './seat-allocation.ts';

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
