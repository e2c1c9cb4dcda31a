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
  /** undefined: as of one text. */
  readonly default: readonly string[] | undefined;
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
  let at: number | undefined = 0;
  while (at !== undefined) {
    const read: CsvField = line[at] === '"' ? quotedField(line, at) : plainField(line, at);
    fields.push(read.field);
    at = read.next;
  }
  return fields;
}

interface CsvField {
  readonly field: string;
  /** Where the next begins, behind the comma; undefined: there is none. */
  readonly next: number | undefined;
}

function plainField(line: string, at: number): CsvField {
  const comma = line.indexOf(',', at);
  const field = comma < 0 ? line.slice(at) : line.slice(at, comma);
  const quote = field.indexOf('"');
  if (quote >= 0) throw csvProblem(line, at + quote, 'bare " in non-quoted-field');
  return { field, next: comma < 0 ? undefined : comma + 1 };
}

const UNQUOTED = 'extraneous or missing " in quoted-field';

function quotedField(line: string, begin: number): CsvField {
  let field = '';
  let at = begin + 1;
  for (;;) {
    const end = line.indexOf('"', at);
    if (end < 0) throw csvProblem(line, line.length, UNQUOTED);
    field += line.slice(at, end);
    if (line[end + 1] === '"') {
      field += '"';
      at = end + 2;
      continue;
    }
    if (end + 1 === line.length) return { field, next: undefined };
    if (line[end + 1] === ',') return { field, next: end + 2 };
    throw csvProblem(line, end, UNQUOTED);
  }
}

/** Columns are counted in bytes, from 1. */
function csvProblem(line: string, at: number, problem: string): StartupError {
  const column = Buffer.byteLength(line.slice(0, at)) + 1;
  return new StartupError(`parse error on line 1, column ${String(column)}: ${problem}`);
}
