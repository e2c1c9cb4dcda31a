/**
 * More about strings: `charAt`, `indexOf`, `replace`, `split`, `join` and so on. Positions count
 * characters.
 *
 * In Kubernetes: ext/strings.go of cel-go, version 2.
 */
import { trimBoth } from '../../meta/trim-end.ts';
import { DYN, INT, listOf, STRING, type CelType } from '../cel-type.ts';
import { ValueList, valuesOf } from '../containers.ts';
import { declare, method, overload, type Implementation, type Library } from '../declarations.ts';
import { goText } from '../go-text.ts';
import { CelError, CelList, isInt, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';
import { formatString } from './string-format.ts';

type TextArgument = string | number | undefined;
type TextRun = (
  text: string,
  first?: TextArgument,
  second?: TextArgument,
  third?: TextArgument,
) => CelValue;

/** Of a string, with arguments that are strings and ints. */
function ofText(run: TextRun): Implementation {
  return (text, ...rest) => {
    if (typeof text !== 'string') return NO_SUCH_OVERLOAD;
    const args = rest.flatMap((value) =>
      typeof value === 'string' ? value : isInt(value) ? Number(value) : [],
    );
    return run(text, args[0], args[1], args[2]);
  };
}

function string(value: string | number | undefined): string {
  return typeof value === 'string' ? value : '';
}

function outOfRange(index: number): CelError {
  return new CelError(`index out of range: ${String(index)}`);
}

const charAt: TextRun = (text, index = 0) => {
  const characters = Array.from(text);
  const at = Number(index);
  if (at < 0 || at > characters.length) return outOfRange(at);
  return characters[at] ?? '';
};

function matchesAt(text: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((character, index) => text[at + index] === character);
}

const indexOf: TextRun = (text, part, offset = 0) => {
  const at = Number(offset);
  if (part === '') return at;
  if (at < 0) return outOfRange(at);
  const [characters, wanted] = [Array.from(text), Array.from(string(part))];
  for (let index = at; index <= characters.length - wanted.length; index++) {
    if (matchesAt(characters, wanted, index)) return index;
  }
  return -1;
};

const lastIndexOf: TextRun = (text, part, offset) => {
  const [characters, wanted] = [Array.from(text), Array.from(string(part))];
  if (part === '') return offset === undefined ? characters.length : Number(offset);
  if (offset === undefined && Buffer.byteLength(text) < Buffer.byteLength(string(part))) return -1;
  const at = offset === undefined ? characters.length - 1 : Number(offset);
  if (at < 0) return outOfRange(at);
  if (at >= characters.length) return -1;
  for (let index = Math.min(at, characters.length - wanted.length); index >= 0; index--) {
    if (matchesAt(characters, wanted, index)) return index;
  }
  return -1;
};

const lowerAscii: TextRun = (text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upperAscii: TextRun = (text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

/** What a call costs is charged only afterwards, so it must not fill the memory before. */
const TEXT_MAX = 1 << 26;
const TOO_LONG = new CelError('the result of replace is too long');

/** A limit below zero is none. */
const replace: TextRun = (text, part, by, limit = -1) => {
  const countMax = Number(limit);
  if (countMax === 0 || part === by) return text;
  const pieces = part === '' ? ['', ...Array.from(text)] : text.split(string(part));
  // Around every character, an empty text is found once more at the end.
  if (part === '') pieces.push('');
  const most = countMax < 0 ? pieces.length - 1 : Math.min(countMax, pieces.length - 1);
  if (text.length + most * string(by).length > TEXT_MAX) return TOO_LONG;
  const head = pieces.slice(0, most + 1).join(string(by));
  const tail = pieces.slice(most + 1);
  return tail.length === 0 ? head : [head, ...tail].join(string(part));
};

const split: TextRun = (text, separator, limit = -1) => {
  const countMax = Number(limit);
  if (countMax === 0) return new ValueList([]);
  const pieces = separator === '' ? Array.from(text) : text.split(string(separator));
  if (countMax < 0 || pieces.length <= countMax) return new ValueList(pieces);
  const last = pieces.slice(countMax - 1).join(string(separator));
  return new ValueList([...pieces.slice(0, countMax - 1), last]);
};

const substring: TextRun = (text, from, to) => {
  const characters = Array.from(text);
  const start = Number(from);
  const end = to === undefined ? characters.length : Number(to);
  if (to !== undefined && start > end) {
    const range = `start: ${String(start)}, end: ${String(end)}`;
    return new CelError(`invalid substring range. ${range}`);
  }
  for (const index of [start, end]) {
    if (index < 0 || index > characters.length) return outOfRange(index);
  }
  return characters.slice(start, end).join('');
};

/** What Unicode calls white space, as Go reads it: not the byte order mark. */
const trim: TextRun = (text) => trimBoth(text, WHITE_SPACE);

const WHITE_SPACE =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
  '\u2028\u2029\u202f\u205f\u3000';

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const quote: TextRun = (text) =>
  `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (character) => QUOTED[character] ?? character)}"`;

const join: Implementation = (list, separator) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const values = valuesOf(list);
  const strings = values.filter((value) => typeof value === 'string');
  const other = values.find((value) => typeof value !== 'string');
  if (other !== undefined) return new CelError(`join: invalid input: ${goText(other)}`);
  return strings.join(typeof separator === 'string' ? separator : '');
};

const format: Implementation = (text, args) =>
  typeof text === 'string' && args instanceof CelList
    ? formatString(text, valuesOf(args))
    : NO_SUCH_OVERLOAD;

const STRINGS = listOf(STRING);

function textMethod(id: string, args: readonly CelType[], result: CelType, run: TextRun) {
  return method(id, [STRING, ...args], result, ofText(run));
}

/** With and without a number behind the other arguments. */
function withNumber(name: string, id: string, args: readonly CelType[], made: Made) {
  const [result, run] = made;
  return declare(
    name,
    textMethod(id, args, result, run),
    textMethod(`${id}_int`, [...args, INT], result, run),
  );
}

type Made = readonly [result: CelType, run: TextRun];

export const EXTENDED_STRINGS: Library = [
  declare('charAt', textMethod('string_char_at_int', [INT], STRING, charAt)),
  withNumber('indexOf', 'string_index_of_string', [STRING], [INT, indexOf]),
  withNumber('lastIndexOf', 'string_last_index_of_string', [STRING], [INT, lastIndexOf]),
  declare('lowerAscii', textMethod('string_lower_ascii', [], STRING, lowerAscii)),
  withNumber('replace', 'string_replace_string_string', [STRING, STRING], [STRING, replace]),
  withNumber('split', 'string_split_string', [STRING], [STRINGS, split]),
  withNumber('substring', 'string_substring_int', [INT], [STRING, substring]),
  declare('trim', textMethod('string_trim', [], STRING, trim)),
  declare('upperAscii', textMethod('string_upper_ascii', [], STRING, upperAscii)),
  declare('format', method('string_format', [STRING, listOf(DYN)], STRING, format)),
  declare('strings.quote', overload('strings_quote', [STRING], STRING, ofText(quote))),
  declare(
    'join',
    method('list_join', [STRINGS], STRING, join),
    method('list_join_string', [STRINGS, STRING], STRING, join),
  ),
];
