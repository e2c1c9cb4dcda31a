/**
 * Writes JSON values as YAML, character for character as Go's YAML library does: which strings
 * are quoted and how, where long ones are broken, how lists and maps are indented. Where a line
 * breaks depends on the column and on what was written last, so both are kept here.
 *
 * In Kubernetes: emitterc.go and sorter.go of go.yaml.in/yaml/v2, below sigs.k8s.io/yaml.
 */
import type { JsonObject, JsonValue } from '../../api/meta/json.ts';
import { formatGoFloat } from './go-float.ts';
import { analyzeText, doubleQuotedEscape, isBreak, styleOf, type TextStyle } from './yaml-style.ts';
import { YamlError } from './yaml-error.ts';
import { compareYamlKeys } from './yaml-key-order.ts';

/** What is nested deeper than this is refused, long before the stack would end. */
const DEPTH_MAX = 1000;
const INDENT = 2;
/** Lines are broken at the first blank behind this column. */
const WIDTH = 80;
/** A key of more bytes is written with `? ` in front. */
const SIMPLE_KEY_BYTES_MAX = 128;

interface Place {
  /** The value belongs to a key of a map that was written in front of it. */
  readonly inMap: boolean;
  readonly isKey: boolean;
}

const AT_ROOT: Place = { inMap: false, isKey: false };
const AS_ITEM: Place = { inMap: false, isKey: false };
const AS_VALUE: Place = { inMap: true, isKey: false };
const AS_KEY: Place = { inMap: true, isKey: true };

export class YamlEmitter {
  #text = '';
  #column = 0;
  #indent = -1;
  #depth = 0;
  /** Whether white space was written last. */
  #whitespace = true;
  /** Whether only indentation and the marks of lists and maps stand in this line. */
  #indention = true;

  /** The whole document, with a line break at its end. */
  emitDocument(value: JsonValue): string {
    this.#emit(value, AT_ROOT);
    this.#writeIndent();
    return this.#text;
  }

  #emit(value: JsonValue, place: Place): void {
    if (++this.#depth > DEPTH_MAX) throw new YamlError('yaml: exceeded max depth');
    if (Array.isArray(value)) {
      if (value.length === 0) this.#emitEmpty('[', ']');
      else this.#emitList(value, place);
    } else if (typeof value === 'object' && value !== null) {
      if (Object.keys(value).length === 0) this.#emitEmpty('{', '}');
      else this.#emitMap(value);
    } else {
      this.#emitScalar(value, place);
    }
    this.#depth--;
  }

