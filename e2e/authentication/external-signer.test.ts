/**
 * Tokens of service accounts that a process beside the server signs: e2e/go-signer, which changes its
 * keys, and is away.
 */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { startCommand, type RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, listAt, parseJson, textAt, type JsonObject } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { run } from '../support/command.ts';
import { SERVER_PROGRAM, startServer, type RunningServer } from '../support/server.ts';
import { callerOf } from './caller.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW: JsonObject = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };

interface SignerState extends JsonObject {
  readonly keys: string[];
  readonly signing: string;
}

await describeWith('jwt-signer', 'tokens that another program signs', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-signer-'));
  const socket = join(folder, 'signer.sock');
  const flag = `--service-account-signing-endpoint=${socket}`;
  let signer: RunningCommand;
  let server: RunningServer;
  let client: AdminClient;

  function say(state: SignerState): void {
    const path = join(folder, 'state.json');
    const whole = { refreshSeconds: 3_600, maxSeconds: 7_200, ...state };
    writeFileSync(`${path}.new`, JSON.stringify(whole));
    renameSync(`${path}.new`, path);
  }

  const askForToken = (spec: JsonObject = {}) =>
    client.post(`${ACCOUNTS}/till/token`, {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      spec,
    });

  async function newToken(): Promise<string> {
    const { status, body } = await askForToken();
    expect(status).toBe(201);
    return textAt(body, 'status', 'token');
  }

  async function userOf(token: string): Promise<string> {
    const { status, body } = await callerOf(server, { token }).post(WHO, REVIEW);
    return status === 201 ? textAt(body, 'status', 'userInfo', 'username') : String(status);
  }

  function keyIdOf(token: string): string {
    const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
    return textAt(parseJson(header), 'kid');
  }

  async function shownKeys(): Promise<string[]> {
    const { body } = await client.get('/openid/v1/jwks', { accept: '*/*' });
    return listAt(parseJson(typeof body === 'string' ? body : JSON.stringify(body)), 'keys').map(
      (key) => textAt(key, 'kid'),
    );
  }

  beforeAll(async () => {
    say({ keys: ['one'], signing: 'one' });
    signer = startCommand(program, [socket, folder]);
    server = await startServer({ args: [flag] });
    client = adminClient(server);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'till' } };
    expect((await client.post(ACCOUNTS, account)).status).toBe(201);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    signer.kill('SIGKILL');
    await signer.ended;
    rmSync(folder, { recursive: true });
  });

  it('let in whom they name, and are no longer good than the signer allows', async () => {
    const token = await newToken();
    expect(keyIdOf(token)).toBe('one');
    expect(await userOf(token)).toBe('system:serviceaccount:default:till');
    const { body } = await askForToken({ expirationSeconds: 86_400 });
    expect(at(body, 'spec', 'expirationSeconds')).toBe(7_200);
    const [header, claims] = token.split('.');
    expect(await userOf(`${header ?? ''}.${claims ?? ''}.${'A'.repeat(86)}`)).toBe('401');
    expect(await shownKeys()).toEqual(['one']);
  });

  it('are believed with a key that is new, and not with one that is gone', async () => {
    const old = await newToken();
    say({ keys: ['rsa-two', 'three'], signing: 'rsa-two', excluded: ['three'] });
    const token = await newToken();
    expect(keyIdOf(token)).toBe('rsa-two');
    expect(await userOf(token)).toBe('system:serviceaccount:default:till');
    expect(await userOf(old)).toBe('401');
    expect(await shownKeys()).toEqual(['rsa-two']);
    say({ keys: ['rsa-two', 'three'], signing: 'three', excluded: ['three'] });
    const { status, body } = await askForToken();
    expect(status).toBe(500);
    expect(textAt(body, 'message')).toContain(
      'failed to generate token: while validating header: key used for signing JWT (kid: three) ' +
        'is excluded from OIDC discovery docs',
    );
  });

  it('are refused in the words of the signer, and go on counting without it', async () => {
    say({ keys: ['rsa-two'], signing: 'rsa-two' });
    const token = await newToken();
    say({ keys: ['rsa-two'], signing: 'rsa-two', fail: true });
    const { status, body } = await askForToken();
    expect(status).toBe(500);
    expect(textAt(body, 'message')).toContain(
      'while signing jwt: rpc error: code = PermissionDenied desc = the signer is told to fail',
    );
    expect(await userOf(token)).toBe('system:serviceaccount:default:till');
    const { body: metrics } = await client.get('/metrics');
    expect(metrics).toContain(
      'apiserver_externaljwt_sign_request_total{code="PermissionDenied"} 1',
    );
    expect(metrics).toContain('apiserver_externaljwt_fetch_keys_request_total{code="OK"}');
    expect(metrics).toMatch(
      /externaljwt_request_duration_seconds_count\{code="OK",method="\/v1.ExternalJWTSigner\/Sign"\} \d/,
    );
    expect(metrics).toMatch(/apiserver_externaljwt_fetch_keys_data_timestamp \d/);
    const calls = readFileSync(join(folder, 'calls'), 'utf8');
    expect(calls.match(/Metadata/g)).toHaveLength(1);
  });

  it('are asked for by no server whose flags do not go with the signer', async () => {
    say({ keys: ['one'], signing: 'one', maxSeconds: 3_600 });
    const refusal = async (...args: string[]): Promise<string> => {
      const data = mkdtempSync(join(folder, 'data-'));
      const all = ['serve', '--data-dir', data, '--secure-port', '0', flag, ...args];
      const { code, stderr } = await run(process.execPath, [SERVER_PROGRAM, ...all]);
      expect(code).toBe(1);
      return stderr;
    };
    const [tooLong, both] = await Promise.all([
      refusal('--service-account-max-token-expiration=2h'),
      refusal(`--service-account-key-file=${socket}`),
    ]);
    expect(tooLong).toContain(
      'service-account-max-token-expiration cannot be set longer than the token expiration ' +
        'supported by service-account-signing-endpoint: 2h0m0s > 1h0m0s',
    );
    expect(both).toContain('(They are mutually exclusive)');
  });

  it('are waited for by a server that cannot ask for keys', async () => {
    signer.kill('SIGKILL');
    await signer.ended;
    const starting = startServer({ args: [flag] });
    say({ keys: ['one'], signing: 'one' });
    signer = startCommand(program, [socket, folder]);
    const late = await starting;
    await eventually('it serves', async () => {
      // Without credentials: it answers at all.
      const { status } = await callerOf(late, {}).get('/readyz');
      return status === 401 || undefined;
    });
    await late.stop();
  });
});
