/**
 * Writes the headers of answers and requests. Fields that come again are named by a number; those whose values are
 * hardly ever the same twice are written out, as is all text: see huffman.ts.
 *
 * In the RFCs: RFC 7541, section 6.
 */
import { DynamicTable, STATIC_FIELDS, STATIC_MAX, TABLE_BYTES } from './header-table.ts';
import type { AnswerHeaders } from '../responses/exchange.ts';

/** Not worth a place in the table: their values are those of one answer or request, or a secret of one client. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  ...['content-length', 'audit-id', 'location', 'etag', 'last-modified', 'set-cookie', 'warning'],
  ...[':path', 'x-forwarded-uri', 'if-none-match', 'traceparent', 'cookie'],
]);
/** HTTP/2 has no such headers: RFC 9113, section 8.2.2. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'],
]);
/** Names are the server's own, but for those of clients and servers that it passes on. */
const NAMES_MAX = 512;
const NAME_CHARACTERS_MAX = 128;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** As Go reads a value that may be sent; what is not Latin-1 has no bytes. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A value in the dynamic table, and how many there were before it. */
interface Added {
  readonly value: string;
  readonly added: number;
}

interface Name {
  readonly text: string;
  /** In the static table; 0: it is not there. */
  readonly number: number;
  readonly isKept: boolean;
  readonly isDate: boolean;
  /** The value in the dynamic table that was added last, and how many there were before it. */
  value: string;
  added: number;
  /** Those that were added before it, where a name has several, as the groups of a user. */
  older: readonly Added[] | undefined;
}

/** Longer ago than anything that a table holds. */
const NEVER = -1 - TABLE_BYTES;
const NEW_NAME = { value: '', added: NEVER, older: undefined };
/** What is remembered of a name besides its last value. */
const OLDER_MAX = 8;
const OLDER_CHARACTERS_MAX = 128;
/** Names that a request has before its headers. */
const PSEUDO: ReadonlySet<string> = new Set([
  ...[':status', ':method', ':scheme', ':authority', ':path'],
]);
const COLON = 0x3a;

const STATIC_NAMES: ReadonlyMap<string, number> = new Map(
  STATIC_FIELDS.map(([name], number) => [name, number] as const).reverse(),
);
const STATUSES: ReadonlyMap<number, number> = new Map(
  STATIC_FIELDS.flatMap(([name, value], number) =>
    name === ':status' ? [[Number(value), number] as const] : [],
  ),
);

export class HpackEncoder {
  readonly #table = new DynamicTable();
  /** By how a name is spelt. */
  readonly #names = new Map<string, Name | undefined>();
  #target: Buffer = Buffer.allocUnsafe(4_096);
  #at = 0;
  /** The smallest size that its table had since the last block; undefined: it is as it was. */
  #smallest: number | undefined;
  #isDated = false;

  /**
   * A client that hears of two sizes empties its table in between, since Go reads a second one only
   * while its table is empty.
   *
   * @param maxBytes as the client allows it.
   */
  resize(maxBytes: number): void {
    const bytes = Math.min(maxBytes, TABLE_BYTES);
    const isLarger = this.#smallest !== undefined && bytes > this.#smallest;
    if (isLarger) this.#table.resize(0);
    this.#table.resize(bytes);
    this.#smallest = isLarger ? 0 : bytes;
  }

  /**
   * The block, which is good until the next one is asked for. What cannot be sent as a header is left
   * out, as Go does.
   *
   * @param date for a head that has none; '': it gets none.
   */
  encode(code: number, headers: AnswerHeaders, date: string): Buffer {
    this.#at = 0;
    this.#isDated = date === '';
    this.#resized();
    const status = STATUSES.get(code);
    if (status === undefined) this.#field(':status', String(code));
    else this.#integer(0x80, 0x7f, status);
    for (const name in headers) {
      const value = headers[name];
      if (Array.isArray(value)) for (const one of value) this.#field(name, one);
      else if (value !== undefined) this.#field(name, String(value));
    }
    if (!this.#isDated) this.#field('date', date);
    return this.#target.subarray(0, this.#at);
  }

  /**
   * The block of a request, as {@link encode} makes that of an answer.
   *
   * @param headers names and values by turns, none of which can be taken for a pseudo-header.
   */
  encodeRequest(
    { method, scheme, authority, path }: RequestLine,
    headers: readonly string[],
  ): Buffer {
    this.#at = 0;
    this.#resized();
    this.#field(':method', method);
    this.#field(':scheme', scheme);
    this.#field(':authority', authority);
    this.#field(':path', path);
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const name = headers[at] as string;
      if (name.charCodeAt(0) !== COLON) this.#field(name, headers[at + 1] as string);
    }
    return this.#target.subarray(0, this.#at);
  }

