/** The log of the program itself, as the flags describe it, and whether its lines are written. */
import type { HealthCheck } from '../../../actors/lifecycle/health-checks.ts';
import { jsonLine, klogLogger, type ServerLogger, textLines } from '../../logs/klog-logger.ts';
import {
  type LineOutput,
  oneStream,
  type Severity,
  splitStreams,
  type WriteText,
} from '../../logs/line-output.ts';
import { Verbosity } from '../../logs/verbosity.ts';
import type { LogLevel } from '../../flags/flag-values.ts';
import type { LoggingSettings } from '../../flags/sections/logging-settings.ts';
import { systemClock } from '../../process/system-clock.ts';
import { processHost, type ServerHost } from './server-host.ts';

export interface ProgramLog {
  /** Handed to everything that logs; its verbosity can be changed while the server runs. */
  readonly logger: ServerLogger;
  /** `log`: the latest line could be written. */
  readonly check: HealthCheck;
}

const LEAST: Readonly<Record<LogLevel, Severity>> = {
  trace: 'I',
  debug: 'I',
  info: 'I',
  warn: 'W',
  error: 'E',
};

const VERBOSITY: Readonly<Record<LogLevel, number>> = {
  trace: 8,
  debug: 4,
  info: 0,
  warn: 0,
  error: 0,
};

/**
 * A line that cannot be written fails the check and ends nothing: the reader of a pipe may have gone,
 * or a disk may be full. What was gathered is written when the server ends.
 */
export function openProgramLog(
  options: LoggingSettings,
  host: Pick<ServerHost, 'write' | 'whenEnding' | 'startIsTold'> = processHost(),
): ProgramLog {
  const { logLevel, verbosity, vmodule, loggingFormat } = options;
  let failure: string | undefined;
  const output = outputOf(options, (stream) => (text) => {
    failure = host.write[stream](text);
  });
  host.whenEnding(() => {
    output.flush();
  });
  const shownVerbosity = Math.max(verbosity, VERBOSITY[logLevel]);
  const logger = klogLogger({
    clock: systemClock,
    format: loggingFormat === 'json' ? jsonLine : textLines(process.pid),
    output,
    verbosity: new Verbosity(shownVerbosity, vmodule),
    get least() {
      return shownVerbosity === 0 && host.startIsTold?.() === true ? 'E' : LEAST[logLevel];
    },
  });
  return { logger, check: { name: 'log', problem: () => failure } };
}

function outputOf(
  options: LoggingSettings,
  writerTo: (stream: keyof ServerHost['write']) => WriteText,
): LineOutput {
  const isJson = options.loggingFormat === 'json';
  const error = writerTo('error');
  const isSplit = isJson ? options.logJsonSplitStream : options.logTextSplitStream;
  if (!isSplit) return oneStream(error);
  return splitStreams(
    { info: writerTo('info'), error },
    {
      bufferBytes: isJson ? options.logJsonInfoBufferSize : options.logTextInfoBufferSize,
      flushEveryMs: options.logFlushFrequencyMs,
      clock: systemClock,
    },
  );
}
