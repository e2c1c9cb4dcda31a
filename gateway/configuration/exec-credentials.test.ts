/** Programs that print credentials, run for real. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { testClock } from '../../actors/request/given.fixture.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { kubeconfigUsers } from './webhook-users.ts';

const GROUP = 'client.authentication.k8s.io';
const START = 1_700_000_000_000;
const folder = mkdtempSync(join(tmpdir(), 'exec-credentials-'));
const runs = join(folder, 'runs');
afterAll(() => {
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  writeFileSync(runs, '');
});

const TARGET = {
  url: '',
  service: { namespace: 'shop', name: 'hook', port: 443, path: '/x' },
  caBundle: 'PEM',
};

/** Writes what it is told to a file, and prints the status, in which `$N` is how often it ran. */
function program(status: string, version = 'v1', end = 'exit 0'): void {
  const answer = `{"apiVersion":"${GROUP}/${version}","kind":"ExecCredential"${status}}`;
  const lines = [
    '#!/bin/sh',
    `echo "$KUBERNETES_EXEC_INFO $OWN $*" >> ${runs}`,
    `N=$(wc -l < ${runs} | tr -d ' ')`,
    `cat <<END\n${answer}\nEND`,
    end,
  ];
  writeFileSync(join(folder, 'program'), `${lines.join('\n')}\n`);
  chmodSync(join(folder, 'program'), 0o755);
}

function given(more: JsonObject = {}, user: JsonObject = {}) {
  const exec: JsonObject = {
    apiVersion: `${GROUP}/v1`,
    command: './program',
    interactiveMode: 'Never',
    args: ['a', 'b'],
    env: [{ name: 'OWN', value: 'mine' }],
    ...more,
  };
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, JSON.stringify({ users: [{ name: '*', user: { exec, ...user } }] }));
  const clock = testClock(START);
  const users = kubeconfigUsers(file, 'MutatingAdmissionWebhook', clock);
  const ask = async () => {
    const found = await users.credentialsFor(TARGET);
    return found.ok ? (found.credentials ?? { headers: {} }) : { headers: {}, ...found };
  };
  return { ask, clock };
}

const ran = (): string[] => readFileSync(runs, 'utf8').split('\n').slice(0, -1);