  #emitEmpty(open: string, close: string): void {
    this.#writeIndicator(open, true, { whitespace: true });
    this.#writeIndicator(close, false);
  }

  #emitList(items: readonly JsonValue[], place: Place): void {
    const outer = this.#indent;
    // A list below its key stands as far left as the key.
    if (!(place.inMap && !this.#indention)) this.#increaseIndent();
    for (const item of items) {
      this.#writeIndent();
      this.#writeIndicator('-', true, { indention: true });
      this.#emit(item, AS_ITEM);
    }
    this.#indent = outer;
  }

  #emitMap(map: JsonObject): void {
    const outer = this.#indent;
    this.#increaseIndent();
    for (const key of Object.keys(map).sort(compareYamlKeys)) {
      const value = map[key];
      if (value === undefined) continue;
      this.#writeIndent();
      if (isSimpleKey(key)) {
        this.#emit(key, AS_KEY);
        this.#writeIndicator(':', false);
      } else {
        this.#writeIndicator('?', true, { indention: true });
        this.#emit(key, AS_VALUE);
        this.#writeIndent();
        this.#writeIndicator(':', true, { indention: true });
      }
      this.#emit(value, AS_VALUE);
    }
    this.#indent = outer;
  }

  #increaseIndent(): void {
    this.#indent = this.#indent < 0 ? 0 : this.#indent + INDENT;
  }

  #emitScalar(value: string | number | boolean | null, place: Place): void {
    const outer = this.#indent;
    this.#indent = this.#indent < 0 ? INDENT : this.#indent + INDENT;
    if (typeof value === 'string') this.#emitText(value, place);
    else this.#writePlain(formatPlain(value), place);
    this.#indent = outer;
  }

  #emitText(text: string, place: Place): void {
    const style = styleOf(text, place.isKey);
    const breaks = !place.isKey;
    if (style === 'plain') this.#writePlain(text, place);
    else if (style === 'literal') this.#writeLiteral(text);
    else this.#writeQuoted(text, style, breaks);
  }

  #writePlain(text: string, place: Place): void {
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
    const characters = Array.from(text);
    let spaces = false;
    let breaks = false;
    for (const [index, character] of characters.entries()) {
      if (character === ' ') {
        const isInside = style === 'plain' || (index > 0 && index < characters.length - 1);
        const breaksHere = allowsBreaks && !spaces && this.#column > WIDTH && isInside;
        if (breaksHere && characters[index + 1] !== ' ') this.#writeIndent();
        else this.#put(character);
        spaces = true;
      } else if (isBreak(character)) {
        if (!breaks && character === '\n') this.#putBreak();
        this.#writeBreak(character);
        this.#indention = true;
        breaks = true;
      } else {
        if (breaks) this.#writeIndent();
        if (style === 'single' && character === "'") this.#put("'");
        this.#put(character);
        this.#indention = false;
        spaces = false;
        breaks = false;
      }
    }
  }

  #writeEscaped(text: string, allowsBreaks: boolean): void {
    const characters = Array.from(text);
    // A byte order mark in front makes Go escape every character behind it.
    const escapesAll = text.startsWith('\ufeff');
    let spaces = false;
    for (const [index, character] of characters.entries()) {
      const escape = doubleQuotedEscape(character, escapesAll);
      const isInside = index > 0 && index < characters.length - 1;
      const isSpace = escape === undefined && character === ' ';
      if (isSpace && allowsBreaks && !spaces && this.#column > WIDTH && isInside) {
        this.#writeIndent();
        if (characters[index + 1] === ' ') this.#put('\\');
      } else {
        for (const one of escape ?? character) this.#put(one);
      }
      spaces = isSpace;
    }
  }

  #writeLiteral(text: string): void {
    const { startsBlank, breaksAtEnd } = analyzeText(text);
    this.#writeIndicator('|', true);
    if (startsBlank) this.#writeIndicator(String(INDENT), false);
    if (breaksAtEnd !== 1) this.#writeIndicator(breaksAtEnd === 0 ? '-' : '+', false);
    this.#putBreak();
    this.#indention = true;
    this.#whitespace = true;
    let breaks = true;
    for (const character of text) {
      if (isBreak(character)) {
        this.#writeBreak(character);
        this.#indention = true;
        breaks = true;
        continue;
      }
      if (breaks) this.#writeIndent();
      this.#put(character);
      this.#indention = false;
      breaks = false;
    }
  }

  #writeIndicator(
    indicator: string,
    needsWhitespace: boolean,
    leaves: { readonly whitespace?: true; readonly indention?: true } = {},
  ): void {
    if (needsWhitespace && !this.#whitespace) this.#put(' ');
    for (const character of indicator) this.#put(character);
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

  #put(character: string): void {
    this.#text += character;
    this.#column++;
  }
}

function isSimpleKey(key: string): boolean {
  return !analyzeText(key).isMultiline && Buffer.byteLength(key) <= SIMPLE_KEY_BYTES_MAX;
}

function formatPlain(value: number | boolean | null): string {
  if (typeof value !== 'number') return String(value);
  const isWhole = Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63);
  // The digits that JSON has, which came in and can be read again; a double has more of them.
  return isWhole ? String(value === 0 ? 0 : value) : formatGoFloat(value);
}
