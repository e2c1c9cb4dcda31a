/**
 * Where a log was cut, remembered in the file that the records are in, so that both change in one
 * transaction. The keys of the records are their positions, from 1 on; here they are below 0.
 */
import type { Database } from 'lmdb';
import { NO_CUTS, type Cut, type CutUnderWay, type LogCuts } from '../log-cuts.ts';
import type { MappedFile } from '../mapped-file.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

const CUTS = -1;
/** Apart, for there may be many, and most steps leave them as they are. */
const WRITERS = -2;

/** The keys of the values of which {@link cutsOfValues} makes the cuts. */
export const CUT_KEYS = [CUTS, WRITERS] as const;

/** No time is null: JSON has no infinity. */
type CutTuple = readonly [version: ResourceVersion, time: number | null];

/** Cuts as JSON has them, without the writers. */
export interface CutsText {
  /** See LogCuts. */
  readonly settled: ResourceVersion;
  /** The cut of what has no other. */
  readonly everything: CutTuple;
  /** By storage. */
  readonly resources: readonly (readonly [resource: string, cut: CutTuple])[];
  /** See LogCuts. */
  readonly underWay?: CutUnderWay;
}

type RecordsFile = Pick<MappedFile<Database<Buffer, number>>, 'opened'>;

export class CutRecords {
  readonly #file: RecordsFile;
  #cuts: LogCuts;

  /** @param file in which values are binary. */
  constructor(file: RecordsFile) {
    this.#file = file;
    this.#cuts = this.#read();
  }

  /** As they were last put and adopted. */
  get cuts(): LogCuts {
    return this.#cuts;
  }

  /** Inside a transaction. */
  put(cuts: LogCuts): void {
    void this.#file.opened.put(CUTS, bytesOf(cutsText(cuts)));
    if (cuts.writers === this.#cuts.writers) return;
    void this.#file.opened.put(WRITERS, bytesOf([...cuts.writers]));
  }

  /** When that transaction has succeeded. */
  adopt(cuts: LogCuts): void {
    this.#cuts = cuts;
  }

  #read(): LogCuts {
    return cutsOfValues(CUT_KEYS.map((key) => this.#file.opened.get(key)));
  }
}

/** The cuts that the values of {@link CUT_KEYS} are. */
export function cutsOfValues([cuts, writers]: readonly (Buffer | undefined)[]): LogCuts {
  if (cuts === undefined) return NO_CUTS;
  return {
    writers: new Map(JSON.parse(writers?.toString() ?? '[]') as [string, number][]),
    ...cutsOfText(JSON.parse(cuts.toString()) as CutsText),
  };
}

/** The cuts as JSON can have them. */
export function cutsText(cuts: Omit<LogCuts, 'writers'>): CutsText {
  return {
    settled: cuts.settled,
    everything: tupleOf(cuts.everything),
    resources: [...cuts.resources].map(([resource, cut]) => [resource, tupleOf(cut)]),
    ...(cuts.underWay === undefined ? {} : { underWay: cuts.underWay }),
  };
}

/** What {@link cutsText} was given. */
export function cutsOfText(text: CutsText): Omit<LogCuts, 'writers'> {
  const { settled, everything, resources, underWay } = text;
  return {
    ...(underWay === undefined ? {} : { underWay }),
    settled: resourceVersion(settled),
    everything: cutOfTuple(everything),
    resources: new Map(resources.map(([resource, cut]) => [resource, cutOfTuple(cut)])),
  };
}

function tupleOf({ version, time }: Cut): CutTuple {
  return [version, Number.isFinite(time) ? time : null];
}

function cutOfTuple([version, time]: CutTuple): Cut {
  return { version: resourceVersion(version), time: time ?? Number.NEGATIVE_INFINITY };
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
