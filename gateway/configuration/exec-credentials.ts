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
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { optional, type Read, struct, text } from '../../api/json/json-shape.ts';
import type { KubeconfigCluster, KubeconfigExec, KubeconfigUser } from './kubeconfig-file.ts';
import type { ChangingCredentials, CredentialSource } from '../outbound/kubeconfig-endpoint.ts';
import { pairProblem } from '../listener/tls/certificate-pair.ts';
import { systemProblem } from '../process/startup-error.ts';

export interface ExecCredentialsParts {
  readonly exec: KubeconfigExec;
  /** From which a command with a slash in it is read. */
  readonly folder: string;
  readonly clock: Clock;
  /** The server that they are for; the program is told of it where `provideClusterInfo` says so. */
  readonly cluster: JsonObject;
}

const GROUP = 'client.authentication.k8s.io';
const API_VERSIONS: readonly string[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const INFO = 'KUBERNETES_EXEC_INFO';
/** The name of an extension of a cluster that is for programs. */
const EXEC_EXTENSION = `${GROUP}/exec`;
/** A program that hangs must not hold up requests for good; client-go would wait. */
const RUN_MS = 30_000;
const STDOUT_BYTES_MAX = 1_048_576;

/** What would keep every request from its credentials; undefined: nothing. */
export function execProblem({ apiVersion: version }: KubeconfigExec): string | undefined {
  if (API_VERSIONS.includes(version)) return undefined;
  return `exec plugin: invalid apiVersion ${JSON.stringify(version)}`;
}

/**
 * What clientcmd refuses of a user with a program before anything is asked; undefined: nothing.
 *
 * @param name of the user.
 */
export function execUsage(exec: KubeconfigExec, name: string): string | undefined {
  const without = (what: string): string =>
    `${what} must be specified for ${name} to use exec authentication plugin`;
  const problems: string[] = [];
  if (exec.command === '') problems.push(without('command'));
  if (exec.apiVersion === '') problems.push(without('apiVersion'));
  for (const one of exec.env) {
    if (one.name === '') problems.push(without('env variable name'));
  }
  const mode = modeOf(exec);
  if (mode === '') problems.push(without('interactiveMode'));
  else if (!['Never', 'IfAvailable', 'Always'].includes(mode)) {
    problems.push(`invalid interactiveMode for ${name}: ${JSON.stringify(mode)}`);
  }
  if (problems.length === 0) return undefined;
  const all = problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`;
  return `invalid configuration: ${all}`;
}

/** A program is not asked where these are there; an auth provider is refused further on. */
export function hasOwnCredentials(user: KubeconfigUser): boolean {
  const { token, tokenFile, username, password } = user;
  const certificates = [user['client-certificate'], user['client-certificate-data']];
  const own = [token, tokenFile, username, password, ...certificates];
  return own.some((one) => one !== '') || user['auth-provider'] !== undefined;
}

/**
 * A server as a program is told of it.
 *
 * @param ca its authorities, PEM.
 */
export function execCluster(cluster: KubeconfigCluster, ca: string): JsonObject {
  const { 'tls-server-name': name, 'proxy-url': proxy, extensions } = cluster;
  const authorities = Buffer.from(ca).toString('base64');
  const config = extensions.find((one) => one.name === EXEC_EXTENSION)?.extension ?? null;
  return {
    server: cluster.server,
    ...(name === '' ? {} : { 'tls-server-name': name }),
    ...(cluster['insecure-skip-tls-verify'] ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === '' ? {} : { 'certificate-authority-data': authorities }),
    ...(proxy === '' ? {} : { 'proxy-url': proxy }),
    ...(cluster['disable-compression'] ? { 'disable-compression': true } : {}),
    config,
  };
}

export class ExecCredentials implements CredentialSource {
  readonly #parts: ExecCredentialsParts;
  #kept: { readonly credentials: ChangingCredentials; readonly untilMs: number } | undefined;
  #running: Promise<ChangingCredentials> | undefined;

  constructor(parts: ExecCredentialsParts) {
    this.#parts = parts;
  }

  /** @throws Error in client-go's words, where the program prints none. */
  get(): Promise<ChangingCredentials> {
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
  refused(credentials: ChangingCredentials): void {
    if (this.#kept?.credentials === credentials) this.#kept = undefined;
  }

  async #refresh(): Promise<ChangingCredentials> {
    const { exec } = this.#parts;
    const mode = interactiveModeProblem(exec);
    if (mode !== undefined) throw new Error(`exec plugin cannot support interactive mode: ${mode}`);
    const printed = await run(this.#parts);
    const { credentials, untilMs } = readPrinted(printed, exec.apiVersion);
    this.#kept = { credentials, untilMs };
    return credentials;
  }
}

/** A server has no terminal. The mode goes without saying in v1beta1 alone. */
function interactiveModeProblem(exec: KubeconfigExec): string | undefined {
  const mode = modeOf(exec);
  if (mode === 'Never' || mode === 'IfAvailable') return undefined;
  if (mode === 'Always') return 'standard input is not a terminal';
  return `unknown interactiveMode: ${JSON.stringify(mode)}`;
}

function modeOf({ interactiveMode: said, apiVersion }: KubeconfigExec): string {
  const isOld = apiVersion.endsWith('v1beta1');
  return said === '' && isOld ? 'IfAvailable' : said;
}

function run({ exec, folder, cluster }: ExecCredentialsParts): Promise<string> {
  const { command: named, args } = exec;
  const command = named.includes('/') ? resolve(folder, named) : named;
  return new Promise((resolve, fail) => {
    const child = spawn(command, args, {
      env: environmentOf(exec, cluster),
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
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else if (code === null) fail(new Error(`exec: signal: ${String(signal)}`));
      else fail(new Error(`exec: executable ${command} failed with exit code ${String(code)}`));
    });
  });
}

function environmentOf(exec: KubeconfigExec, cluster: JsonObject): NodeJS.ProcessEnv {
  const own = exec.env.map(({ name, value }): [string, string] => [name, value]);
  const info: JsonObject = {
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { ...(exec.provideClusterInfo ? { cluster } : {}), interactive: false },
  };
  return { ...process.env, ...Object.fromEntries(own), [INFO]: formatJson(info) };
}

function readPrinted(
  printed: string,
  apiVersion: string,
): { readonly credentials: ChangingCredentials; readonly untilMs: number } {
  const { apiVersion: returned, status } = printedIn(printed);
  if (returned !== apiVersion) {
    const told = `exec plugin is configured to use API version ${apiVersion}`;
    throw new Error(`${told}, plugin returned version ${returned}`);
  }
  if (status === undefined) throw new Error("exec plugin didn't return a status field");
  const credentials = {
    token: status.token,
    cert: status.clientCertificateData,
    key: status.clientKeyData,
  };
  const problem = problemOf(credentials);
  if (problem !== undefined) throw new Error(problem);
  return { credentials, untilMs: expiryOf(status.expirationTimestamp) };
}

const PRINTED = struct({
  kind: text,
  apiVersion: text,
  status: optional(
    struct({
      token: text,
      clientCertificateData: text,
      clientKeyData: text,
      expirationTimestamp: text,
    }),
  ),
});

function printedIn(printed: string): Read<typeof PRINTED> {
  let value: JsonValue;
  try {
    value = parseJson(printed);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`decoding stdout: ${why}`, { cause: error });
  }
  const read = PRINTED.read(value);
  if (read.kind === 'ExecCredential') return read;
  throw new Error(`decoding stdout: Object 'Kind' is missing in '${printed.trim()}'`);
}

function problemOf({ token, cert, key }: ChangingCredentials): string | undefined {
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
