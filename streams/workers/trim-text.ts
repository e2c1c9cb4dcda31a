/** A cut of the log as a worker tells it to the owner. */
import type { CutsText } from '../embedded/cut-records.ts';
import type { ResourceVersion } from '../resource-version.ts';

/** As JSON has it. */
export interface TrimText {
  readonly cuts: CutsText;
  /** null: as they are in the log. There may be many, and most cuts leave them as they are. */
  readonly writers: readonly (readonly [writer: string, sequence: number])[] | null;
  readonly gone: readonly ResourceVersion[];
}
