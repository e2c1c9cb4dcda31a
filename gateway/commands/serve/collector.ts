/**
 * How V8 collects the memory of a server. Its flags are set while it runs: compiled code of the build is bound to those
 * that Node is started with.
 *
 * The surprise: V8 gives the young generation back where a server is idle, so a limit of its size has to let it grow
 * again.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Clock } from '../../../api/meta/clock.ts';
import type { MemoryFootprint } from '../../flags/sections/memory-settings.ts';
import { systemClock } from '../../process/system-clock.ts';

/** undefined: as V8 has it. */
type Limits =
  | {
      /** The young generation, with the half of it that is empty. V8's own limit is 32 MiB. */
      readonly youngBytes: number;
      /** So many hundredths more than lived behind the last collection: then the old generation is collected. */
      readonly growthPercent: number;
    }
  | undefined;

const MIB = 1_024 * 1_024;
const LIMITS: Readonly<Record<MemoryFootprint, Limits>> = {
  small: { youngBytes: 8 * MIB, growthPercent: 25 },
  medium: { youngBytes: 16 * MIB, growthPercent: 60 },
  large: undefined,
};
const LOOK_MS = 1_000;

/**
 * The young generation: before a server starts, which it would grow for. By one thread. Of what a request leaves hardly
 * anything is alive when it is collected, and threads that are woken to help with so little cost more than they take
 * over: a seventh of the time of a get. The pauses are as long as before.
 *
 * @see docs/decisions/0040-what-is-over-is-let-go-of.md
 */
export function limitYoung(footprint: MemoryFootprint, clock: Clock = systemClock): void {
  setFlagsFromString('--no-parallel-scavenge');
  const limits = LIMITS[footprint];
  if (limits !== undefined) keepYoung(limits.youngBytes, clock);
}

/**
 * The old generation: of a server that has started, as hardly anything is garbage before.
 *
 * @see docs/decisions/0102-a-footprint-is-chosen.md
 */
export function limitOld(footprint: MemoryFootprint): void {
  const limits = LIMITS[footprint];
  if (limits === undefined) return;
  setFlagsFromString(`--heap-growing-percent=${String(limits.growthPercent)}`);
}

/** Says by how much it may grow at a time, which is nothing where it is that large. */
function keepYoung(bytes: number, clock: Clock): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const times = Math.floor(bytes / (young?.space_size ?? bytes));
  setFlagsFromString(`--semi-space-growth-factor=${String(Math.max(1, times))}`);
  clock.after(LOOK_MS, () => {
    keepYoung(bytes, clock);
  });
}
