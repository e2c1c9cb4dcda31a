/**
 * Knows users by tokens that the operator wrote into a file, one a line:
 * `token,user,uid` or `token,user,uid,"group1,group2"`.
 *
 * In Kubernetes: apiserver/pkg/authentication/token/tokenfile.
 */
import type { UserInfo } from '../request/request.ts';
import {
  identified,
  UNKNOWN,
  type Authentication,
  type TokenAuthenticator,
} from './authenticator.ts';
import { parseCsv, type CsvRecord } from './csv-records.ts';

export type ParsedTokenFile =
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

export function tokenFileAuthenticator(users: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  const answers = new Map<string, Authentication>();
  for (const [token, user] of users) answers.set(token, identified(user));
  return { authenticateToken: (token) => answers.get(token) ?? UNKNOWN };
}
