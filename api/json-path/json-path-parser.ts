/**
 * Kubernetes' JSONPath as a tree: `{.status.conditions[?(@.type=="Ready")].status}`. It is a
 * template: what stands outside of braces is text, and an expression inside of them.
 *
 * The surprise is the order: an expression ends at its `}`, and what comes behind it belongs to the
 * whole template again.
 *
 * In Kubernetes: Parser, client-go/util/jsonpath.
 */
import { numberOfText } from '../json/json-reader.ts';
import { trimBoth } from '../meta/trim-end.ts';
import { goQuote } from '../json/go-format.ts';

export type PathNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'number'; readonly value: number | bigint }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'slice'; readonly bounds: SliceBounds }
  | { readonly kind: 'union'; readonly of: readonly Path[] }
  | {
      readonly kind: 'filter';
      readonly left: Path;
      readonly right: Path;
      readonly operator: string;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' };

/** Steps from a value to those that are meant. */
export type Path = readonly PathNode[];

export interface SliceBounds {
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The upper bound was not said: one element is meant. */
  readonly isIndex: boolean;
  readonly step: number | undefined;
}

/** Text and expressions, in turn. */
export type PathTemplate = readonly Part[];

export type Part =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'expression'; readonly path: Path };

export type ParsedPath =
  | { readonly ok: true; readonly template: PathTemplate }
  | { readonly ok: false; readonly message: string };

/** Expressions stand in filters and unions of others; none is written deeper than this. */
const DEPTH_MAX = 32;

/** @param template with its braces, as `{.spec.replicas}`. */
export function parseJsonPath(template: string): ParsedPath {
  try {
    return { ok: true, template: new TemplateParser(template, 0).parse() };
  } catch (error) {
    if (error instanceof PathSyntaxError) return { ok: false, message: error.message };
    throw error;
  }
}

/** Never leaves this file. */
class PathSyntaxError extends Error {
  override readonly name = 'PathSyntaxError';
}

const DICTIONARY_KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+?)$/s;
const TERMINATORS: ReadonlySet<string> = new Set(Array.from(' \t\r\n.,[]$@{}')).add('');

class TemplateParser {
  readonly #input: string;
  readonly #depth: number;
  #at = 0;

  constructor(input: string, depth: number) {
    if (depth > DEPTH_MAX) throw new PathSyntaxError('the expression is nested too deeply');
    this.#input = input;
    this.#depth = depth;
  }

