/**
 * The server's logger: klog's lines, of the severities and the verbosity that are wanted, in one of two formats.
 *
 * Text, for people: `I1123 08:30:00.123456       1 serve.ts:137] "serving" port=6443`. The time is that of
 * the machine's zone, without a year. A value of several lines stands below its name, indented.
 * JSON, for programs: `{"ts":1763886600123,"caller":"cli/serve.ts:137","msg":"serving","v":0,"port":6443}`.
 * An error has no `v`, and that is how it is told from information; a warning is information.
 *
 * A line says where it was written. Nothing in JavaScript knows that cheaply, so the build puts the place
 * before each call (tools/log-sites.ts): `logger.info(…)` becomes `logger.at('cli/serve.ts:137').info(…)`.
 *
 * In Kubernetes: klog/v2, internal/buffer and internal/serialize; component-base/logs/json, which is zap
 * behind zapr.
 */
import { formatJson } from '../../api/json/json-text.ts';
import {
  errorText,
  type LineFormat,
  type LineOutput,
  type LogLine,
  type Severity,
  UNKNOWN_SITE,
} from './line-output.ts';
import { goJson, goQuote } from '../../api/json/go-format.ts';
import type { JsonValue } from '../../api/json/json.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { LogFields, Logger } from '../../actors/request/logger.ts';
import type { Verbosity } from './verbosity.ts';

/** The format of `--logging-format=json`. */
export const jsonLine: LineFormat = ({ severity, time, site, verbosity, message, fields }) => {
  const isError = severity === 'E' || severity === 'F';
  const { err, ...others } = fields;
  const members = [
    ['ts', time],
    ['caller', site],
    ['msg', message],
    ...(isError ? [] : [['v', verbosity]]),
    ...Object.entries(others),
    ['err', err],
  ] as readonly (readonly [string, unknown])[];
  return `{${members.flatMap(([name, value]) => member(name, value)).join(',')}}\n`;
};

function member(name: string, value: LogLine['fields'][string]): string[] {
  if (value === undefined) return [];
  const shown = value instanceof Error ? errorText(value) : value;
  // Fields are texts, numbers and what is made of them.
  return [`${text(name)}:${typeof shown === 'string' ? text(shown) : formatJson(shown)}`];
}

/** zap has no short forms for these two. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll(/\\\\|\\b|\\f/g, (found) => ESCAPES.get(found) ?? found);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\u0008'],
  ['\\f', '\\u000c'],
]);

const PID_WIDTH = 7;

/** @param pid of the process that writes. */
export function textLines(pid: number): LineFormat {
  const process = String(pid).padStart(PID_WIDTH);
  return ({ severity, time, site, message, fields }) => {
    const place = site.slice(site.lastIndexOf('/') + 1);
    const { err, ...others } = fields;
    const said = `${severity}${stamp(time)} ${process} ${place}] ${goQuote(message)}`;
    const values = [['err', err] as const, ...Object.entries(others)];
    return `${said}${values.map(([name, value]) => pair(name, value)).join('')}\n`;
  };
}

function pair(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return ` ${name}=${textValue(value)}`;
  if (value instanceof Error) return ` ${name}=${textValue(errorText(value))}`;
  return ` ${name}=${jsonValue(value)}`;
}

function jsonValue(value: unknown): string {
  // Fields are texts, numbers and what is made of them.
  return goJson(value as JsonValue);
}

function textValue(text: string): string {
  if (!text.includes('\n')) return goQuote(text);
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return `<\n${lines.map((line) => `\t${line}\n`).join('')} >`;
}

function stamp(time: number): string {
  const date = new Date(time);
  const day = two(date.getMonth() + 1) + two(date.getDate());
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  const micros = Math.floor((time - Math.floor(time / 1_000) * 1_000) * 1_000);
  return `${day} ${clock}.${String(micros).padStart(6, '0')}`;
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}

/** A logger that can say why the process ends. */
export interface ServerLogger extends Logger {
  /** The process ends behind it; the caller ends it. */
  fatal(fields: LogFields, message: string): void;
  /** Changes what is shown, as `-v` does at the start. */
  setVerbosity(verbosity: number): void;
  /** The same logger, for one place in the source. */
  at(site: string): Logger;
}

interface LoggerParts {
  readonly clock: Clock;
  readonly format: LineFormat;
  readonly output: LineOutput;
  readonly verbosity: Verbosity;
  /** What is less than this is left out, however verbose. */
  readonly least: Severity;
}

const RANKS: Readonly<Record<Severity, number>> = { I: 0, W: 1, E: 2, F: 3 };

/** @returns the logger for all places in the source. */
export function klogLogger(parts: LoggerParts): ServerLogger {
  return new KlogLogger(parts, UNKNOWN_SITE, new Map());
}

class KlogLogger implements ServerLogger {
  readonly #parts: LoggerParts;
  readonly #site: string;
  readonly #ofFile: number;
  /** One logger for each place, which are as many as there are calls in the source. */
  readonly #sites: Map<string, KlogLogger>;

  constructor(parts: LoggerParts, site: string, sites: Map<string, KlogLogger>) {
    this.#parts = parts;
    this.#site = site;
    this.#sites = sites;
    this.#ofFile = parts.verbosity.ofSite(site);
  }

  at(site: string): KlogLogger {
    let found = this.#sites.get(site);
    if (found === undefined) {
      found = new KlogLogger(this.#parts, site, this.#sites);
      this.#sites.set(site, found);
    }
    return found;
  }

  setVerbosity(verbosity: number): void {
    this.#parts.verbosity.set(verbosity);
  }

  isVerbose(verbosity: number): boolean {
    return this.#parts.least === 'I' && this.#parts.verbosity.shows(verbosity, this.#ofFile);
  }

  verbose(verbosity: number, fields: LogFields, message: string): void {
    if (this.isVerbose(verbosity)) this.#write('I', { verbosity, fields, message });
  }

  info(fields: LogFields, message: string): void {
    this.#write('I', { verbosity: 0, fields, message });
  }

  warn(fields: LogFields, message: string): void {
    this.#write('W', { verbosity: 0, fields, message });
  }

  error(fields: LogFields, message: string): void {
    this.#write('E', { verbosity: 0, fields, message });
  }

  fatal(fields: LogFields, message: string): void {
    this.#write('F', { verbosity: 0, fields, message });
    this.#parts.output.flush();
  }

  #write(
    severity: Severity,
    said: { readonly verbosity: number; readonly fields: LogFields; readonly message: string },
  ): void {
    const { clock, format, output, least } = this.#parts;
    if (RANKS[severity] < RANKS[least]) return;
    output.write(severity, format({ severity, time: clock.now(), site: this.#site, ...said }));
  }
}