  #resized(): void {
    if (this.#smallest === undefined) return;
    const { maxBytes } = this.#table;
    if (this.#smallest < maxBytes) this.#integer(0x20, 0x1f, this.#smallest);
    this.#integer(0x20, 0x1f, maxBytes);
    this.#smallest = undefined;
  }

  #field(spelt: string, value: string): void {
    const name = this.#names.get(spelt) ?? this.#learn(spelt);
    if (name === undefined) return;
    if (name.isDate) this.#isDated = true;
    this.#room(name.text.length + value.length);
    const table = this.#table;
    if (name.isKept) {
      const number = table.added - 1 - addedAt(name, value);
      if (number < table.count) {
        this.#integer(0x80, 0x7f, STATIC_MAX + 1 + number);
        return;
      }
    }
    if (!VALUE.test(value)) return;
    if (name.isKept) this.#integer(0x40, 0x3f, name.number);
    else this.#integer(0x00, 0x0f, name.number);
    if (name.number === 0) this.#string(name.text);
    this.#string(value);
    if (!name.isKept) return;
    this.#remember(name);
    const { added } = table;
    table.add(name.text, value);
    // Where it was too large nothing in the table has this number, now or later.
    const isThere = table.added > added;
    name.value = isThere ? value : '';
    name.added = isThere ? added : NEVER;
  }

  /** Its last value is about to be another one. */
  #remember(name: Name): void {
    const { value, added, older } = name;
    const { count, added: all } = this.#table;
    if (all - 1 - added >= count || value.length > OLDER_CHARACTERS_MAX) return;
    const there = older?.filter((one) => all - 1 - one.added < count) ?? [];
    name.older = [...there, { value, added }].slice(-OLDER_MAX);
  }

  #learn(spelt: string): Name | undefined {
    const text = spelt.toLowerCase();
    const isSent = (PSEUDO.has(text) || NAME.test(text)) && !FORBIDDEN.has(text);
    const number = STATIC_NAMES.get(text) ?? 0;
    const name = isSent
      ? { text, number, isKept: !NOT_KEPT.has(text), isDate: text === 'date', ...NEW_NAME }
      : undefined;
    const isShort = spelt.length <= NAME_CHARACTERS_MAX;
    if (isShort && this.#names.size < NAMES_MAX) this.#names.set(spelt, name);
    return name;
  }

  #string(text: string): void {
    this.#integer(0, 0x7f, text.length);
    this.#at += this.#target.write(text, this.#at, 'latin1');
  }

  #integer(first: number, mask: number, value: number): void {
    const target = this.#target;
    if (value < mask) {
      target[this.#at++] = first | value;
      return;
    }
    target[this.#at++] = first | mask;
    let rest = value - mask;
    for (; rest >= 0x80; rest >>>= 7) target[this.#at++] = (rest & 0x7f) | 0x80;
    target[this.#at++] = rest;
  }

  /** For a name and a value, and as many bytes as the numbers before them can take. */
  #room(bytes: number): void {
    const needed = this.#at + bytes + 64;
    if (needed <= this.#target.length) return;
    const larger = Buffer.allocUnsafe(2 * needed);
    this.#target.copy(larger, 0, 0, this.#at);
    this.#target = larger;
  }
}

/** How many there were in the table before the value; it may be there no more. */
function addedAt(name: Name, value: string): number {
  if (name.value === value) return name.added;
  const { older } = name;
  if (older !== undefined) for (const one of older) if (one.value === value) return one.added;
  return NEVER;
}

/** What a request says before its headers. */
export interface RequestLine {
  /** In upper case. */
  readonly method: string;
  /** `http`: without TLS. */
  readonly scheme: 'http' | 'https';
  /** `host:port` */
  readonly authority: string;
  /** With its query. */
  readonly path: string;
}
