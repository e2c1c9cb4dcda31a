/**
 * The format `email`: an address with all that may stand around it in a message, such as
 * `"Jo" <jo@example.com> (at work)`.
 *
 * In Kubernetes: ParseAddress of Go's net/mail.
 */
import { isIpv4, isIpv6 } from './format-addresses.ts';

export function isEmail(text: string): boolean {
  return new AddressReader(text).readWhole();
}

const SPECIALS = '()<>[]:;@\\,"';
const ENCODED_WORD = /^=\?([^?]+)\?[bq]\?[^?]*\?=$/i;
const CHARSETS: readonly string[] = ['utf-8', 'us-ascii', 'iso-8859-1'];
const LEADING_ZERO = /(?:^|\.)0\d/;

/** Methods that read say whether they could; what they have read they have passed. */
class AddressReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readWhole(): boolean {
    const count = this.#readAddress(true);
    return count === 1 && this.#skipComments() && this.#isAtEnd();
  }

  /** How many addresses there were; undefined when they cannot be read. */
  #readAddress(mayBeGroup: boolean): number | undefined {
    this.#skipSpace();
    if (this.#isAtEnd()) return undefined;
    if (this.#readAddressItself()) {
      this.#skipSpace();
      return this.#peek() !== '(' || this.#readNameInComment() ? 1 : undefined;
    }
    if (this.#peek() !== '<' && !this.#readPhrase()) return undefined;
    this.#skipSpace();
    if (mayBeGroup && this.#consume(':')) return this.#readGroup();
    const isEnclosed = this.#consume('<') && this.#readAddressItself() && this.#consume('>');
    return isEnclosed ? 1 : undefined;
  }

  #readGroup(): number | undefined {
    let count = 0;
    this.#skipSpace();
    if (this.#consume(';')) return this.#skipComments() ? 0 : undefined;
    for (;;) {
      this.#skipSpace();
      if (this.#readAddress(false) === undefined || !this.#skipComments()) return undefined;
      count++;
      if (this.#consume(';')) return this.#skipComments() ? count : undefined;
      if (!this.#consume(',')) return undefined;
    }
  }

  /** Goes back to where it began when there is none. */
  #readAddressItself(): boolean {
    const begin = this.#at;
    const isRead = this.#readLocalPart() && this.#consume('@') && this.#readDomain();
    if (!isRead) this.#at = begin;
    return isRead;
  }

  #readLocalPart(): boolean {
    this.#skipSpace();
    if (this.#peek() !== '"') return this.#readDotted();
    const quoted = this.#readQuoted();
    return quoted !== undefined && quoted > 0;
  }

  #readDomain(): boolean {
    this.#skipSpace();
    return this.#peek() === '[' ? this.#readDomainLiteral() : this.#readDotted();
  }

  #readDomainLiteral(): boolean {
    const end = this.#text.indexOf(']', this.#at);
    if (end < 0) return false;
    const address = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    if (address.includes(':')) return isIpv6(address);
    return isIpv4(address) && !LEADING_ZERO.test(address);
  }

  #readDotted(): boolean {
    const atom = this.#readAtom();
    return atom !== '' && !atom.startsWith('.') && !atom.endsWith('.') && !atom.includes('..');
  }

  #readAtom(): string {
    const begin = this.#at;
    while (isAtomText(this.#peek())) this.#at++;
    return this.#text.slice(begin, this.#at);
  }

  /** Words up to one that is none; the first must be one. */
  #readPhrase(): boolean {
    for (let count = 0; ; count++) {
      if (count > 0 && !this.#skipComments()) return false;
      this.#skipSpace();
      if (this.#isAtEnd()) return true;
      if (!this.#readWord()) return count > 0;
    }
  }

  #readWord(): boolean {
    if (this.#peek() === '"') return this.#readQuoted() !== undefined;
    const atom = this.#readAtom();
    return atom !== '' && !hasUnknownCharset(atom);
  }

  /** How many characters stand between the quotes; undefined: it is none, and nothing is passed. */
  #readQuoted(): number | undefined {
    let count = 0;
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      let character = this.#text[at] ?? '';
      if (character === '"') {
        this.#at = at + 1;
        return count;
      }
      if (character === '\\') character = this.#text[++at] ?? '';
      if (!isVisible(character) && character !== ' ' && character !== '\t') return undefined;
      count++;
    }
    return undefined;
  }

  #readNameInComment(): boolean {
    const begin = ++this.#at;
    if (!this.#readRestOfComment()) return false;
    const words = this.#text.slice(begin, this.#at - 1).split(/[ \t]+/);
    return !words.some(hasUnknownCharset);
  }

  #skipComments(): boolean {
    this.#skipSpace();
    while (this.#consume('(')) {
      if (!this.#readRestOfComment()) return false;
      this.#skipSpace();
    }
    return true;
  }

  #readRestOfComment(): boolean {
    let depth = 1;
    for (; depth > 0 && !this.#isAtEnd(); this.#at++) {
      const character = this.#peek();
      if (character === '\\' && this.#at + 1 < this.#text.length) this.#at++;
      else if (character === '(') depth++;
      else if (character === ')') depth--;
    }
    return depth === 0;
  }

  #skipSpace(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at++;
  }

  #consume(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  /** '' at the end. */
  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }
}

function isVisible(character: string): boolean {
  return (character >= '!' && character <= '~') || character >= '\u0080';
}

function isAtomText(character: string): boolean {
  return isVisible(character) && !SPECIALS.includes(character);
}

/** Of a word as `=?utf-8?q?text?=`. */
function hasUnknownCharset(word: string): boolean {
  const charset = ENCODED_WORD.exec(word)?.[1];
  return charset !== undefined && !CHARSETS.includes(charset.toLowerCase());
}
