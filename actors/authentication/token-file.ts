/**
 * Knows users by tokens that the operator wrote into a file, one a line: `token,user,uid` or
 * `token,user,uid,"group1,group2"`. Lines are read as Go's encoding/csv does: `"` quotes a field, `""`
 * in it is a quote, a quoted field may span lines, empty lines are passed over.
 *
 * In Kubernetes: apiserver/pkg/authentication/token/tokenfile.
 */
import type { UserInfo } from '../request/request.ts';
import {
  type Authentication,
  identified,
  type TokenAuthenticator,
  UNKNOWN,
} from './authenticator.ts';

interface CsvRecord {
  /** Of its first character; the first line is 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

type ParsedCsv =
  | { readonly ok: true; readonly records: readonly CsvRecord[] }
  | { readonly ok: false; readonly line: number; readonly problem: string };

export function parseCsv(text: string): ParsedCsv {
  const records: CsvRecord[] = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    const end = endOfLine(text, at);
    if (isBlank(text, at, end)) {
      at = end + 1;
      line += 1;
      continue;
    }
    const record = readRecord(text, at);
    if (!record.ok) return { ok: false, line, problem: record.problem };
    records.push({ line, fields: record.fields });
    line += linesIn(text, at, record.next);
    at = record.next;
  }
  return { ok: true, records };
}

type ReadRecord =
  | { readonly ok: true; readonly fields: string[]; readonly next: number }
  | { readonly ok: false; readonly problem: string };

function readRecord(text: string, start: number): ReadRecord {
  const fields: string[] = [];
  for (let at = start; ;) {
    const field = text[at] === '"' ? readQuoted(text, at + 1) : readBare(text, at);
    if (!field.ok) return field;
    fields.push(field.value);
    if (text[field.next] !== ',') return { ok: true, fields, next: field.next + 1 };
    at = field.next + 1;
  }
}

type ReadField =
  | { readonly ok: true; readonly value: string; readonly next: number }
  | { readonly ok: false; readonly problem: string };

function readBare(text: string, start: number): ReadField {
  const lineEnd = endOfLine(text, start);
  const comma = text.indexOf(',', start);
  const next = comma >= 0 && comma < lineEnd ? comma : lineEnd;
  const value = text.slice(start, next === lineEnd ? withoutReturn(text, start, next) : next);
  if (value.includes('"')) return { ok: false, problem: 'bare " in non-quoted field' };
  return { ok: true, value, next };
}

/** `start` is behind the opening quote. */
function readQuoted(text: string, start: number): ReadField {
  let value = '';
  for (let at = start; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { ok: false, problem: 'extraneous or missing " in quoted field' };
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return endOfQuoted(text, quote + 1, value);
    value += '"';
    at = quote + 2;
  }
}

function endOfQuoted(text: string, behind: number, value: string): ReadField {
  const next = text[behind] === '\r' && text[behind + 1] === '\n' ? behind + 1 : behind;
  const isOver = next >= text.length || text[next] === ',' || text[next] === '\n';
  if (!isOver) return { ok: false, problem: 'extraneous or missing " in quoted field' };
  return { ok: true, value: value.replaceAll('\r\n', '\n'), next };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function withoutReturn(text: string, start: number, end: number): number {
  return end > start && text[end - 1] === '\r' ? end - 1 : end;
}

function isBlank(text: string, start: number, end: number): boolean {
  return withoutReturn(text, start, end) === start;
}

function linesIn(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = start; at < end && at < text.length; at += 1) if (text[at] === '\n') lines += 1;
  return lines;
}

type ParsedTokenFile =
  | {
      readonly ok: true;
      readonly users: ReadonlyMap<string, UserInfo>;
      /** Lines that had no effect, in words for the log. Never a token in them. */
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

const COLUMNS_MIN = 3;

/** The problem names the line: `line 3: must have at least 3 columns …`. */
export function parseTokenFile(text: string): ParsedTokenFile {
  const csv = parseCsv(text);
  if (!csv.ok) return { ok: false, problem: `line ${String(csv.line)}: ${csv.problem}` };

  const users = new Map<string, UserInfo>();
  const warnings: string[] = [];
  for (const { line, fields } of csv.records) {
    const [token = ''] = fields;
    if (fields.length < COLUMNS_MIN) return { ok: false, problem: tooFewColumns(line, fields) };
    if (token === '') {
      warnings.push(`line ${String(line)}: empty token, the line is ignored`);
      continue;
    }
    if (users.has(token)) {
      warnings.push(`line ${String(line)}: duplicate token, the earlier line is ignored`);
    }
    users.set(token, userOf(fields));
  }
  return { ok: true, users, warnings };
}

function tooFewColumns(line: number, fields: CsvRecord['fields']): string {
  return (
    `line ${String(line)}: must have at least 3 columns (token, user name, user uid), ` +
    `found ${String(fields.length)}`
  );
}

function userOf([, name = '', uid = '', groups]: CsvRecord['fields']): UserInfo {
  return { name, uid, groups: groups === undefined ? [] : groups.split(','), extra: {} };
}

/** @param users by token, as {@link parseTokenFile} gives them. */
export function tokenFileAuthenticator(users: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  const answers = new Map<string, Authentication>();
  for (const [token, user] of users) answers.set(token, identified(user));
  return { authenticateToken: (token) => answers.get(token) ?? UNKNOWN };
}
