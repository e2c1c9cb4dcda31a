/**
 * In which style a string is written in YAML: plain where nothing could mistake it for something
 * else, over several lines where it has line breaks, else in single or double quotes.
 *
 * In Kubernetes: yaml_emitter_analyze_scalar and stringv of go.yaml.in/yaml/v2.
 */
import { isSexagesimal, resolveYamlScalar } from './yaml-scalar.ts';

export type TextStyle = 'plain' | 'single' | 'double' | 'literal';

export interface TextAnalysis {
  readonly isMultiline: boolean;
  readonly startsBlank: boolean;
  /** Line breaks at the very end: 0, 1, or 2 for more. A text that is one break has 2. */
  readonly breaksAtEnd: number;
  readonly allowsPlain: boolean;
  readonly allowsSingle: boolean;
  readonly allowsLiteral: boolean;
}

const BREAK = '[\\r\\n\\u0085\\u2028\\u2029]';
const ANY_BREAK = new RegExp(BREAK);
const BREAK_SPACE = new RegExp(`${BREAK} `);
const SPACE_BREAK = new RegExp(` ${BREAK}`);
const BLANK_AT_EDGE = new RegExp(`^(?: |${BREAK})|(?: |${BREAK})$`);
/**
 * What Go does not take for printable; nothing beyond 16 bits is. And the separators of lines and of
 * paragraphs, which Go breaks the line at: to readers of YAML 1.2 what then indents the next line is text.
 */
const SPECIAL = /[^\n\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
/** Marks that begin something else at the start of a text, or behind or before a blank. */
const INDICATOR = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t]|$))|:(?:[ \t]|$)|[ \t]#/;

function isBreak(character: string): boolean {
  return ANY_BREAK.test(character);
}

/** Where the next one is from `at` on; behind the end where there is none. */
export function nextBreak(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isBreakUnit(text.charCodeAt(end))) end += 1;
  return end;
}

/** The same as {@link ANY_BREAK}. */
function isBreakUnit(unit: number): boolean {
  if (unit < 0x80) return unit === 0x0a || unit === 0x0d;
  return unit === 0x85 || unit === 0x2028 || unit === 0x2029;
}

export function analyzeText(text: string): TextAnalysis {
  const isMultiline = ANY_BREAK.test(text);
  const isUnprintable = SPECIAL.test(text) || SPACE_BREAK.test(text);
  const hasBreakSpace = BREAK_SPACE.test(text);
  const hasBlankAtEdge = BLANK_AT_EDGE.test(text);
  return {
    isMultiline,
    startsBlank: text.startsWith(' ') || isBreak(text.charAt(0)),
    breaksAtEnd: breaksAtEnd(text),
    allowsPlain: !isMultiline && !isUnprintable && !hasBlankAtEdge && !INDICATOR.test(text),
    allowsSingle: !isUnprintable && !hasBreakSpace,
    allowsLiteral: !isUnprintable && !text.endsWith(' ') && text !== '',
  };
}

function breaksAtEnd(text: string): number {
  if (!isBreak(text.slice(-1))) return 0;
  return text.length === 1 || isBreak(text.slice(-2, -1)) ? 2 : 1;
}

export function styleOf(text: string, isKey: boolean): TextStyle {
  const { isMultiline, allowsPlain, allowsSingle, allowsLiteral } = analyzeText(text);
  if (isKey && isMultiline) return 'double';
  if (text.includes('\n')) return allowsLiteral && !isKey ? 'literal' : 'double';
  if (!isString(text)) return 'double';
  if (allowsPlain) return 'plain';
  return allowsSingle ? 'single' : 'double';
}

/** Whether the text stays a string when it stands without quotes. */
function isString(text: string): boolean {
  return resolveYamlScalar(text).kind === 'string' && !isSexagesimal(text);
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\u001b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u00a0', '\\_'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

/** What stands in double quotes as something else, and all that does. */
const ESCAPED =
  /["\\\r\n\u0085\u2028\u2029]|[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;
const ANY = /[^]/gu;

/** The text as it stands in double quotes. */
export function doubleQuotedText(text: string): string {
  // A byte order mark in front makes Go escape every character behind it.
  return text.replaceAll(text.startsWith('\ufeff') ? ANY : ESCAPED, escapeOf);
}

function escapeOf(character: string): string {
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
