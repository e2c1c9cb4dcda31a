/** Where the first document of a YAML text ends, which is the only one that is read. */
import type { CST, LineCounter } from 'yaml';
import { YamlError } from './yaml-error.ts';

/** How the package says that no document is open any more. */
const BETWEEN_DOCUMENTS = 'in YAML stream';

/**
 * Knows how far the first document goes. What stands behind a document and belongs to none makes
 * the package note an error, for each of as many words as there are, and go on: the document would
 * be taken without what follows. Go refuses it, and reads nothing of the documents behind it.
 */
export class FirstDocument {
  readonly #lines: LineCounter;
  #hasCome = false;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  /**
   * Whether nothing more of it comes.
   *
   * @throws YamlError when the token is one that is out of place.
   */
  isOver(token: CST.Token): boolean {
    if (token.type === 'error') return this.#isOfNext(token);
    const isBehind = token.type === 'doc-end' || token.type === 'document';
    if (isBehind && this.#hasCome) return true;
    this.#hasCome ||= token.type === 'document';
    return false;
  }

  #isOfNext({ message, offset }: CST.ErrorToken): boolean {
    if (this.#hasCome && !message.endsWith(BETWEEN_DOCUMENTS)) return true;
    const why = message.charAt(0).toLowerCase() + message.slice(1);
    throw new YamlError(`yaml: line ${String(this.#lines.linePos(offset).line)}: ${why}`);
  }
}

/** What may stand in front of a document's content: white space, comments, directives, marks, anchors and tags. */
const BEFORE_CONTENT = /^(?:[\s\u0002\ufeff#%&!]|---$)/;
const QUOTED = /^["']/;

/**
 * Knows where a document ends that shows by itself where: a map in braces, a list in brackets, a text in quotes. What
 * stands behind it belongs to the next one, so Go does not read it, and the package would put it together with the first. A colon
 * behind it, in the same line, makes it the key of a map, whose end does not show so.
 *
 * Go looks one word further, and refuses the document where that is none.
 */
export class ClosedDocument {
  /** How many brackets are open; undefined: its end does not show. */
  #depth: number | undefined = 0;
  #state: 'before' | 'within' | 'behind' = 'before';

  /** Whether the document is over in front of this lexeme. */
  isOver(lexeme: string): boolean {
    if (this.#depth === undefined) return false;
    if (this.#state === 'behind') return this.#isNext(lexeme);
    if (this.#state === 'before' && BEFORE_CONTENT.test(lexeme)) return false;
    this.#read(lexeme);
    return false;
  }

  #read(lexeme: string): void {
    const depth = (this.#depth ?? 0) + stepOf(lexeme);
    const isClosed = depth === 0 && (this.#state === 'within' || QUOTED.test(lexeme));
    if (isClosed) this.#state = 'behind';
    else if (depth > 0) this.#state = 'within';
    this.#depth = isClosed || depth > 0 ? depth : undefined;
  }

  #isNext(lexeme: string): boolean {
    if (/^[ \t]+$/.test(lexeme)) return false;
    if (lexeme !== ':') return true;
    this.#depth = undefined;
    return false;
  }
}

/** A plain text is announced by a character of its own, so none of these lexemes is one. */
function stepOf(lexeme: string): number {
  if (lexeme === '{' || lexeme === '[') return 1;
  return lexeme === '}' || lexeme === ']' ? -1 : 0;
}
