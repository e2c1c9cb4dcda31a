/** What goes into an archive of a log, a range or a moment; read from wherever the log lies. */
import type { Verdict } from '../../../projections/fold/arbiter.ts';
import type { LogSource } from '../../../projections/past/log-source.ts';
import type { ArchiveContents } from '../../../streams/archive/archive-writer.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { StartupError } from '../../process/startup-error.ts';
import { InterruptedError } from '../tool/interruption.ts';

export interface ArchiveRequest {
  readonly source: LogSource;
  /** RFC 3339. */
  readonly created: string;
  readonly signal: AbortSignal;
  /** Told how many of how many versions were read. */
  readonly progress: (done: number, all: number) => void;
}

export interface LogRange {
  /** undefined: the oldest from which everything is there. */
  readonly from: ResourceVersion | undefined;
  /** undefined: the newest. */
  readonly to: ResourceVersion | undefined;
}

/** @throws StartupError the range is not in the log. */
export async function archiveOfLog(
  request: ArchiveRequest,
  range: LogRange,
): Promise<ArchiveContents> {
  const { source, created, signal } = request;
  const { from, to } = await rangeIn(source, range);
  const before = resourceVersion(from - 1);
  return {
    header: { kind: 'log', from, to, source: source.name, created },
    state: before === 0 ? [] : checked(source.stateAt(before, signal), signal),
    records: from > to ? [] : checked(recordsOf(request, from, to), signal),
  };
}

/** The range, all of whose records are in the log. @throws StartupError they are not. */
export async function rangeIn(
  source: LogSource,
  range: LogRange,
): Promise<{ readonly from: ResourceVersion; readonly to: ResourceVersion }> {
  const { oldest, newest } = await source.bounds();
  const from = resourceVersion(Math.max(range.from ?? oldest, 1));
  const to = range.to ?? newest;
  if (from < oldest) {
    throw new StartupError(
      `version ${String(from)} is not in the log any more: the oldest is ${String(oldest)}`,
    );
  }
  if (to > newest) {
    throw new StartupError(
      `there is no version ${String(to)} yet: the newest is ${String(newest)}`,
    );
  }
  if (from > to + 1) {
    throw new StartupError(`the range begins at ${String(from)}, behind its end at ${String(to)}`);
  }
  return { from, to };
}

/** @param chooses which of the objects. */
export function archiveOfMoment(
  { source, created, signal }: ArchiveRequest,
  moment: ResourceVersion,
  chooses: (event: LoggedEvent) => boolean,
): ArchiveContents {
  const from = resourceVersion(moment + 1);
  return {
    header: { kind: 'moment', from, to: moment, source: source.name, created },
    state: chosen(checked(source.stateAt(moment, signal), signal), chooses),
    records: [],
  };
}

async function* recordsOf(
  { source, signal, progress }: ArchiveRequest,
  from: ResourceVersion,
  to: ResourceVersion,
): AsyncGenerator<readonly LoggedEvent[], void> {
  for await (const batch of source.events({ from, to }, signal)) {
    const events = batch.filter((one) => isKept(one, from)).map(({ event }) => event);
    if (events.length > 0) yield events;
    progress((batch.at(-1)?.event.resourceVersion ?? from) - from + 1, to - from + 1);
  }
}

/**
 * A copy of a record that lies before the range could not be told from a record there. It changes
 * nothing, so it is left out; its place stays empty.
 */
function isKept({ verdict }: { readonly verdict: Verdict }, from: ResourceVersion): boolean {
  return from === 1 || verdict !== 'duplicate';
}

/** A source that is told to stop just ends; an archive that ends early must not look whole. */
async function* checked(
  batches: AsyncIterable<readonly LoggedEvent[]>,
  signal: AbortSignal,
): AsyncGenerator<readonly LoggedEvent[], void> {
  for await (const batch of batches) {
    if (signal.aborted) throw new InterruptedError();
    yield batch;
  }
  if (signal.aborted) throw new InterruptedError();
}

export async function* chosen(
  batches: AsyncIterable<readonly LoggedEvent[]>,
  chooses: (event: LoggedEvent) => boolean,
): AsyncGenerator<readonly LoggedEvent[], void> {
  for await (const batch of batches) {
    const events = batch.filter(chooses);
    if (events.length > 0) yield events;
  }
}
