/**
 * `/logs/`: the files below `/var/log` of the machine, where `--enable-logs-handler` says so: directories
 * as pages of links, files as they are, whole or a range of them. A user that may read the path may read
 * each file that this process can; links of the file system are followed, as by upstream.
 *
 * In Kubernetes: pkg/routes/logs.go, which is http.ServeFile of Go.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';

import { type Answer, statusAnswer, type StreamAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { routedAccept } from '../../actors/request/routed-media.ts';
import { methodNotAllowed } from '../../api/meta/status.ts';
import { HTML, type Route, textAnswer } from './route.ts';

/** Where the route lies; it is listed at `/`. */
export const LOG_FILES_PATH = '/logs';

const CHUNK_BYTES = 65_536;
/** So many bytes tell whether a file is text. */
const SNIFFED_BYTES = 512;
/** To open a pipe without a writer must not wait for one. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** Serves the folder, and knows nothing where there is none. */
export function logFilesRoute(folder: string | undefined): Route {
  return (request) => {
    const { path, at } = request.info;
    if (folder === undefined || at !== '') return undefined;
    if (path !== LOG_FILES_PATH && !path.startsWith(`${LOG_FILES_PATH}/`)) return undefined;
    if (request.method !== 'GET') return statusAnswer(methodNotAllowed());
    // The route names no types of its own, so only a client that takes anything is given a file.
    const unaccepted = routedAccept(request.headers, []);
    if (unaccepted !== undefined) return statusAnswer(unaccepted);
    if (path.split(/[/\\]/).includes('..')) return textAnswer(400, 'invalid URL path\n');
    if (path.endsWith('/index.html')) return movedTo('./', request);
    const name = join(folder, path.slice(LOG_FILES_PATH.length));
    return answerOf(name, request).catch(refusal);
  };
}

async function answerOf(name: string, request: AuthenticatedRequest): Promise<Answer> {
  const file = await open(name.length > 1 ? name.replace(/\/$/, '') : name, READ);
  let isRead = false;
  try {
    const stats = await file.stat();
    if (!stats.isDirectory()) {
      if (!stats.isFile()) return textAnswer(403, '403 Forbidden\n');
      const answer = await fileAnswer(name, file, stats, request);
      isRead = answer.kind === 'Stream';
      return answer;
    }
    const { path } = request.info;
    if (!path.endsWith('/')) return movedTo(`${posix.basename(path)}/`, request);
    if (isUnchanged(request, stats)) return unchanged(stats);
    return await directoryAnswer(name, stats);
  } finally {
    if (!isRead) await file.close();
  }
}

/** In words that tell nothing of the machine. */
function refusal(error: unknown): Answer {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ERR_INVALID_ARG_VALUE': // A zero byte.
      return textAnswer(404, '404 page not found\n');
    case 'ENAMETOOLONG':
      return textAnswer(404, 'file not found\n');
    case 'EACCES':
    case 'EPERM':
      return textAnswer(403, '403 Forbidden\n');
    default:
      return textAnswer(500, '500 Internal Server Error\n');
  }
}

function movedTo(place: string, { query }: AuthenticatedRequest): Answer {
  const Location = query === '' ? place : `${place}?${query}`;
  return { kind: 'Document', code: 301, headers: { Location }, body: Buffer.alloc(0) };
}

const SHOWN: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

async function directoryAnswer(name: string, stats: Stats): Promise<Answer> {
  const entries = await readdir(name, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const links = names.sort().map((one) => `<a href="${linkOf(one)}">${escaped(one)}</a>\n`);
  const page = [
    '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n',
    ...links,
    '</pre>\n',
  ];
  const headers = { 'Content-Type': HTML, 'Last-Modified': stats.mtime.toUTCString() };
  return { kind: 'Document', code: 200, headers, body: Buffer.from(page.join('')) };
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => SHOWN[sign] ?? '');
}

