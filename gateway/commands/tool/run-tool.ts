/**
 * What all tools have in common: what they read from is opened and closed again, Ctrl-C ends them
 * in order, and what went wrong is said in one line where a person can do something about it.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { JudgedLineError } from '../../../projections/past/judged-line.ts';
import { NotRetainedError, type LogSource } from '../../../projections/past/log-source.ts';
import { DamagedRecordError } from '../../../streams/event-codec.ts';
import { LogTrimmedError, LogUnavailableError } from '../../../streams/event-log.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { momentReader, type MomentReader } from './moment.ts';
import { openSource, type OpenSource, type SourceParts } from '../log-source/open-source.ts';
import { ResourceKinds } from './resource-kinds.ts';
import { sourcePlace, type SourceOptions } from '../log-source/source-options.ts';
import { ToolOutput } from './tool-output.ts';

/** What a tool works with. */
export interface Tool {
  /** The log with what has to be closed. */
  readonly opened: OpenSource;
  /** Answers questions to the log. */
  readonly source: LogSource;
  /** Resolves names of resources as kubectl takes them. */
  readonly kinds: ResourceKinds;
  /** Reads moments: versions, times, durations. */
  readonly moments: MomentReader;
  /** Where text is printed, and whether in colours. */
  readonly output: ToolOutput;
  readonly clock: Clock;
  /** Aborted by Ctrl-C, and when the output is closed. */
  readonly signal: AbortSignal;
  /** A sentence for people that is no result. */
  readonly notice: (sentence: string) => void;
}

/** As a shell says it of a process that was interrupted. */
const INTERRUPTED = 130;
const TERMINATED = 143;

/**
 * @param body gives the exit code.
 * @throws StartupError for what a person can put right.
 */
export async function runTool(
  options: SourceOptions,
  body: (tool: Tool) => Promise<number>,
): Promise<number> {
  const place = sourcePlace(options);
  const ending = new AbortController();
  let endCode: number | undefined;
  const endWith = (code: number): void => {
    // A second signal has no handler any more, and ends the process at once.
    process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM');
    endCode ??= code;
    ending.abort();
  };
  process.on('SIGINT', () => {
    endWith(INTERRUPTED);
  });
  process.on('SIGTERM', () => {
    endWith(TERMINATED);
  });
  const hasColours = process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '';
  const output = new ToolOutput(process.stdout, {
    hasColours,
    readerGone: () => {
      endWith(0);
    },
  });
  const notice = (sentence: string): void => void process.stderr.write(`everwatch: ${sentence}\n`);
  const parts = { environment: process.env, clock: systemClock, signal: ending.signal, notice };
  try {
    const code = await withSource(place, parts, (opened) => {
      const { source } = opened;
      return body({
        ...parts,
        opened,
        source,
        output,
        kinds: new ResourceKinds(source, systemClock, ending.signal),
        moments: momentReader(source, systemClock),
      });
    });
    return endCode ?? code;
  } catch (error) {
    if (endCode !== undefined) return endCode;
    throw isForPeople(error) ? new StartupError(error.message, { cause: error }) : error;
  }
}

async function withSource(
  place: Parameters<typeof openSource>[0],
  parts: SourceParts,
  body: (opened: OpenSource) => Promise<number>,
): Promise<number> {
  const opened = await openSource(place, parts);
  try {
    return await body(opened);
  } finally {
    await opened.source.close();
  }
}

/** Told by its name where its class is of a module that is not always loaded. */
function isForPeople(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof LogTrimmedError || error instanceof LogUnavailableError) return true;
  if (error instanceof DamagedRecordError) return true;
  if (error instanceof NotRetainedError || error instanceof JudgedLineError) return true;
  return ['ApiError', 'ConnectionError'].includes(error.name);
}