describe('a program that prints credentials', () => {
  it('is told what is wanted, and its token is kept', async () => {
    program(',"status":{"token":"t$N"}');
    const { ask } = given();
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first.headers).toEqual({ Authorization: 'Bearer t1' });
    expect(second.headers).toEqual(first.headers);
    expect((await ask()).headers).toEqual(first.headers);
    const info = `{"kind":"ExecCredential","apiVersion":"${GROUP}/v1","spec":{"interactive":false}}`;
    expect(ran()).toEqual([`${info} mine a b`]);
  });

  it('is run again when they have expired, and not before', async () => {
    const until = new Date(START + 60_000).toISOString();
    program(`,"status":{"token":"t$N","expirationTimestamp":"${until}"}`);
    const { ask, clock } = given();
    await ask();
    clock.advance(60_000);
    expect((await ask()).headers).toEqual({ Authorization: 'Bearer t1' });
    clock.advance(1);
    expect((await ask()).headers).toEqual({ Authorization: 'Bearer t2' });
  });

  it('is run again when a server refused them, once for all requests that had them', async () => {
    program(',"status":{"token":"t$N"}');
    const { ask } = given();
    const [one, other] = [await ask(), await ask()];
    one.refused?.();
    const fresh = await ask();
    expect(fresh.headers).toEqual({ Authorization: 'Bearer t2' });
    other.refused?.();
    expect((await ask()).headers).toEqual(fresh.headers);
    expect(ran()).toHaveLength(2);
  });

  it('is not run where the user has a token, and impersonates as the user says', async () => {
    program(',"status":{"token":"t$N"}');
    expect((await given({}, { token: 'own' }).ask()).headers).toEqual({
      Authorization: 'Bearer own',
    });
    expect(ran()).toEqual([]);
    expect((await given({}, { as: 'jane' }).ask()).headers).toEqual({
      Authorization: 'Bearer t1',
      'Impersonate-User': 'jane',
    });
  });

  it('is told of each server that it is asked about, where the user says so', async () => {
    program(',"status":{"token":"t$N"}');
    const file = join(folder, 'telling');
    const exec = { apiVersion: `${GROUP}/v1`, command: './program', interactiveMode: 'Never' };
    const user = { exec: { ...exec, provideClusterInfo: true } };
    writeFileSync(file, JSON.stringify({ users: [{ name: '*', user }] }));
    const users = kubeconfigUsers(file, 'MutatingAdmissionWebhook', testClock(START));
    const other = { url: 'https://a.example:8443/hook', service: undefined, caBundle: '' };
    for (const target of [TARGET, other, TARGET, { ...other, url: `${other.url}/more` }]) {
      expect(await users.credentialsFor(target)).toMatchObject({ ok: true });
    }
    const told = ran().map((line) => (JSON.parse(line.trimEnd()) as { spec: JsonObject }).spec);
    expect(told).toEqual([
      {
        cluster: {
          server: 'https://hook.shop.svc:443',
          'tls-server-name': 'hook.shop.svc',
          'certificate-authority-data': Buffer.from('PEM').toString('base64'),
          config: null,
        },
        interactive: false,
      },
      { cluster: { server: 'https://a.example:8443', config: null }, interactive: false },
    ]);
  });

  it('needs no interactive mode in v1beta1', async () => {
    program(',"status":{"token":"t$N"}', 'v1beta1');
    const old = { apiVersion: `${GROUP}/v1beta1`, interactiveMode: '' };
    expect((await given(old).ask()).headers).toEqual({ Authorization: 'Bearer t1' });
  });
});

describe('credentials that cannot be had', () => {
  const problem = async (...asked: Parameters<typeof given>): Promise<unknown> => {
    const found: { problem?: string; message?: string } = await given(...asked).ask();
    return found.problem ?? found.message;
  };
  const getting = (why: string): string => `getting credentials: ${why}`;

  it.each([
    ['', "exec plugin didn't return a status field"],
    [',"status":{}', "exec plugin didn't return a token or cert/key pair"],
    [',"status":{"clientKeyData":"k"}', 'exec plugin returned only certificate or key, not both'],
    [
      ',"status":{"clientKeyData":"k","clientCertificateData":"c"}',
      'failed parsing client key/certificate',
    ],
  ])('as it prints %s', async (status, words) => {
    program(status);
    expect(await problem()).toBe(getting(words));
  });

  it('as it speaks another version, fails, is not there or would need a terminal', async () => {
    program(',"status":{"token":"t"}', 'v1beta1');
    expect(await problem()).toBe(
      getting(
        `exec plugin is configured to use API version ${GROUP}/v1, ` +
          `plugin returned version ${GROUP}/v1beta1`,
      ),
    );
    program('', 'v1', 'exit 3');
    const command = join(folder, 'program');
    expect(await problem()).toBe(getting(`exec: executable ${command} failed with exit code 3`));
    expect(await problem({ command: 'no-such-program' })).toBe(
      getting('exec: executable no-such-program not found'),
    );
    const cannot = 'exec plugin cannot support interactive mode: ';
    expect(await problem({ interactiveMode: 'Always' })).toBe(
      getting(`${cannot}standard input is not a terminal`),
    );
    expect(await problem({ interactiveMode: '' })).toBe(
      getting(`${cannot}unknown interactiveMode: ""`),
    );
    expect(await problem({ apiVersion: `${GROUP}/v1alpha1` })).toBe(
      `exec plugin: invalid apiVersion "${GROUP}/v1alpha1"`,
    );
  });
});
