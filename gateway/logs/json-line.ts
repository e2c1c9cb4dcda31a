/**
 * Lines for programs: `{"ts":1763886600123,"caller":"cli/serve.ts:137","msg":"serving","v":0,"port":6443}`.
 * An error has no `v`, and that is how it is told from information; a warning is information.
 *
 * In Kubernetes: component-base/logs/json, which is zap behind zapr.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { errorText, type LineFormat, type LogLine } from './log-line.ts';

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
