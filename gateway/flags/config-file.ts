/**
 * Reads the file of `--config`: the same settings as the flags, under the flags' names in
 * camelCase. A key that is not a flag is an error, so that a typing mistake is not a default.
 *
 *     apiVersion: everwatch.dev/v1
 *     kind: ServerConfiguration
 *     securePort: 8443
 *     corsAllowedOrigins: ['^https://example\.com$']
 */
import { parseDocument, type Document } from 'yaml';
import { formatJson } from '../../api/json/json-text.ts';
import { StartupError } from '../process/startup-error.ts';

const API_VERSION = 'everwatch.dev/v1';
const KIND = 'ServerConfiguration';

/** Gives the text of a file. @throws whatever the operating system says. */
export type ReadTextFile = (path: string) => string;

/** A setting as it stands in the file: one text, or several. */
export type ConfigValue = string | readonly string[];

/** @throws StartupError, which names the file and the line or key. */
export function parseConfigFile(text: string, file: string): ReadonlyMap<string, ConfigValue> {
  const document = parseDocument(text, { prettyErrors: true, stringKeys: true });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line ?? 1;
    const [what = 'not YAML'] = problem.message.split(/ at line |\n/);
    throw new StartupError(`${file}: line ${String(line)}: ${what}`);
  }
  const content = contentOf(document, file);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new StartupError(`${file}: must be a YAML mapping of settings`);
  }
  const entries = new Map<string, unknown>(Object.entries(content));
  expectHeader(entries, 'apiVersion', API_VERSION, file);
  expectHeader(entries, 'kind', KIND, file);

  const values = new Map<string, ConfigValue>();
  for (const [key, value] of entries) values.set(key, configValue(value, `${file}: ${key}`));
  return values;
}

function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias of nothing, or too many of them.
    throw new StartupError(`${file}: ${error instanceof Error ? error.message : 'not YAML'}`);
  }
}

function expectHeader(
  entries: Map<string, unknown>,
  key: string,
  expected: string,
  file: string,
): void {
  const found = entries.get(key);
  if (found !== expected) {
    const shown = found === undefined ? 'nothing' : formatJson(found);
    throw new StartupError(`${file}: ${key} must be ${expected}, not ${shown}`);
  }
  entries.delete(key);
}

function configValue(value: unknown, where: string): ConfigValue {
  if (Array.isArray(value)) return value.map((one: unknown) => scalarText(one, where));
  return scalarText(value, where);
}

function scalarText(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new StartupError(`${where} must be a text, a number, a boolean or a list of them`);
}
