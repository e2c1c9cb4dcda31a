/** Reads the file of `--token-auth-file`. */
import { readFile } from 'node:fs/promises';
import { parseTokenFile } from '../../../actors/authentication/token-file.ts';
import type { UserInfo } from '../../../actors/request/request.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';

export interface TokenUsers {
  readonly users: ReadonlyMap<string, UserInfo>;
  /** For the log: lines that had no effect. */
  readonly warnings: readonly string[];
}

/** Nobody where there is no file. @throws StartupError that names the file and the line. */
export async function readTokenUsers(path: string | undefined): Promise<TokenUsers> {
  if (path === undefined) return { users: new Map(), warnings: [] };
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read --token-auth-file ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
  const parsed = parseTokenFile(text);
  if (!parsed.ok) throw new StartupError(`--token-auth-file ${path}: ${parsed.problem}`);
  return { users: parsed.users, warnings: parsed.warnings.map((one) => `${path}: ${one}`) };
}
