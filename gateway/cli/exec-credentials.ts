/**
 * Credentials that a program prints, for users of a kubeconfig file with `exec`. It is run when they
 * are first needed, when they have expired, and after a server refused them with 401; meanwhile they
 * are kept. Requests that need them at the same time share one run.
 *
 * In Kubernetes: client-go/plugin/pkg/client/auth/exec.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

import type { Clock } from '../../api/meta/clock.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../api/meta/json.ts';
import { formatJson, parseJson } from '../../api/meta/json-text.ts';
import { pairProblem } from '../listener/certificate-pair.ts';
import { systemProblem } from './startup-error.ts';

export interface PrintedCredentials {
  /** '' for none. */
  readonly token: string;
  /** PEM, both or neither. */
  readonly cert: string;
  readonly key: string;
}

export interface ExecCredentialsParts {
  /** `exec` of a user. */
  readonly exec: JsonObject;
  /** From which a command with a slash in it is read. */
  readonly folder: string;
  readonly clock: Clock;
}

const GROUP = 'client.authentication.k8s.io';
const API_VERSIONS: readonly string[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const INFO = 'KUBERNETES_EXEC_INFO';
/** A program that hangs must not hold up requests for good; client-go would wait. */
const RUN_MS = 30_000;
const STDOUT_BYTES_MAX = 1_048_576;

/** What would keep every request from its credentials; undefined: nothing. */
export function execProblem(exec: JsonObject): string | undefined {
  const version = stringAt(exec, 'apiVersion');
  if (API_VERSIONS.includes(version)) return undefined;
  return `exec plugin: invalid apiVersion ${JSON.stringify(version)}`;
}

export class ExecCredentials {
  readonly #parts: ExecCredentialsParts;
  #kept: { readonly credentials: PrintedCredentials; readonly untilMs: number } | undefined;
  #running: Promise<PrintedCredentials> | undefined;

  constructor(parts: ExecCredentialsParts) {
    this.#parts = parts;
  }

  /** @throws Error in client-go's words, where the program prints none. */
  get(): Promise<PrintedCredentials> {
    const kept = this.#kept;
    if (kept !== undefined && this.#parts.clock.now() <= kept.untilMs) {
      return Promise.resolve(kept.credentials);
    }
    this.#running ??= this.#refresh().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** A server did not take them: the program is run again at the next need. */
  refused(credentials: PrintedCredentials): void {
    if (this.#kept?.credentials === credentials) this.#kept = undefined;
  }

  async #refresh(): Promise<PrintedCredentials> {
    const { exec } = this.#parts;
    const mode = interactiveModeProblem(exec);
    if (mode !== undefined) throw new Error(`exec plugin cannot support interactive mode: ${mode}`);
    const printed = await run(this.#parts);
    const { credentials, untilMs } = readPrinted(printed, stringAt(exec, 'apiVersion'));
    this.#kept = { credentials, untilMs };
    return credentials;
  }
}

/** A server has no terminal. The mode goes without saying in v1beta1 alone. */
function interactiveModeProblem(exec: JsonObject): string | undefined {
  const said = stringAt(exec, 'interactiveMode');
  const isOld = stringAt(exec, 'apiVersion').endsWith('v1beta1');
  const mode = said === '' && isOld ? 'IfAvailable' : said;
  if (mode === 'Never' || mode === 'IfAvailable') return undefined;
  if (mode === 'Always') return 'standard input is not a terminal';
  return `unknown interactiveMode: ${JSON.stringify(mode)}`;
}

function run({ exec, folder }: ExecCredentialsParts): Promise<string> {
  const named = stringAt(exec, 'command');
  const command = named.includes('/') ? resolve(folder, named) : named;
  const args = listAt(exec, 'args').filter((one) => typeof one === 'string');
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      env: environmentOf(exec),
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: RUN_MS,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= STDOUT_BYTES_MAX) chunks.push(chunk);
      else child.kill('SIGKILL');
    });
    child.on('error', (error) => {
      const isMissing = 'code' in error && error.code === 'ENOENT';
      const what = isMissing ? `executable ${command} not found` : systemProblem(error);
      fail(new Error(`exec: ${what}`, { cause: error }));
    });
    child.on('close', (code, signal) => {
      if (code === 0) done(Buffer.concat(chunks).toString());
      else if (code === null) fail(new Error(`exec: signal: ${String(signal)}`));
      else fail(new Error(`exec: executable ${command} failed with exit code ${String(code)}`));
    });
  });
}

function environmentOf(exec: JsonObject): NodeJS.ProcessEnv {
  const own = listAt(exec, 'env')
    .filter(isJsonObject)
    .map((one): [string, string] => [stringAt(one, 'name'), stringAt(one, 'value')]);
  const info: JsonObject = {
    kind: 'ExecCredential',
    apiVersion: stringAt(exec, 'apiVersion'),
    spec: { interactive: false },
  };
  return { ...process.env, ...Object.fromEntries(own), [INFO]: formatJson(info) };
}

function readPrinted(
  printed: string,
  apiVersion: string,
): { readonly credentials: PrintedCredentials; readonly untilMs: number } {
  const answer = objectIn(printed);
  const returned = stringAt(answer, 'apiVersion');
  if (returned !== apiVersion) {
    const told = `exec plugin is configured to use API version ${apiVersion}`;
    throw new Error(`${told}, plugin returned version ${returned}`);
  }
  const status = objectAt(answer, 'status');
  if (status === undefined) throw new Error("exec plugin didn't return a status field");
  const credentials = {
    token: stringAt(status, 'token'),
    cert: stringAt(status, 'clientCertificateData'),
    key: stringAt(status, 'clientKeyData'),
  };
  const problem = problemOf(credentials);
  if (problem !== undefined) throw new Error(problem);
  return { credentials, untilMs: expiryOf(stringAt(status, 'expirationTimestamp')) };
}

function objectIn(printed: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(printed);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`decoding stdout: ${why}`, { cause: error });
  }
  if (isJsonObject(value) && stringAt(value, 'kind') === 'ExecCredential') return value;
  throw new Error(`decoding stdout: Object 'Kind' is missing in '${printed.trim()}'`);
}

function problemOf({ token, cert, key }: PrintedCredentials): string | undefined {
  if (token === '' && cert === '' && key === '') {
    return "exec plugin didn't return a token or cert/key pair";
  }
  if ((cert === '') !== (key === '')) {
    return 'exec plugin returned only certificate or key, not both';
  }
  if (cert === '' || pairProblem({ certificate: cert, key }) === undefined) return undefined;
  return 'failed parsing client key/certificate';
}

/** Milliseconds since 1970. Without a time they are good until they are refused. */
function expiryOf(text: string): number {
  if (text === '') return Number.POSITIVE_INFINITY;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`decoding stdout: parsing time ${JSON.stringify(text)}`);
  return time;
}
