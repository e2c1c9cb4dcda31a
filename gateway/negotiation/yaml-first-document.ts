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
