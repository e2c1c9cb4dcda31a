/**
 * What is wrong with a text that is no JSON, in the words of Go's parser, which clients know. Only
 * asked when the real parser has refused the text, so it need not be fast; it does not recurse.
 *
 * In Kubernetes: the scanner of encoding/json.
 */
import { goQuote } from './go-format.ts';

const END = 'unexpected end of JSON input';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const WHITE = new Set([SPACE, 0x09, 0x0a, 0x0d]);
const LITERALS: ReadonlyMap<number, string> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]),
);
const ESCAPES = '"\\/bfnrt';

type Expecting = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'more';

/** '' when nothing is wrong with it. */
export function jsonProblem(bytes: Uint8Array): string {
  return new Scan(bytes).problem();
}

class Scan {
  readonly #bytes: Uint8Array;
  /** The closing brackets that are to come, the next one last. */
  readonly #open: string[] = [];
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  problem(): string {
    let expecting: Expecting = 'value';
    for (;;) {
      this.#skipWhite();
      const byte = this.#bytes[this.#at];
      if (byte === undefined) {
        return expecting === 'more' && this.#open.length === 0 ? '' : END;
      }
      const step = this.#step(expecting, byte);
      if (typeof step === 'string') expecting = step;
      else return step.problem;
    }
  }

  #step(expecting: Expecting, byte: number): Expecting | Wrong {
    const char = String.fromCharCode(byte);
    switch (expecting) {
      case 'colon':
        return char === ':' ? this.#past('value') : invalid(byte, 'after object key');
      case 'more':
        return this.#more(byte, char);
      case 'key':
      case 'first key':
        if (char === '}' && expecting === 'first key') return this.#close();
        if (byte !== QUOTE) return invalid(byte, 'looking for beginning of object key string');
        return this.#string() ?? 'colon';
      case 'first value':
        return char === ']' ? this.#close() : this.#value(byte, char);
      case 'value':
        return this.#value(byte, char);
    }
  }

  /** Behind a value. */
  #more(byte: number, char: string): Expecting | Wrong {
    const close = this.#open.at(-1);
    if (close === undefined) return invalid(byte, 'after top-level value');
    if (char === close) return this.#close();
    if (char === ',') return this.#past(close === '}' ? 'key' : 'value');
    return invalid(byte, close === '}' ? 'after object key:value pair' : 'after array element');
  }

  #value(byte: number, char: string): Expecting | Wrong {
    if (char === '{') return this.#begin('}', 'first key');
    if (char === '[') return this.#begin(']', 'first value');
    if (byte === QUOTE) return this.#string() ?? 'more';
    const word = LITERALS.get(byte);
    if (word !== undefined) return this.#literal(word) ?? 'more';
    if (char === '-' || isDigit(byte)) return this.#number() ?? 'more';
    return invalid(byte, 'looking for beginning of value');
  }

  #begin(close: string, expecting: Expecting): Expecting {
    this.#open.push(close);
    return this.#past(expecting);
  }

  #close(): Expecting {
    this.#open.pop();
    return this.#past('more');
  }

  #past(expecting: Expecting): Expecting {
    this.#at += 1;
    return expecting;
  }

  #string(): Wrong | undefined {
    for (this.#at += 1; ; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return { problem: END };
      if (byte < SPACE) return invalid(byte, 'in string literal');
      if (byte === BACKSLASH) {
        const wrong = this.#escape();
        if (wrong !== undefined) return wrong;
      }
      if (byte === QUOTE) {
        this.#at += 1;
        return undefined;
      }
    }
  }

  /** Ends on the last byte of the escape. */
  #escape(): Wrong | undefined {
    this.#at += 1;
    const byte = this.#bytes[this.#at];
    if (byte === undefined) return { problem: END };
    const char = String.fromCharCode(byte);
    if (ESCAPES.includes(char)) return undefined;
    if (char !== 'u') return invalid(byte, 'in string escape code');
    for (let digit = 0; digit < 4; digit += 1) {
      this.#at += 1;
      const hex = this.#bytes[this.#at];
      if (hex === undefined) return { problem: END };
      if (!/[0-9a-f]/i.test(String.fromCharCode(hex))) {
        return invalid(hex, 'in \\u hexadecimal character escape');
      }
    }
    return undefined;
  }

  #literal(word: string): Wrong | undefined {
    for (const char of word) {
      // At the end Go's scanner looks at a space.
      const byte = this.#bytes[this.#at] ?? SPACE;
      if (byte !== char.charCodeAt(0)) {
        return invalid(byte, `in literal ${word} (expecting '${char}')`);
      }
      this.#at += 1;
    }
    return undefined;
  }

  #number(): Wrong | undefined {
    if (this.#is('-')) this.#at += 1;
    const isZero = this.#is('0');
    const wrong = isZero ? undefined : this.#digits('in numeric literal');
    if (wrong !== undefined) return wrong;
    if (isZero) this.#at += 1;
    if (this.#is('.')) {
      this.#at += 1;
      const problem = this.#digits('after decimal point in numeric literal');
      if (problem !== undefined) return problem;
    }
    if (!this.#is('e') && !this.#is('E')) return undefined;
    this.#at += 1;
    if (this.#is('+') || this.#is('-')) this.#at += 1;
    return this.#digits('in exponent of numeric literal');
  }

  /** One or more. */
  #digits(where: string): Wrong | undefined {
    const first = this.#bytes[this.#at] ?? SPACE;
    if (!isDigit(first)) return invalid(first, where);
    while (isDigit(this.#bytes[this.#at] ?? SPACE)) this.#at += 1;
    return undefined;
  }

  #is(char: string): boolean {
    return this.#bytes[this.#at] === char.charCodeAt(0);
  }

  #skipWhite(): void {
    while (WHITE.has(this.#bytes[this.#at] ?? 0)) this.#at += 1;
  }
}

interface Wrong {
  readonly problem: string;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Go shows the byte, not the character that it may be a part of. */
function invalid(byte: number, where: string): Wrong {
  const char = String.fromCharCode(byte);
  const shown = char === "'" ? "\\'" : char === '"' ? '"' : goQuote(char).slice(1, -1);
  return { problem: `invalid character '${shown}' ${where}` };
}
