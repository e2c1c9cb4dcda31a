/**
 * Reads a Go composite literal as plain data: structs and maps become objects, slices arrays.
 * Only what openapi-gen writes is understood; a call becomes its own source text.
 */

export type GoLiteral = string | number | boolean | null | GoLiteral[] | GoObject;

export interface GoObject {
  readonly [key: string]: GoLiteral;
}

const TOKEN = /\s+|\/\/[^\n]*|"(?:[^"\\]|\\.)*"|`[^`]*`|-?\d[\w.]*|[\w.]+|./gy;

/** `source` from `start` on must begin with a composite literal; what follows it is not looked at. */
export function parseGoLiteral(source: string, start: number): GoLiteral {
  return new LiteralParser(source, start).value();
}

export function goObjectAt(parent: GoLiteral | undefined, key: string): GoObject | undefined {
  if (!isGoObject(parent)) return undefined;
  const value = parent[key];
  return isGoObject(value) ? value : undefined;
}

export function isGoObject(value: GoLiteral | undefined): value is GoObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class LiteralParser {
  readonly #source: string;
  #next = '';
  #position: number;

  constructor(source: string, start: number) {
    this.#source = source;
    this.#position = start;
    this.#advance();
  }

  value(): GoLiteral {
    if (this.#next === '&') this.#advance();
    const head = this.#next;
    if (head.startsWith('"')) return JSON.parse(this.#take()) as string;
    if (head.startsWith('`')) return this.#take().slice(1, -1);
    if (/^-?\d/.test(head)) return Number(this.#take());
    if (head === 'true' || head === 'false') return this.#take() === 'true';
    if (head === 'nil') return this.#taken(null);
    const type = this.#type();
    return this.#next === '{' ? this.#composite(type) : this.#call(type);
  }

  /** `map[string]spec.Schema`, `[]string`, `spec.Schema`, or nothing where Go lets it out. */
  #type(): string {
    let type = '';
    while (this.#next !== '{' && this.#next !== '(' && this.#next !== ',') {
      if (this.#next === '') throw new Error(`unexpected end after ${type}`);
      type += this.#take();
      if (type.endsWith('interface')) type += this.#take() + this.#take();
    }
    return type;
  }

  #composite(type: string): GoLiteral {
    this.#expect('{');
    const items: GoLiteral[] = [];
    const entries: [string, GoLiteral][] = [];
    while (this.#next !== '}') {
      const first = this.#elementKeyOrValue();
      if (this.#next === ':') {
        this.#advance();
        entries.push([typeof first === 'string' ? first : JSON.stringify(first), this.value()]);
      } else {
        items.push(first);
      }
      if (this.#next === ',') this.#advance();
    }
    this.#expect('}');
    if (this.#next.startsWith('.')) return this.#call(type + this.#take());
    return type.startsWith('[]') ? items : Object.fromEntries(entries);
  }

  /** A struct's field name is a bare word, which is no value. */
  #elementKeyOrValue(): GoLiteral {
    if (/^[A-Z]\w*$/.test(this.#next)) return this.#take();
    return this.value();
  }

  #call(callee: string): GoLiteral {
    if (this.#next !== '(') return callee;
    let text = callee;
    let depth = 0;
    do {
      const token = this.#take();
      if (token === '(') depth++;
      if (token === ')') depth--;
      text += token;
    } while (depth > 0);
    return text;
  }

  #expect(token: string): void {
    if (this.#next !== token) throw new Error(`wanted ${token} and met ${this.#next}`);
    this.#advance();
  }

  #taken<T>(value: T): T {
    this.#advance();
    return value;
  }

  #take(): string {
    return this.#taken(this.#next);
  }

  #advance(): void {
    for (;;) {
      TOKEN.lastIndex = this.#position;
      const match = TOKEN.exec(this.#source);
      this.#next = match?.[0] ?? '';
      this.#position += this.#next.length;
      if (match === null || !/^(\s|\/\/)/.test(this.#next)) return;
    }
  }
}
