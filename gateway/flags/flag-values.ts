/**
 * Turns the text of flags and of the configuration file into values. A text that is no good is
 * a StartupError which says what is expected; the caller puts the flag's name before it.
 */
import {
  compileRegularExpression,
  type RegularExpression,
} from '../../api/meta/regular-expression.ts';
import { isIP } from 'node:net';
import { controllersIn } from '../../actors/controllers/optional-controllers.ts';
import { parseGoDuration } from '../../api/meta/go-duration.ts';
import { StartupError } from '../process/startup-error.ts';
import { goBoolean, goInteger } from './upstream-flags.ts';

/** What --log-level may be, the most talkative first. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

/** @throws StartupError where it is empty. */
export function parseText(text: string): string {
  if (text === '') throw new StartupError('must not be empty');
  return text;
}

/** An IPv4 or IPv6 address, without brackets. @throws StartupError */
export function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new StartupError(`must be an IP address, not ${quoted(text)}`);
  return text;
}

/** @returns 0 to 65535; 0 is any free port. @throws StartupError */
export function parsePort(text: string): number {
  const port = goInteger(text) ?? Number.NaN;
  if (!(port >= 0 && port <= 65_535)) {
    throw new StartupError(`must be a port between 0 and 65535, not ${quoted(text)}`);
  }
  return port;
}

/** Only `true` and `false`, as the configuration file has them. @throws StartupError */
export function parseBoolean(text: string): boolean {
  const value = goBoolean(text);
  if (value === undefined) {
    throw new StartupError(`must be true or false, not ${quoted(text)}`);
  }
  return value;
}

/** Milliseconds, at least 0. */
export function parseDelay(text: string): number {
  const parsed = parseGoDuration(text);
  if (!parsed.ok || parsed.ms < 0) {
    throw new StartupError(`must be a duration like 30s or 1m30s, not ${quoted(text)}`);
  }
  return parsed.ms;
}

/** Milliseconds, more than 0. */
export function parseTimeout(text: string): number {
  const ms = parseDelay(text);
  if (ms === 0) throw new StartupError('must be more than 0');
  return ms;
}

/** Milliseconds. A bare number means seconds, as kube-apiserver has it for this flag. */
export function parseSecondsOrDelay(text: string): number {
  const seconds = goInteger(text);
  return parseDelay(seconds === undefined ? text : `${String(seconds)}s`);
}

const COUNT_END = 1e15;

/** A whole number, at least 0. */
export function parseCount(text: string): number {
  const count = goInteger(text) ?? Number.NaN;
  if (!(count >= 0 && count < COUNT_END)) {
    throw new StartupError(`must be a whole number, not ${quoted(text)}`);
  }
  return count;
}

/**
 * Whether a read first learns what "now" is from the log, or shows what this server has applied.
 */
export type ReadConsistency = 'linearizable' | 'fresh';

/** @throws StartupError */
export function parseReadConsistency(text: string): ReadConsistency {
  if (text === 'linearizable' || text === 'fresh') return text;
  throw new StartupError(`must be linearizable or fresh, not ${quoted(text)}`);
}

/** @throws StartupError which names the levels. */
export function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((one) => one === text);
  if (level === undefined) {
    throw new StartupError(`must be one of ${LOG_LEVELS.join(', ')}, not ${quoted(text)}`);
  }
  return level;
}

/** @returns names of controllers that can be left out. */
export function parseControllers(texts: readonly string[]): ReadonlySet<string> {
  const names = controllersIn(texts);
  if (typeof names === 'string') throw new StartupError(names);
  return names;
}

/** Each a regular expression that must hold on to the beginning and the end of the host. */
export function parseOrigins(texts: readonly string[]): RegularExpression[] {
  return texts.map((text) => {
    if (text === '') throw new StartupError('must not be empty');
    // Without both ends pinned, `good.example` would let `good.example.evil` in (CVE-2022-1996).
    const isPinned = /\^|\/\//.test(text) && /[$:]/.test(text);
    if (!isPinned) {
      throw new StartupError(
        `${quoted(text)} does not pin to start/end of host in the origin header; ` +
          'write it like ^https://example\\.com$ or //example\\.com(:|$)',
      );
    }
    const compiled = compileRegularExpression(text);
    if (compiled.ok) return compiled.expression;
    throw new StartupError(`${quoted(text)} is not a regular expression: ${compiled.message}`);
  });
}

/** Each value of --strict-transport-security-directives. @throws StartupError */
export function parseHstsDirectives(texts: readonly string[]): string[] {
  return texts.map((text) => {
    if (text === 'includeSubDomains' || text === 'preload' || /^max-age=[^=]*$/.test(text)) {
      return text;
    }
    throw new StartupError(
      `must be max-age=SECONDS, includeSubDomains or preload, not ${quoted(text)}`,
    );
  });
}

/** A text as it stands in messages: with quotes, and control characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
