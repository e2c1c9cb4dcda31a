/**
 * `/everwatch/`: the files of the page, as `npm run build` left them beside the server. Any user may load
 * them (actors/request/page-paths.ts). The browser is told to run no script, and to ask no server, but
 * this one, and to show the page inside of no other.
 */
import { readdir, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Answer, DocumentAnswer } from '../../actors/request/answer.ts';
import { PAGE_FILES_PATH, PAGE_PATH, isPageRead } from '../../actors/request/page-paths.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { HTML, type Route } from './route.ts';

/** One file, as it leaves. */
export interface PageFile {
  /** As its name ends: `.js`, `.css`, `.html`. */
  readonly ending: string;
  /** As the build wrote it. */
  readonly plain: Buffer;
  /** The same by brotli, for clients that take it. */
  readonly brotli: Buffer;
}

/** By name, `index.html` among them; asked once, when the page is first loaded. */
export type PageFiles = () => Promise<ReadonlyMap<string, PageFile>>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML,
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** A name that changes with its content is asked for once. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const EACH_TIME = 'no-cache';

/** Answers GET and HEAD of the page and its files, and nothing else. */
export function pageRoute(files: PageFiles): Route {
  return (request) => {
    if (!isPageRead(request.info)) return undefined;
    const { path } = request.info;
    if (path !== PAGE_PATH && !path.startsWith(PAGE_FILES_PATH)) return REDIRECT;
    const name = path === PAGE_PATH ? INDEX : path.slice(PAGE_FILES_PATH.length);
    return files().then((known) => answerOf(known.get(name), name === INDEX, request));
  };
}

const INDEX = 'index.html';

const EMPTY = Buffer.alloc(0);

const REDIRECT: DocumentAnswer = {
  kind: 'Document',
  code: 301,
  headers: { Location: PAGE_PATH },
  body: EMPTY,
};

const MISSING: DocumentAnswer = {
  kind: 'Document',
  code: 404,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  body: Buffer.from('404 page not found\n'),
};

function answerOf(
  file: PageFile | undefined,
  isIndex: boolean,
  { headers, method }: AuthenticatedRequest,
): Answer {
  if (file === undefined) return MISSING;
  const tag = `"${createHash('sha256').update(file.plain).digest('base64url').slice(0, 22)}"`;
  const isKnown = headers['if-none-match'] === tag;
  const takesBrotli = /\bbr\b/.test(String(headers['accept-encoding'] ?? ''));
  const body = takesBrotli ? file.brotli : file.plain;
  const isEmpty = isKnown || method === 'HEAD';
  return {
    kind: 'Document',
    code: isKnown ? 304 : 200,
    headers: {
      ...HEADERS,
      ...(takesBrotli ? { 'Content-Encoding': 'br' } : {}),
      'Cache-Control': isIndex ? EACH_TIME : FOR_EVER,
      'Content-Type': TYPES[file.ending] ?? 'application/octet-stream',
      ETag: tag,
    },
    body: isEmpty ? EMPTY : body,
  };
}

/** Those of `dist/page`, beside the bundle that runs; none where nothing was built. */
export function builtPageFiles(
  folder = fileURLToPath(new URL('page/', import.meta.url)),
): PageFiles {
  let read: ReturnType<PageFiles> | undefined;
  return () => (read ??= readFiles(folder));
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const shown = names.filter((name) => names.includes(`${name}.br`));
  const files = shown.map(async (name): Promise<[string, PageFile]> => {
    const [plain, brotli] = await Promise.all(
      [name, `${name}.br`].map((one) => readFile(folder + one)),
    );
    const ending = name.slice(name.lastIndexOf('.'));
    return [name, { ending, plain: plain ?? EMPTY, brotli: brotli ?? EMPTY }];
  });
  return new Map(await Promise.all(files));
}
