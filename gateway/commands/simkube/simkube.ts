/** `everwatch export --simkube`, and traces as logs for `import` and `replay`. */
import { open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import type { LogSource } from '../../../projections/past/log-source.ts';
import { openDataDirectory } from '../../../streams/embedded/data-directory.ts';
import { EmbeddedEventLog } from '../../../streams/embedded/embedded-event-log.ts';
import { isChange, type LoggedChange, type LoggedEvent } from '../../../streams/event.ts';
import { appendPortions } from '../../../streams/replay/append-portions.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { noteOrigin } from '../../recorder/log-origin.ts';
import { InterruptedError } from '../tool/interruption.ts';
import { makeWholeDirectory } from '../tool/whole-file.ts';
import { decodeTrace, encodeTrace, looksLikeTrace, TraceError } from './trace.ts';
import { recordsOfTrace } from './trace-log.ts';
import { POD_RESOURCES, TraceRecorder } from './trace-recorder.ts';

export interface TraceRequest {
  readonly source: LogSource;
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  readonly signal: AbortSignal;
  /** Which objects; undefined: those that have pods. */
  readonly chooses: ((event: LoggedEvent) => boolean) | undefined;
  readonly progress: (done: number, all: number) => void;
}

/** The trace of a range of a log. It is in memory as a whole. @throws StartupError nothing was written in it. */
export async function* traceOf(request: TraceRequest): AsyncGenerator<Buffer, void> {
  const { source, from, to, signal, progress } = request;
  const start = await timeOfFirst(request);
  const chosen = request.chooses ?? (({ resource }: LoggedEvent) => POD_RESOURCES.has(resource));
  // An object of the cluster has no place in a trace, whose simulation runs in namespaces of its own.
  const chooses = (event: LoggedEvent): boolean => chosen(event) && !event.path.startsWith('/');
  const recorder = new TraceRecorder(start, chooses);
  const before = resourceVersion(from - 1);
  let time = start;
  if (before > 0) {
    for (const event of await stateAt(source, before, signal)) recorder.add(event, true);
  }
  for await (const batch of source.events({ from, to, effectiveOnly: true }, signal)) {
    if (signal.aborted) throw new InterruptedError();
    for (const { event } of batch) {
      if (!isChange(event)) continue;
      recorder.add(event, false);
      time = Math.max(time, Math.floor(event.time / 1_000));
    }
    progress((batch.at(-1)?.event.resourceVersion ?? from) - from + 1, to - from + 1);
  }
  if (signal.aborted) throw new InterruptedError();
  yield encodeTrace(recorder.trace(time));
}

/** In the order in which they were written, so that owners come before what they own. */
async function stateAt(
  source: LogSource,
  version: ResourceVersion,
  signal: AbortSignal,
): Promise<LoggedChange[]> {
  const events: LoggedChange[] = [];
  for await (const batch of source.stateAt(version, signal)) events.push(...batch.filter(isChange));
  return events.sort((one, other) => one.resourceVersion - other.resourceVersion);
}

async function timeOfFirst({ source, from, to, signal }: TraceRequest): Promise<number> {
  if (from <= to) {
    for await (const [first] of source.events({ from, to, effectiveOnly: true }, signal)) {
      if (first !== undefined) return Math.floor(first.event.time / 1_000);
    }
  }
  if (signal.aborted) throw new InterruptedError();
  throw new StartupError('nothing was written in this range, so there is no trace of it');
}

/** Whether a file begins as a trace does. @throws StartupError it cannot be read. */
export async function isTrace(path: string): Promise<boolean> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
      return looksLikeTrace(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new StartupError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error });
  }
}

/**
 * A trace as a new data directory.
 *
 * @param notice is told what is left out.
 * @returns how many records the log has. @throws StartupError
 */
export async function traceToDataDir(
  path: string,
  dataDir: string,
  notice: (sentence: string) => void,
): Promise<number> {
  const { records, leftOut } = recordsIn(path, await readFile(path));
  for (const [kind, count] of leftOut) {
    notice(`${String(count)} changes of ${kind} are left out: a trace does not say what it is`);
  }
  await makeWholeDirectory(dataDir, systemRandom, async (temporary) => {
    const directory = await openDataDirectory(temporary);
    try {
      const log = new EmbeddedEventLog(directory.logPath);
      try {
        for (const portion of appendPortions(records)) await log.append(portion);
      } finally {
        await log.close();
      }
      await noteOrigin(temporary, { kind: 'trace', of: basename(path) });
    } finally {
      await directory.release();
    }
  });
  return records.length;
}

function recordsIn(path: string, bytes: Uint8Array): ReturnType<typeof recordsOfTrace> {
  try {
    return recordsOfTrace(decodeTrace(bytes), { clock: systemClock, random: systemRandom });
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    throw new StartupError(`${path}: ${error.message}`, { cause: error });
  }
}