  parse(): Part[] {
    const parts: Part[] = [];
    while (this.#at < this.#input.length) {
      const open = this.#input.indexOf('{', this.#at);
      const end = open < 0 ? this.#input.length : open;
      if (end > this.#at) parts.push({ kind: 'plain', text: this.#input.slice(this.#at, end) });
      this.#at = end;
      if (open < 0) break;
      this.#at += 1;
      parts.push({ kind: 'expression', path: this.#expression() });
    }
    return parts;
  }

  #expression(): PathNode[] {
    const path: PathNode[] = [];
    for (;;) {
      if (this.#takes('}')) return path;
      this.#step(path);
    }
  }

  #step(path: PathNode[]): void {
    if (this.#takes('[?(')) {
      path.push(this.#filter());
    } else if (this.#startsWith('..')) {
      this.#recursive(path);
    } else {
      this.#simpleStep(path);
    }
  }

  #simpleStep(path: PathNode[]): void {
    const character = this.#peek();
    if (character === '' || character === '\n' || character === '\r') {
      throw new PathSyntaxError('unclosed action');
    }
    if (' @$'.includes(character)) this.#at += 1;
    else if (character === '[') this.#array(path);
    else if (character === '"' || character === "'") path.push(this.#quoted(character));
    else if (character === '.') path.push(this.#field(1));
    else if (/[+\-\p{Nd}]/u.test(character)) path.push(this.#number());
    else if (isWordCharacter(character)) path.push(this.#identifier());
    else throw new PathSyntaxError(`unrecognized character in action: ${unicodeName(character)}`);
  }

  #recursive(path: PathNode[]): void {
    if (path.at(-1)?.kind === 'recursive') {
      throw new PathSyntaxError('invalid multiple recursive descent');
    }
    this.#at += 2;
    path.push({ kind: 'recursive' });
    if (isWordCharacter(this.#peek())) path.push(this.#field(0));
  }

  #field(skip: number): PathNode {
    this.#at += skip;
    const start = this.#at;
    for (;;) {
      const character = this.#peek();
      if (TERMINATORS.has(character)) break;
      this.#at += character.length;
      if (character === '\\') this.#at += this.#peek().length;
    }
    const name = this.#input.slice(start, this.#at);
    if (name === '*') return { kind: 'wildcard' };
    return { kind: 'field', name: name.replaceAll('\\', '') };
  }

  #identifier(): PathNode {
    const start = this.#at;
    while (!TERMINATORS.has(this.#peek())) this.#at += this.#peek().length;
    const name = this.#input.slice(start, this.#at);
    if (name === 'true' || name === 'false') return { kind: 'boolean', value: name === 'true' };
    return { kind: 'identifier', name };
  }

  #number(): PathNode {
    const start = this.#at;
    if ('+-'.includes(this.#peek())) this.#at += 1;
    while (/[.\p{Nd}]/u.test(this.#peek())) this.#at += this.#peek().length;
    const text = this.#input.slice(start, this.#at);
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) {
      throw new PathSyntaxError(`cannot parse number ${text}`);
    }
    return { kind: 'number', value: numberOfText(text.replace(/^\+/, '')) };
  }

  #quoted(quote: string): PathNode {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      const character = this.#peek();
      if (character === '' || character === '\n') {
        throw new PathSyntaxError('unterminated quoted string');
      }
      this.#at += character.length;
      if (character === quote && this.#input[this.#at - 2] !== '\\') break;
    }
    const literal = this.#input.slice(start, this.#at);
    const text = unquoted(literal.slice(1, -1), quote);
    if (text === undefined) {
      throw new PathSyntaxError(`unquote string ${literal} error invalid syntax`);
    }
    return { kind: 'text', text };
  }

  #array(path: PathNode[]): void {
    const start = this.#at;
    const close = this.#input.indexOf(']', start);
    const said = this.#input.slice(start + 1, close);
    if (close < 0 || said.includes('\n')) throw new PathSyntaxError('unterminated array');
    this.#at = close + 1;
    const text = said === '*' ? ':' : said;
    const members = text.split(',');
    if (members.length > 1) {
      const of = members.map((one) => this.#nested(`[${trimBoth(one, ' ')}]`));
      path.push({ kind: 'union', of });
      return;
    }
    const key = DICTIONARY_KEY.exec(text);
    if (key !== null) path.push(...this.#nested(`.${key[1] ?? ''}`));
    else path.push({ kind: 'slice', bounds: sliceBounds(text) });
  }

  #filter(): PathNode {
    const start = this.#at;
    let pair = '';
    let isQuoteClosed = false;
    for (;;) {
      const character = this.#peek();
      if (character === '' || character === '\n') throw new PathSyntaxError('unterminated filter');
      this.#at += character.length;
      if (character === '"' || character === "'") {
        if (pair === '') pair = character;
        else if (this.#input[this.#at - 2] !== '\\' && character === pair) isQuoteClosed = true;
      } else if (character === ')' && (pair !== '') === isQuoteClosed) {
        break;
      }
    }
    const text = this.#input.slice(start, this.#at - 1);
    if (!this.#takes(']')) throw new PathSyntaxError('unclosed array expect ]');
    const comparison = COMPARISON.exec(text);
    if (comparison === null) {
      return { kind: 'filter', left: this.#nested(text), right: [], operator: 'exists' };
    }
    const [, left = '', operator = '', right = ''] = comparison;
    return { kind: 'filter', left: this.#nested(left), right: this.#nested(right), operator };
  }

  #nested(expression: string): Path {
    const parsed = new TemplateParser(`{${expression}}`, this.#depth + 1).parse();
    const [first] = parsed;
    return first?.kind === 'expression' ? first.path : [];
  }

  /** One character, which may be two UTF-16 units; '' at the end. */
  #peek(): string {
    const code = this.#input.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #startsWith(text: string): boolean {
    return this.#input.startsWith(text, this.#at);
  }

  #takes(text: string): boolean {
    if (!this.#startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }
}

function sliceBounds(text: string): SliceBounds {
  const match = SLICE.exec(text);
  if (match === null) throw new PathSyntaxError(`invalid array index ${text}`);
  const [, first = '', second = '', third = ''] = match;
  const from = indexIn(first);
  const isIndex = second === '';
  return {
    from,
    to: isIndex ? (from ?? 0) + 1 : indexIn(second.slice(1)),
    isIndex,
    step: third === '' ? undefined : indexIn(third.slice(1)),
  };
}

function indexIn(text: string): number | undefined {
  if (text === '') return undefined;
  const index = Number(text);
  if (!Number.isSafeInteger(index)) {
    throw new PathSyntaxError(`array index ${text} is not a number`);
  }
  return index;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);
const ESCAPE = /\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{3}|.)/gsu;

/** As Go's strconv.Unquote, with quotes of either kind; undefined when an escape is none. */
function unquoted(text: string, quote: string): string | undefined {
  const escapes = text.match(ESCAPE) ?? [];
  if (escapes.some((escape) => unescaped(escape.slice(1), quote) === undefined)) return undefined;
  return text.replace(ESCAPE, (escape) => unescaped(escape.slice(1), quote) ?? '');
}

/** @param escape what stands behind the backslash. */
function unescaped(escape: string, quote: string): string | undefined {
  if (escape === quote) return quote;
  if (escape.length === 1) return ESCAPES.get(escape);
  const isOctal = !/^[xuU]/.test(escape);
  const code = isOctal ? parseInt(escape, 8) : parseInt(escape.slice(1), 16);
  return code > 0x10ffff ? undefined : String.fromCodePoint(code);
}

function isWordCharacter(character: string): boolean {
  return /^[_\p{L}\p{Nd}]$/u.test(character);
}

/** `U+0021 '!'`, as Go's `%#U`. */
function unicodeName(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const shown = goQuote(character);
  const isPrintable = shown === `"${character}"` || character === '"' || character === '\\';
  return isPrintable ? `U+${code} '${character}'` : `U+${code}`;
}
