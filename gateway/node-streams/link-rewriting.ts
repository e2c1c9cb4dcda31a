/**
 * Links of a page that is reached through this server: those that begin at the root of the backend lead
 * to where the backend is here, `/api/v1/namespaces/NS/services/NAME/proxy`. A page passes tag by tag and
 * is not kept; links that need no change stay byte for byte.
 *
 * In Kubernetes: Transport, apimachinery/pkg/util/proxy, which keeps whole pages.
 */
import { Transform, type TransformCallback } from 'node:stream';

/** Where a page was found, and where its backend is here. */
export interface PagePlace {
  /** `/api/v1/namespaces/NS/services/NAME/proxy` */
  readonly prefix: string;
  /** `host:port` of the backend. */
  readonly backend: string;
  /** The `Host` that the client asked for. */
  readonly asked: string;
}

/** @returns the link as it has to be here; the same where it leads elsewhere, or is relative. */
export function rewrittenLink(link: string, { prefix, backend, asked }: PagePlace): string {
  const { scheme, host, path, rest } = partsOf(link);
  const isElsewhere = host !== '' && host !== backend && host !== asked;
  if (isElsewhere || !path.startsWith('/')) return link;
  const origin = host !== '' && host === asked ? `${scheme}//${host}` : '';
  if (path.startsWith(prefix)) return `${origin}${path}${rest}`;
  return `${origin}${prefix}${cleaned(path)}${rest}`;
}

/** A link taken apart; no host: it is about the same one. */
function partsOf(link: string) {
  const [origin = '', scheme = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:)?\/\//.exec(link) ?? [];
  const behind = link.slice(origin.length);
  const host = origin === '' ? '' : upTo(behind, /[/?#]/);
  const path = upTo(behind.slice(host.length), /[?#]/);
  return { scheme, host, path, rest: behind.slice(host.length + path.length) };
}

function upTo(text: string, end: RegExp): string {
  const at = text.search(end);
  return at < 0 ? text : text.slice(0, at);
}

/** In Go: path.Join, and the slash at the end again. */
function cleaned(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const joined = kept.length === 0 ? '' : `/${kept.join('/')}`;
  return path.endsWith('/') ? `${joined}/` : joined;
}

/** Which attributes of which elements are links: HTML 4.01 and 5. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Up to their end tags these hold text, whatever it looks like. */
const RAW_TEXT: ReadonlySet<string> = new Set([
  ...['iframe', 'noembed', 'noframes', 'noscript', 'script', 'style', 'textarea', 'title', 'xmp'],
]);
/** A longer tag passes as it is. */
const TAG_MAX = 16 * 1024;

/** Passes a page on and changes its links. Bytes are taken as Latin-1, so that all of them survive. */
export class LinkRewriter extends Transform {
  readonly #place: PagePlace;
  /** What has come of a tag, a comment or an end tag that is not whole yet. */
  #held = '';
  /** The element whose text this is; '' outside of such. */
  #rawText = '';

  constructor(place: PagePlace) {
    super();
    this.#place = place;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#held + chunk.toString('latin1');
    const whole = this.#rewriteWhole(text);
    this.#held = text.slice(whole.taken);
    done(null, Buffer.from(whole.text, 'latin1'));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.#held, 'latin1'));
  }

  /** All of the text up to a tag that is not whole. */
  #rewriteWhole(text: string): { readonly text: string; readonly taken: number } {
    const parts: string[] = [];
    let at = 0;
    while (at < text.length) {
      const open = this.#nextTag(text, at);
      if (open < 0) {
        // A `<` of an end tag may be the last that has come.
        const keep = this.#rawText === '' ? 0 : this.#rawText.length + 2;
        const until = Math.max(at, text.length - keep);
        parts.push(text.slice(at, until));
        return { text: parts.join(''), taken: until };
      }
      parts.push(text.slice(at, open));
      const end = endOfTag(text, open);
      if (end < 0 && text.length - open < TAG_MAX) return { text: parts.join(''), taken: open };
      const tag = text.slice(open, end < 0 ? text.length : end);
      parts.push(end < 0 ? tag : this.#rewriteTag(tag));
      at = open + tag.length;
    }
    return { text: parts.join(''), taken: at };
  }

  /** Where the next tag begins; inside of raw text only its own end counts. */
  #nextTag(text: string, from: number): number {
    if (this.#rawText === '') return text.indexOf('<', from);
    const wanted = `</${this.#rawText}`;
    for (let at = text.indexOf('</', from); at >= 0; at = text.indexOf('</', at + 1)) {
      if (text.slice(at, at + wanted.length).toLowerCase() === wanted) return at;
    }
    return -1;
  }

  #rewriteTag(tag: string): string {
    const name = (/^<([A-Za-z][A-Za-z0-9]{0,31})/.exec(tag)?.[1] ?? '').toLowerCase();
    if (tag.startsWith('</')) this.#rawText = '';
    else if (RAW_TEXT.has(name) && !tag.endsWith('/>')) this.#rawText = name;
    const links = Object.hasOwn(LINKS, name) ? (LINKS[name] ?? []) : [];
    return links.length === 0 ? tag : rewrittenTag(tag, links, this.#place);
  }
}

/** Behind its `>`; -1 where that has not come. What is no tag ends behind its `<`. */
function endOfTag(text: string, open: number): number {
  if (text.startsWith('<!--', open)) {
    const end = text.indexOf('-->', open + 4);
    return end < 0 ? -1 : end + 3;
  }
  const next = text[open + 1];
  if (next === undefined) return -1;
  if (!/[A-Za-z/!?]/.test(next)) return open + 1;
  let quote = '';
  for (let at = open + 1; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '>') return at + 1;
    else if ((sign === '"' || sign === "'") && text[at - 1] === '=') quote = sign;
  }
  return -1;
}

const SPACE = ' \t\n\r\f';

function rewrittenTag(tag: string, links: readonly string[], place: PagePlace): string {
  let written = '';
  let copied = 0;
  let at = 0;
  while (at < tag.length) {
    const equals = tag.indexOf('=', at);
    if (equals < 0) break;
    const name = nameBefore(tag, equals);
    const { from, to } = valueBehind(tag, equals + 1);
    if (links.includes(name)) {
      const link = Buffer.from(tag.slice(from, to), 'latin1').toString();
      const better = Buffer.from(rewrittenLink(link, place)).toString('latin1');
      written += tag.slice(copied, from) + better;
      copied = to;
    }
    at = to + 1;
  }
  return written + tag.slice(copied);
}

function nameBefore(tag: string, equals: number): string {
  let end = equals;
  while (end > 0 && SPACE.includes(tag[end - 1] ?? '')) end -= 1;
  let start = end;
  while (
    start > 0 &&
    !SPACE.includes(tag[start - 1] ?? '') &&
    !'/"\''.includes(tag[start - 1] ?? '')
  ) {
    start -= 1;
  }
  return tag.slice(start, end).toLowerCase();
}

function valueBehind(tag: string, start: number): { readonly from: number; readonly to: number } {
  let from = start;
  while (SPACE.includes(tag[from] ?? '>')) from += 1;
  const quote = tag[from] ?? '';
  if (quote === '"' || quote === "'") {
    const end = tag.indexOf(quote, from + 1);
    return { from: from + 1, to: end < 0 ? tag.length : end };
  }
  let to = from;
  while (to < tag.length && !SPACE.includes(tag[to] ?? '') && tag[to] !== '>') to += 1;
  return { from, to };
}
