/**
 * The tables of HPACK by which headers are named with a number: one that is the same for all, and
 * behind it the fields that were sent last on the connection.
 *
 * In the RFCs: RFC 7541, sections 2.3 and 4, appendix A.
 */

/** By number; the first is 1. A field without a value has a name only. */
export const STATIC_FIELDS: readonly (readonly [name: string, value: string])[] = [
  ['', ''],
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  ...['200', '204', '206', '304', '400', '404', '500'].map((code) => [':status', code] as const),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...[
    ...['accept-language', 'accept-ranges', 'accept', 'access-control-allow-origin', 'age'],
    ...['allow', 'authorization', 'cache-control', 'content-disposition', 'content-encoding'],
    ...['content-language', 'content-length', 'content-location', 'content-range'],
    ...['content-type', 'cookie', 'date', 'etag', 'expect', 'expires', 'from', 'host', 'if-match'],
    ...['if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since'],
    ...['last-modified', 'link', 'location', 'max-forwards', 'proxy-authenticate'],
    ...['proxy-authorization', 'range', 'referer', 'refresh', 'retry-after', 'server'],
    ...['set-cookie', 'strict-transport-security', 'transfer-encoding', 'user-agent', 'vary'],
    ...['via', 'www-authenticate'],
  ].map((name) => [name, ''] as const),
];

/** The number of the last of them. */
export const STATIC_MAX = STATIC_FIELDS.length - 1;

/** What a field counts besides its name and value. */
export const FIELD_OVERHEAD_BYTES = 32;
/** The size that a table has before either side says otherwise, and that none exceeds here. */
export const TABLE_BYTES = 4_096;
/** Places for as many fields as fit; a power of two. */
const PLACES = TABLE_BYTES / FIELD_OVERHEAD_BYTES;

/** The fields that were sent last, of which the newest has the number 0. */
export class DynamicTable {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  readonly #malformed: boolean[] = [];
  /** How many fields were ever added. */
  added = 0;
  count = 0;
  #sizeBytes = 0;
  #maxBytes = TABLE_BYTES;

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** @param maxBytes at most {@link TABLE_BYTES}. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evict(0);
  }

  /** undefined: there is none. */
  name(number: number): string | undefined {
    return number < this.count ? this.#names[this.#place(number)] : undefined;
  }

  value(number: number): string {
    return this.#values[this.#place(number)] ?? '';
  }

  /** Whether it was added as a field that no request may have. */
  isMalformed(number: number): boolean {
    return this.#malformed[this.#place(number)] === true;
  }

  /** A field larger than the table empties it and is not in it. */
  add(name: string, value: string, isMalformed = false): void {
    const sizeBytes = name.length + value.length + FIELD_OVERHEAD_BYTES;
    this.#evict(sizeBytes);
    if (sizeBytes > this.#maxBytes) return;
    const place = this.added & (PLACES - 1);
    this.#names[place] = name;
    this.#values[place] = value;
    this.#malformed[place] = isMalformed;
    this.added += 1;
    this.count += 1;
    this.#sizeBytes += sizeBytes;
  }

  #place(number: number): number {
    return (this.added - 1 - number) & (PLACES - 1);
  }

  #evict(roomBytes: number): void {
    while (this.count > 0 && this.#sizeBytes + roomBytes > this.#maxBytes) {
      const place = this.#place(this.count - 1);
      const [name = '', value = ''] = [this.#names[place], this.#values[place]];
      this.#sizeBytes -= name.length + value.length + FIELD_OVERHEAD_BYTES;
      this.#names[place] = '';
      this.#values[place] = '';
      this.count -= 1;
    }
  }
}
