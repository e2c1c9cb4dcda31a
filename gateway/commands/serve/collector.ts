/**
 * How V8 collects the memory of a server, and what its compilers leave behind. Its flags are set while it runs: compiled code of the build is bound to those
 * that Node is started with.
 *
 * The surprise: V8 gives the young generation back only when it collects it, and a server that rests does not fill it.
 * So a server that has been idle for a while has it collected, which takes less than a millisecond; and since it is small
 * then, a limit of its size has to let it grow again.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../../api/meta/clock.ts';
import type { MemoryFootprint } from '../../flags/sections/memory-settings.ts';
import { systemClock } from '../../process/system-clock.ts';

/** undefined: as V8 has it. */
type Limits =
  | {
      /** The young generation, with the half of it that is empty. V8's own limit is 32 MiB, and 128 from Node 24 on. */
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
/** V8 gives memory back where little was allocated in the last five seconds. */
const IDLE_LOOKS = 6;
/** Behind the first collection all that lives may still lie in it; more than a few change nothing. */
const COLLECTIONS_MAX = 3;
/** Allocated between two looks by a server that does nothing but renew its own leases, and look. */
const IDLE_BYTES = MIB / 2;
/** A server that rests needs no more. */
const REST_BYTES = 2 * MIB;

/** V8's young generation. */
export interface YoungGeneration {
  /** How large it may become as it is, with the half of it that is empty, and how much of it is used. */
  look(): { readonly sizeBytes: number; readonly usedBytes: number };
  /** So many times its size it has behind its next growth, as far as V8's own limit allows it. */
  growBy(times: number): void;
  /** Collects it, and nothing else. */
  collect(): void;
  /** Calls back behind each collection, until the function returned is called. */
  whenCollected(told: () => void): () => void;
}

const YOUNG: YoungGeneration = {
  look() {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const { space_used_size: usedBytes = 0, space_available_size: leftBytes = MIB } = young ?? {};
    // Its half that is empty is there only behind the first collection, and the heads of pages do not count.
    return { sizeBytes: 2 * MIB * Math.ceil((usedBytes + leftBytes) / MIB), usedBytes };
  },
  growBy(times) {
    setFlagsFromString(`--semi-space-growth-factor=${String(times)}`);
  },
  collect() {
    (collectGarbage ??= garbageCollector())({ type: 'minor' });
  },
  whenCollected(told) {
    const observer = new PerformanceObserver(told);
    observer.observe({ entryTypes: ['gc'] });
    return () => {
      observer.disconnect();
    };
  },
};

type CollectGarbage = (options: { readonly type: 'minor' }) => void;
let collectGarbage: CollectGarbage | undefined;

/** Only a context that is made while the flag is set has it. */
function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as CollectGarbage; // V8's extension of that name.
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

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
  if (limits !== undefined) keepYoung(YOUNG, limits.youngBytes, clock);
}

/**
 * V8's compilers: before a server starts. Maglev hands a finished compilation to its threads to be freed, where it waits
 * behind all that is still to be compiled. As many of them lie in malloc at a start as are under way, and malloc gives
 * nothing of that back.
 *
 * @see docs/decisions/0051-node-releases.md
 */
export function limitCompiler(footprint: MemoryFootprint): void {
  for (const flag of compilerFlags(footprint)) setFlagsFromString(flag);
}

/**
 * The flags of {@link limitCompiler}.
 *
 * @param built how Node was built; without Maglev a release may not know its flags, and V8 says so on the standard error.
 */
export function compilerFlags(
  footprint: MemoryFootprint,
  built: object = process.config.variables,
): readonly string[] {
  const hasMaglev = 'v8_enable_maglev' in built && built.v8_enable_maglev === 1;
  return hasMaglev && LIMITS[footprint] !== undefined ? ['--no-maglev-destroy-on-background'] : [];
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

/**
 * Looks at it each second: says by how much it may grow at a time, which is nothing where it has that many bytes, and has
 * it collected where nothing was allocated for a while, so that it is given back. As long as it may grow it is looked at
 * behind each collection, too, as V8 has it grow several times in a second when work comes.
 */
export function keepYoung(young: YoungGeneration, bytes: number, clock: Clock): void {
  let idleLooks = 0;
  let usedBefore = 0;
  let stopWatching: (() => void) | undefined;
  const limit = (sizeBytes: number): void => {
    const times = Math.max(1, Math.floor(bytes / sizeBytes));
    young.growBy(times);
    if (times > 1) {
      stopWatching ??= young.whenCollected(() => {
        limit(young.look().sizeBytes);
      });
      return;
    }
    stopWatching?.();
    stopWatching = undefined;
  };
  const look = (): void => {
    const { sizeBytes, usedBytes } = young.look();
    limit(sizeBytes);
    const allocated = usedBytes - usedBefore;
    idleLooks = allocated >= 0 && allocated < IDLE_BYTES ? idleLooks + 1 : 0;
    usedBefore = usedBytes;
    const isAtRest = idleLooks >= IDLE_LOOKS && idleLooks < IDLE_LOOKS + COLLECTIONS_MAX;
    if (isAtRest && sizeBytes > REST_BYTES) {
      young.collect();
      usedBefore = young.look().usedBytes;
    }
    clock.after(LOOK_MS, look);
  };
  look();
}
