/**
 * What is logged, in which form and where to, as told by flags: kube-apiserver's, and `--log-level`, which
 * is older here and says the same in words.
 *
 * In Kubernetes: component-base/logs/api/v1.
 */
import { goQuote } from '../../../api/json/go-format.ts';
import { formatGoDuration, parseGoDuration } from '../../../api/meta/go-duration.ts';
import { parseQuantity, type Quantity } from '../../../api/meta/quantity.ts';
import type { FeatureGates } from '../../../actors/lifecycle/feature-gates.ts';
import type { ModuleVerbosity } from '../../logs/verbosity.ts';
import { parseLogLevel, type LogLevel } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface LoggingSettings {
  readonly logLevel: LogLevel;
  readonly verbosity: number;
  readonly vmodule: readonly ModuleVerbosity[];
  readonly loggingFormat: string;
  readonly logFlushFrequencyMs: number;
  readonly logTextSplitStream: boolean;
  /** Bytes; 0: nothing is gathered. */
  readonly logTextInfoBufferSize: number;
  readonly logJsonSplitStream: boolean;
  /** Bytes; 0: nothing is gathered. */
  readonly logJsonInfoBufferSize: number;
}

const SPLIT =
  'write information to stdout and the rest to stderr; needs --feature-gates LoggingAlphaOptions=true';
const BUFFER =
  'gather so much information before it is written to stdout, as 512, 4K or 4Ki; 0 for none';

export const LOGGING_SETTINGS: SettingsOf<LoggingSettings> = {
  logLevel: {
    flag: 'log-level',
    placeholder: 'LEVEL',
    help: 'warn and error leave out lines of less weight; debug is at least -v=4, and trace at least -v=8',
    takes: 'text',
    default: 'info',
    parse: parseLogLevel,
  },
  verbosity: {
    flag: 'v',
    short: 'v',
    placeholder: 'NUMBER',
    help: 'how much is logged; 3 and more show every request. PUT /debug/flags/v changes it',
    takes: 'text',
    default: '0',
    parse: parseVerbosity,
  },
  vmodule: {
    flag: 'vmodule',
    placeholder: 'PATTERN=NUMBER,...',
    help: 'another verbosity for source files whose names fit: httplog=3; with text logs only',
    takes: 'list',
    form: 'whole',
    default: [],
    parse: (texts) => texts.flatMap(parseModules),
  },
  loggingFormat: {
    flag: 'logging-format',
    placeholder: 'FORMAT',
    help: 'text or json',
    takes: 'text',
    default: 'text',
    parse: (text) => text,
  },
  logFlushFrequencyMs: {
    flag: 'log-flush-frequency',
    placeholder: 'DURATION',
    help: 'how long lines are gathered at most, where they are',
    takes: 'text',
    default: '5s',
    parse: parseFrequency,
  },
  logTextSplitStream: {
    flag: 'log-text-split-stream',
    placeholder: 'BOOLEAN',
    help: `with text logs, ${SPLIT}`,
    takes: 'boolean',
    default: 'false',
    parse: parseGoBoolean,
  },
  logTextInfoBufferSize: {
    flag: 'log-text-info-buffer-size',
    placeholder: 'SIZE',
    help: `with --log-text-split-stream, ${BUFFER}`,
    takes: 'text',
    default: '0',
    parse: parseSize,
  },
  logJsonSplitStream: {
    flag: 'log-json-split-stream',
    placeholder: 'BOOLEAN',
    help: `with JSON logs, ${SPLIT}`,
    takes: 'boolean',
    default: 'false',
    parse: parseGoBoolean,
  },
  logJsonInfoBufferSize: {
    flag: 'log-json-info-buffer-size',
    placeholder: 'SIZE',
    help: `with --log-json-split-stream, ${BUFFER}`,
    takes: 'text',
    default: '0',
    parse: parseSize,
  },
};

const UINT31_END = 2 ** 31;

function parseVerbosity(text: string): number {
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (number < UINT31_END) return number;
  const why = Number.isNaN(number) ? 'invalid syntax' : 'value out of range';
  throw new StartupError(`strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
}

/** What stands between commas; nothing between two of them is nothing. */
function parseModules(text: string): ModuleVerbosity[] {
  return text.split(',').flatMap((part) => (part === '' ? [] : [parseModule(part)]));
}

function parseModule(text: string): ModuleVerbosity {
  const [pattern = '', verbosity = '', ...more] = text.split('=');
  if (pattern === '' || verbosity === '' || more.length > 0) {
    throw new StartupError(`${goQuote(text)} does not have the pattern=N format`);
  }
  try {
    return { pattern, verbosity: parseVerbosity(verbosity) };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new StartupError(`parsing verbosity in ${goQuote(text)}: ${error.message}`, {
      cause: error,
    });
  }
}

/** Whether it is more than 0 is said together with what else is wrong. */
function parseFrequency(text: string): number {
  const parsed = parseGoDuration(text);
  if (parsed.ok) return parsed.ms;
  throw new StartupError(parsed.problem);
}

function parseGoBoolean(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  throw new StartupError(`strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
}

/** More is not gathered, whatever is said. */
const BUFFER_BYTES_MAX = 2 ** 31;

function parseSize(text: string): number {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new StartupError(parsed.why);
  return Math.min(bytesOf(parsed.quantity), BUFFER_BYTES_MAX);
}

function bytesOf({ unscaled, exponent }: Quantity): number {
  return Math.ceil(Number(`${String(unscaled)}e${String(exponent)}`));
}

type Checked = LoggingSettings & { readonly featureGates: FeatureGates };

/** @throws StartupError with all that does not fit together, in upstream's words. */
export function checkLoggingOptions(options: Checked): void {
  const problems = [
    ...frequencyProblems(options),
    ...formatProblems(options),
    ...optionProblems(options),
  ];
  const [first = ''] = problems;
  if (problems.length === 1) throw new StartupError(first);
  if (problems.length > 1) throw new StartupError(`[${problems.join(', ')}]`);
}

function frequencyProblems({ logFlushFrequencyMs: ms }: Checked): string[] {
  if (ms > 0) return [];
  return [`flushFrequency: Invalid value: "${formatGoDuration(ms)}": Must be greater than zero`];
}

function formatProblems({ loggingFormat: format, featureGates, vmodule }: Checked): string[] {
  const problems: string[] = [];
  if (format !== 'text' && format !== 'json') {
    problems.push(`format: Invalid value: ${goQuote(format)}: Unsupported log format`);
  } else if (format === 'json' && !featureGates.isOn('LoggingBetaOptions')) {
    problems.push('format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature');
  }
  if (vmodule.length > 0 && format !== '' && format !== 'text') {
    problems.push('vmodule: Forbidden: Only supported for text log format');
  }
  return problems;
}

function optionProblems(options: Checked): string[] {
  if (options.featureGates.isOn('LoggingAlphaOptions')) return [];
  const given: readonly (readonly [name: string, isGiven: boolean])[] = [
    ['text.splitStream', options.logTextSplitStream],
    ['text.infoBufferSize', options.logTextInfoBufferSize !== 0],
    ['json.splitStream', options.logJsonSplitStream],
    ['json.infoBufferSize', options.logJsonInfoBufferSize !== 0],
  ];
  return given.flatMap(([name, isGiven]) =>
    isGiven ? [`options.${name}: Forbidden: Feature LoggingAlphaOptions is disabled`] : [],
  );
}
