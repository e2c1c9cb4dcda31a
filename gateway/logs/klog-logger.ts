/**
 * The server's logger: klog's lines, of the severities and the verbosity that are wanted.
 *
 * A line says where it was written. Nothing in JavaScript knows that cheaply, so the build puts the place
 * before each call (tools/log-sites.ts): `logger.info(…)` becomes `logger.at('cli/serve.ts:137').info(…)`.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { LogFields, Logger } from '../../actors/request/logger.ts';
import { UNKNOWN_SITE, type LineFormat, type Severity } from './log-line.ts';
import type { LineOutput } from './line-output.ts';
import type { Verbosity } from './verbosity.ts';

/** A logger that can say why the process ends. */
export interface ServerLogger extends Logger {
  /** The process ends behind it; the caller ends it. */
  fatal(fields: LogFields, message: string): void;
  /** Changes what is shown, as `-v` does at the start. */
  setVerbosity(verbosity: number): void;
  /** The same logger, for one place in the source. */
  at(site: string): Logger;
}

export interface LoggerParts {
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
