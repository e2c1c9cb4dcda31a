/**
 * Writes JSON values as YAML, character for character as Go's YAML library does: the order of keys
 * (letters behind everything else, numbers by value), which strings are quoted and how, where long ones
 * are broken, how lists and maps are indented. Where a line breaks depends on the column and on what was
 * written last, so both are kept here.
 *
 * In Kubernetes: emitterc.go and sorter.go of go.yaml.in/yaml/v2, below sigs.k8s.io/yaml.
 */
import type { Parts } from '../../api/json/json-parts.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { spellingOf } from '../../api/json/spelled-number.ts';
import { sortedInParts } from '../../api/json/sorted-in-parts.ts';
import { formatPlain, formatSpelled } from './yaml-number.ts';
import { analyzeText, doubleQuotedText, nextBreak, styleOf, type TextStyle } from './yaml-style.ts';
import { YamlError } from './yaml-error.ts';

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;
const ZERO = 0x30;
const TWO_TO_32 = 2 ** 32;

function compareYamlKeys(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  let index = 0;
  while (index < shared && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  if (index === shared) return left.length - right.length;
  // Both halves of a character are looked at together.
  const isInside = isSecondHalf(left.charCodeAt(index)) || isSecondHalf(right.charCodeAt(index));
  const isSplit = isInside && index > 0 && isFirstHalf(left.charCodeAt(index - 1));
  return compareFrom(left, right, isSplit ? index - 1 : index);
}

/** `index` is that of the first difference. */
function compareFrom(a: string, b: string, index: number): number {
  const one = characterAt(a, index);
  const other = characterAt(b, index);
  const byCode = codeOf(one) - codeOf(other);
  const isLetter = LETTER.test(one);
  const otherIsLetter = LETTER.test(other);
  if (isLetter && otherIsLetter) return byCode;
  if (isLetter || otherIsLetter) return otherIsLetter ? -1 : 1;
  const start = (one === '0' || other === '0') && followsNonZeroDigit(a, index) ? 1 : 0;
  const number = numberAt(a, index, start);
  const otherNumber = numberAt(b, index, start);
  if (number.high !== otherNumber.high) return number.high - otherNumber.high;
  if (number.low !== otherNumber.low) return number.low - otherNumber.low;
  const byDigits = number.digits - otherNumber.digits;
  return byDigits === 0 ? byCode : byDigits;
}

/** Whether the digits in front hold more than zeros, so that a zero here counts. */
function followsNonZeroDigit(text: string, index: number): boolean {
  for (let end = index; end > 0;) {
    const isPair = end > 1 && isSecondHalf(text.charCodeAt(end - 1));
    const character = text.slice(isPair ? end - 2 : end - 1, end);
    if (!DIGIT.test(character)) return false;
    if (character !== '0') return true;
    end -= character.length;
  }
  return false;
}

/** The lower and the upper 32 bits of a number, the upper ones with its sign, and its digits. */
interface DigitsNumber {
  readonly low: number;
  readonly high: number;
  readonly digits: number;
}

/**
 * The number whose digits begin at `index`, cut to 64 bits. A key may be nothing but digits and as
 * long as a body, so no number here grows with it.
 */
function numberAt(text: string, index: number, start: number): DigitsNumber {
  let low = start;
  let high = 0;
  let digits = 0;
  for (let at = index; at < text.length; digits += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (!isDigit(code)) break;
    // Digits of other scripts are as far from '0' as they stand, which may be a million.
    const sum = low * 10 + code - ZERO;
    low = sum >>> 0;
    high = (high * 10 + Math.floor(sum / TWO_TO_32)) | 0;
    at += code > 0xffff ? 2 : 1;
  }
  return { low, high, digits };
}

function isDigit(code: number): boolean {
  return code < 0x80 ? code >= ZERO && code < ZERO + 10 : DIGIT.test(String.fromCodePoint(code));
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** What is nested deeper than this is refused, long before the stack would end. */
const DEPTH_MAX = 1000;
const INDENT = 2;
/** Lines are broken at the first blank behind this column. */
const WIDTH = 80;
/** A key of more bytes is written with `? ` in front. */
const SIMPLE_KEY_BYTES_MAX = 128;

const SURROGATE_BITS = 0xfc00;
const FIRST_HALF = 0xd800;
const SECOND_HALF = 0xdc00;

interface EmitPosition {
  /** The value belongs to a key of a map that was written in front of it. */
  readonly inMap: boolean;
  readonly isKey: boolean;
}

/** So many values are written in one turn of the event loop, of a microsecond or more each. */
const PART = 4_096;

const AT_ROOT: EmitPosition = { inMap: false, isKey: false };
const AS_ITEM: EmitPosition = { inMap: false, isKey: false };
const AS_VALUE: EmitPosition = { inMap: true, isKey: false };
const AS_KEY: EmitPosition = { inMap: true, isKey: true };

export class YamlEmitter {
  #text = '';
  /** Since there was a rest. */
  #values = 0;
  #column = 0;
  #indent = -1;
  #depth = 0;
  /** Whether white space was written last. */
  #whitespace = true;
  /** Whether only indentation and the marks of lists and maps stand in this line. */
  #indention = true;

  /** The whole document, with a line break at its end. */
  *emitDocument(value: JsonValue): Parts<string> {
    yield* this.#emit(value, AT_ROOT);
    this.#writeIndent();
    return this.#text;
  }

  *#emit(value: JsonValue, place: EmitPosition): Parts<void> {
    if (++this.#depth > DEPTH_MAX) throw new YamlError('yaml: exceeded max depth');
    if (Array.isArray(value)) {
      if (value.length === 0) this.#emitEmpty('[', ']');
      else yield* this.#emitList(value, place);
    } else if (typeof value === 'object' && value !== null) {
      yield* this.#emitMap(value);
    } else {
      this.#emitScalar(value, place);
    }
    this.#depth--;
  }

  #emitEmpty(open: string, close: string): void {
    this.#writeIndicator(open, true, { whitespace: true });
    this.#writeIndicator(close, false);
  }

  *#emitList(items: readonly JsonValue[], place: EmitPosition): Parts<void> {
    const outer = this.#indent;
    // A list below its key stands as far left as the key.
    if (!(place.inMap && !this.#indention)) this.#increaseIndent();
    for (const item of items) {
      this.#writeIndent();
      this.#writeIndicator('-', true, { indention: true });
      yield* this.#emit(item, AS_ITEM);
      if (this.#isTimeForRest()) yield;
    }
    this.#indent = outer;
  }

  *#emitMap(map: JsonObject): Parts<void> {
    const keys = Object.keys(map);
    if (keys.length === 0) {
      this.#emitEmpty('{', '}');
      return;
    }
    const outer = this.#indent;
    this.#increaseIndent();
    for (const key of yield* sortedInParts(keys, compareYamlKeys)) {
      const value = map[key];
      if (value === undefined) continue;
      this.#writeIndent();
      if (isSimpleKey(key)) {
        this.#emitScalar(key, AS_KEY);
        this.#writeIndicator(':', false);
      } else {
        this.#writeIndicator('?', true, { indention: true });
        this.#emitScalar(key, AS_VALUE);
        this.#writeIndent();
        this.#writeIndicator(':', true, { indention: true });
      }
      yield* this.#emit(value, AS_VALUE);
      if (this.#isTimeForRest()) yield;
    }
    this.#indent = outer;
  }

  #isTimeForRest(): boolean {
    this.#values = (this.#values + 1) % PART;
    return this.#values === 0;
  }

  #increaseIndent(): void {
    this.#indent = this.#indent < 0 ? 0 : this.#indent + INDENT;
  }

  #emitScalar(value: string | number | bigint | boolean | null, place: EmitPosition): void {
    const outer = this.#indent;
    this.#indent = this.#indent < 0 ? INDENT : this.#indent + INDENT;
    const literal = typeof value === 'string' ? spellingOf(value) : undefined;
    if (literal !== undefined) this.#writePlain(formatSpelled(literal), place);
    else if (typeof value === 'string') this.#emitText(value, place);
    else this.#writePlain(formatPlain(value), place);
    this.#indent = outer;
  }

  #emitText(text: string, place: EmitPosition): void {
    const style = styleOf(text, place.isKey);
    const breaks = !place.isKey;
    if (style === 'plain') this.#writePlain(text, place);
    else if (style === 'literal') this.#writeLiteral(text);
    else this.#writeQuoted(text, style, breaks);
  }

  #writePlain(text: string, place: EmitPosition): void {
    if (!this.#whitespace) this.#put(' ');
    this.#writeFlow(text, 'plain', !place.isKey);
    this.#whitespace = false;
    this.#indention = false;
  }

  #writeQuoted(text: string, style: TextStyle, breaks: boolean): void {
    const quote = style === 'single' ? "'" : '"';
    this.#writeIndicator(quote, true);
    if (style === 'single') this.#writeFlow(text, style, breaks);
    else this.#writeEscaped(text, breaks);
    this.#writeIndicator(quote, false);
    this.#whitespace = false;
    this.#indention = false;
  }

  /** Plain and single-quoted text: blanks may become line breaks, line breaks are doubled. */
  #writeFlow(text: string, style: TextStyle, allowsBreaks: boolean): void {
    const shown = style === 'single' ? text.replaceAll("'", "''") : text;
    const folding = { allowsBreaks, isDouble: false };
    let breaks = false;
    for (let at = 0; at < shown.length;) {
      const end = nextBreak(shown, at);
      if (end === at) {
        const character = shown.charAt(at);
        if (!breaks && character === '\n') this.#putBreak();
        this.#writeBreak(character);
        this.#indention = true;
        breaks = true;
        at += 1;
        continue;
      }
      if (breaks) {
        // Blanks behind a line break stand in front of the indentation.
        const blanksAt = at;
        while (at < end && shown[at] === ' ') at += 1;
        this.#put(shown.slice(blanksAt, at));
        if (at === end) continue;
        this.#writeIndent();
        breaks = false;
      }
      this.#writeFolded(shown, [at, end], folding);
      at = end;
    }
  }

  #writeEscaped(text: string, allowsBreaks: boolean): void {
    const shown = doubleQuotedText(text);
    this.#writeFolded(shown, [0, shown.length], { allowsBreaks, isDouble: true });
  }

  /** A part without line breaks; between it and the next blank but one a line may end. */
  #writeFolded(
    text: string,
    [start, end]: readonly [start: number, end: number],
    { allowsBreaks, isDouble }: { readonly allowsBreaks: boolean; readonly isDouble: boolean },
  ): void {
    // Nothing is looked for behind the part: there may be as many of them as there are characters.
    const part = text.slice(start, end);
    let from = 0;
    let counted = 0;
    let column = this.#column;
    let at = allowsBreaks ? part.indexOf(' ') : -1;
    for (; at >= 0; at = part.indexOf(' ', at + 1)) {
      column += charactersIn(part, counted, at);
      counted = at;
      const place = start + at;
      const isInside = place > 0 && place < text.length - 1 && text[place - 1] !== ' ';
      const isFollowed = text[place + 1] === ' ';
      if (column <= WIDTH || !isInside || (isFollowed && !isDouble)) continue;
      this.#put(part.slice(from, at));
      this.#indention = false;
      this.#writeIndent();
      if (isFollowed) this.#put('\\');
      from = at + 1;
      counted = from;
      column = this.#column;
    }
    this.#put(part.slice(from));
    this.#indention = false;
  }

  #writeLiteral(text: string): void {
    const { startsBlank, breaksAtEnd } = analyzeText(text);
    this.#writeIndicator('|', true);
    if (startsBlank) this.#writeIndicator(String(INDENT), false);
    if (breaksAtEnd !== 1) this.#writeIndicator(breaksAtEnd === 0 ? '-' : '+', false);
    this.#putBreak();
    this.#indention = true;
    this.#whitespace = true;
    for (let at = 0; at < text.length;) {
      const end = nextBreak(text, at);
      if (end > at) {
        this.#writeIndent();
        this.#put(text.slice(at, end));
        this.#indention = false;
      } else {
        this.#writeBreak(text.charAt(at));
        this.#indention = true;
      }
      at = Math.max(end, at + 1);
    }
  }

  #writeIndicator(
    indicator: string,
    needsWhitespace: boolean,
    leaves: { readonly whitespace?: true; readonly indention?: true } = {},
  ): void {
    if (needsWhitespace && !this.#whitespace) this.#put(' ');
    this.#put(indicator);
    this.#whitespace = leaves.whitespace ?? false;
    this.#indention = this.#indention && (leaves.indention ?? false);
  }

  #writeIndent(): void {
    const indent = Math.max(this.#indent, 0);
    const isBehind = this.#column > indent || (this.#column === indent && !this.#whitespace);
    if (!this.#indention || isBehind) this.#putBreak();
    while (this.#column < indent) this.#put(' ');
    this.#whitespace = true;
    this.#indention = true;
  }

  #writeBreak(character: string): void {
    if (character === '\n') {
      this.#putBreak();
    } else {
      this.#text += character;
      this.#column = 0;
    }
  }

  #putBreak(): void {
    this.#text += '\n';
    this.#column = 0;
  }

  /** What is long comes in long pieces: each costs as much as the next, whatever its length. */
  #put(text: string): void {
    this.#text += text;
    this.#column += charactersIn(text, 0, text.length);
  }
}

/** Both halves of a pair are one. */
function charactersIn(text: string, start: number, end: number): number {
  let count = end - start;
  for (let at = start; at < end - 1; at += 1) {
    const isFirst = (text.charCodeAt(at) & SURROGATE_BITS) === FIRST_HALF;
    if (isFirst && (text.charCodeAt(at + 1) & SURROGATE_BITS) === SECOND_HALF) count -= 1;
  }
  return count;
}

function isSimpleKey(key: string): boolean {
  return !analyzeText(key).isMultiline && Buffer.byteLength(key) <= SIMPLE_KEY_BYTES_MAX;
}
