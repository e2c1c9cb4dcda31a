/**
 * A setting of a command: a flag, a key of the configuration file, a default. The text of a list flag
 * becomes its elements as pflag does it, so that a command line that works with kube-apiserver means the
 * same here; a flag that is given several times adds to itself.
 *
 * In pflag: string_slice.go and string_array.go; in Kubernetes: component-base/cli/flag.
 */
import { StartupError } from '../process/startup-error.ts';

interface SettingText {
  /** Without the dashes: `data-dir`. In the configuration file it is `dataDir`. */
  readonly flag: string;
  /** One letter that says the same behind one dash. */
  readonly short?: string;
  readonly placeholder: string;
  readonly help: string;
}

interface OneText<Value> extends SettingText {
  readonly takes: 'text' | 'boolean';
  /** undefined: there is no default, and the option is left undefined. */
  readonly default: string | undefined;
  readonly parse: (text: string) => Value;
}

interface ManyTexts<Value> extends SettingText {
  readonly takes: 'list';
  /** How a text of it is taken apart; `csv` unless said otherwise. */
  readonly form?: ListForm;
  readonly default: readonly string[];
  readonly parse: (texts: readonly string[]) => Value;
}

export type Setting<Value = unknown> = OneText<Value> | ManyTexts<Value>;

/** A setting for each option, typed by it. */
export type SettingsOf<Options> = {
  readonly [Name in keyof Options]: Setting<NonNullable<Options[Name]>>;
};

/**
 * `csv`: separated by commas, an element with a comma stands in quotation marks, and '' is none.
 * `pairs`: `a=b,c=d`, blanks and empty parts are passed over. `whole`: each text is one element.
 */
type ListForm = 'csv' | 'pairs' | 'whole';

/** @throws StartupError where the text is no list. */
export function elementsOf(text: string, form: ListForm): string[] {
  if (form === 'whole') return [text];
  if (form === 'csv') return text === '' ? [] : csvFields(text);
  return text.split(',').flatMap((pair) => (pair === '' ? [] : [trimmedPair(pair)]));
}

function trimmedPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals < 0) return pair.trim();
  return `${pair.slice(0, equals).trim()}=${pair.slice(equals + 1).trim()}`;
}

/** One record, by RFC 4180, as Go's encoding/csv reads it. */
function csvFields(text: string): string[] {
  const [line = ''] = text.split('\n', 1);
  const fields: string[] = [];
  let rest: string | undefined = line;
  while (rest !== undefined) {
    const read: CsvField = rest.startsWith('"') ? quotedField(rest) : plainField(rest);
    fields.push(read.field);
    rest = read.rest;
  }
  return fields;
}

interface CsvField {
  readonly field: string;
  /** Behind the comma; undefined: there is none. */
  readonly rest: string | undefined;
}

function plainField(text: string): CsvField {
  const comma = text.indexOf(',');
  const field = comma < 0 ? text : text.slice(0, comma);
  if (field.includes('"')) throw new StartupError('bare " in non-quoted-field');
  return { field, rest: comma < 0 ? undefined : text.slice(comma + 1) };
}

function quotedField(text: string): CsvField {
  let field = '';
  let at = 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end < 0) throw new StartupError('extraneous or missing " in quoted-field');
    field += text.slice(at, end);
    if (text[end + 1] === '"') {
      field += '"';
      at = end + 2;
      continue;
    }
    if (end + 1 === text.length) return { field, rest: undefined };
    if (text[end + 1] === ',') return { field, rest: text.slice(end + 2) };
    throw new StartupError('extraneous or missing " in quoted-field');
  }
}