/** A name with a colon in front of the first slash would be read as a scheme. */
function linkOf(name: string): string {
  const path = encodeURI(name).replaceAll(
    /[?#'!*()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return name.includes(':') ? `./${path}` : path;
}

/** `Last-Modified` has whole seconds. */
function isUnchanged({ headers }: AuthenticatedRequest, { mtimeMs }: Stats): boolean {
  const since = Date.parse(String(headers['if-modified-since'] ?? ''));
  return Math.floor(mtimeMs / 1_000) * 1_000 <= since;
}

function unchanged(stats: Stats): Answer {
  const headers = { 'Last-Modified': stats.mtime.toUTCString() };
  return { kind: 'Document', code: 304, headers, body: Buffer.alloc(0) };
}

async function fileAnswer(
  name: string,
  file: FileHandle,
  stats: Stats,
  request: AuthenticatedRequest,
): Promise<Answer> {
  if (isUnchanged(request, stats)) return unchanged(stats);
  const range = rangeIn(request, stats);
  if (range === 'outside') {
    const refused = textAnswer(416, 'invalid range: failed to overlap\n');
    const headers = { ...refused.headers, 'Content-Range': `bytes */${String(stats.size)}` };
    return { ...refused, headers };
  }
  const [from, to] = range ?? [0, stats.size - 1];
  const headers: Record<string, string> = {
    'Content-Type': await typeOf(name, file),
    'Content-Length': String(to - from + 1),
    'Last-Modified': stats.mtime.toUTCString(),
    'Accept-Ranges': 'bytes',
  };
  if (range !== undefined) {
    headers['Content-Range'] = `bytes ${String(from)}-${String(to)}/${String(stats.size)}`;
  }
  return {
    kind: 'Stream',
    code: range === undefined ? 200 : 206,
    headers,
    ...read(file, from, to),
  };
}

type Range = readonly [from: number, to: number];

/** undefined: all of it. Of several ranges the whole file is sent, which a server may do. */
function rangeIn({ headers }: AuthenticatedRequest, stats: Stats): Range | 'outside' | undefined {
  const [, first = '', last = ''] =
    /^bytes=(\d*)-(\d*)$/.exec(String(headers['range'] ?? '')) ?? [];
  const isSame =
    headers['if-range'] === undefined || headers['if-range'] === stats.mtime.toUTCString();
  if (first === last && first === '') return undefined;
  if (!isSame) return undefined;
  const end = stats.size - 1;
  if (first === '') {
    const from = Math.max(0, stats.size - Number(last));
    return from > end ? 'outside' : [from, end];
  }
  const [from, to] = [Number(first), last === '' ? end : Math.min(Number(last), end)];
  if (last !== '' && Number(last) < from) return undefined;
  return from > end ? 'outside' : [from, to];
}

const TYPES: Readonly<Record<string, string>> = {
  '.gz': 'application/gzip',
  '.json': 'application/json',
};

/** Text has no bytes that no text has, in what it begins with. Nothing is shown as a page. */
async function typeOf(name: string, file: FileHandle): Promise<string> {
  const known = TYPES[posix.extname(name)];
  if (known !== undefined) return known;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  const isBinary = buffer.subarray(0, bytesRead).some(isBinaryByte);
  return isBinary ? 'application/octet-stream' : 'text/plain; charset=utf-8';
}

/** Control characters without tab, line feed, form feed, carriage return and escape. */
function isBinaryByte(byte: number): boolean {
  return byte <= 8 || byte === 11 || (byte >= 14 && byte <= 26) || (byte >= 28 && byte <= 31);
}

/** A file that grows is sent as long as it was; one that becomes shorter ends the answer. */
function read(file: FileHandle, from: number, to: number): Pick<StreamAnswer, 'chunks'> {
  return {
    async *chunks(signal) {
      try {
        for (let place = from; place <= to && !signal.aborted;) {
          const sizeBytes = Math.min(CHUNK_BYTES, to + 1 - place);
          const { buffer, bytesRead } = await file.read(
            Buffer.alloc(sizeBytes),
            0,
            sizeBytes,
            place,
          );
          if (bytesRead === 0) throw new Error('the file has become shorter while it was sent');
          place += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await file.close();
      }
    },
  };
}
