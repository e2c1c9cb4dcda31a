/**
 * The first start and the later ones, and every start that cannot be: one line on stderr, exit
 * code 1, and nothing that was there is damaged.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';

import { configMap, created, expectObject, mapsIn } from '../api/objects.ts';
import { adminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { SERVER_PROGRAM, startServer } from '../support/server.ts';
import { announced, serveToTheEnd, startServe } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-startup-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const MAPS = mapsIn('default');
const CONFIG_HEAD = 'apiVersion: everwatch.dev/v1\nkind: ServerConfiguration\n';

/** All files below, with a hash of what is in them; sockets are no files. */
function contentOf(path: string): Map<string, string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return new Map(files.sort().map((file) => [file, hash(file)]));
}

/** Without the databases, in which an opening leaves traces that change nothing. */
function settingsOf(path: string): Map<string, string> {
  return new Map([...contentOf(path)].filter(([file]) => !file.endsWith('.mdb')));
}

function expectRefused(
  { code, stdout, stderr }: { code: number; stdout: string; stderr: string },
  line: RegExp,
): void {
  expect(stderr).toMatch(line);
  expect(stderr.trimEnd().split('\n'), stderr).toHaveLength(1);
  expect(stdout).toBe('');
  expect(code).toBe(1);
}

function certificateServed(url: string): Promise<PeerCertificate> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

it('makes everything at the first start and keeps it for all later ones', async () => {
  const dataDir = join(folder, 'a/data');
  const server = await startServer({ dataDir });
  const kubeconfig = join(dataDir, 'admin.kubeconfig');
  expect(server.logs()).toContain(`export KUBECONFIG=${kubeconfig}\n`);
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
  expect(statSync(dataDir).mode & 0o077, 'Secrets lie in there').toBe(0);
  const first = readKubeconfig(kubeconfig);

  const { subject, subjectaltname } = await certificateServed(server.url);
  expect(subject).toBeDefined();
  const names = (subjectaltname ?? '').split(', ');
  for (const name of ['DNS:localhost', 'IP Address:127.0.0.1', `DNS:${hostname()}`]) {
    expect(names).toContain(name);
  }
  expect(names).toContain('IP Address:0:0:0:0:0:0:0:1');
  const admin = new X509Certificate(first.cert);
  expect(admin.subject).toContain('O=system:masters');
  expect(admin.checkIssued(new X509Certificate(first.ca))).toBe(true);

  const object = await created(adminClient(server), MAPS, configMap('kept'));
  await server.restart();
  const second = readKubeconfig(kubeconfig);
  expect(second).toEqual(first);
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
  expect(expectObject(await adminClient(server).get(`${MAPS}/kept`))).toEqual(object);
  expect(await server.stop()).toBe(0);
});

it('exits with 1 and one line where the port is taken, and the data stays as it was', async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const dataDir = join(folder, 'port');
  const server = await startServer({ dataDir });
  const object = await created(adminClient(server), MAPS, configMap('kept'));
  expect(await server.stop()).toBe(0);
  const kubeconfig = readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8');

  const failed = await serveToTheEnd('--data-dir', dataDir, '--secure-port', String(port));
  expectRefused(failed, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${String(port)}: .*in use`));
  expect(readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8')).toBe(kubeconfig);
  await new Promise((resolve) => taken.close(resolve));

  const again = await startServer({ dataDir });
  expect(expectObject(await adminClient(again).get(`${MAPS}/kept`))).toEqual(object);
  expect(await again.stop()).toBe(0);
});

it('leaves a directory alone that another process has', async () => {
  const dataDir = join(folder, 'in-use');
  const server = await startServer({ dataDir });
  const client = adminClient(server);
  await created(client, MAPS, configMap('before'));
  const failed = await serveToTheEnd('--data-dir', dataDir, '--secure-port', '0');
  expectRefused(failed, /in use by another process/);
  const verified = await run(process.execPath, [SERVER_PROGRAM, 'verify', '--data-dir', dataDir]);
  expectRefused(verified, /in use by another process/);
  await created(client, MAPS, configMap('after'));
  expectObject(await client.get(`${MAPS}/before`));
  // The one that failed took nothing away from the next that asks.
  expectRefused(await serveToTheEnd('--data-dir', dataDir, '--secure-port', '0'), /in use/);
  await server.kill9();
  await server.restart();
  expectObject(await client.get(`${MAPS}/after`));
  expect(await server.stop()).toBe(0);
});

it('leaves a directory alone that another version has written', async () => {
  const dataDir = join(folder, 'version');
  const server = await startServer({ dataDir });
  await created(adminClient(server), MAPS, configMap('kept'));
  expect(await server.stop()).toBe(0);
  const version = readFileSync(join(dataDir, 'version'), 'utf8');
  writeFileSync(join(dataDir, 'version'), 'everwatch-99\n');
  const before = contentOf(dataDir);

  const failed = await serveToTheEnd('--data-dir', dataDir, '--secure-port', '0');
  expectRefused(failed, /in the format "everwatch-99"/);
  expect(contentOf(dataDir)).toEqual(before);

  writeFileSync(join(dataDir, 'version'), version);
  const again = await startServer({ dataDir });
  expectObject(await adminClient(again).get(`${MAPS}/kept`));
  expect(await again.stop()).toBe(0);
});

it('does not take a directory for its own that has a log of another program in it', async () => {
  const dataDir = join(folder, 'foreign');
  mkdirSync(join(dataDir, 'log'), { recursive: true });
  writeFileSync(join(dataDir, 'log/file'), 'of another program');
  const before = contentOf(dataDir);
  const failed = await serveToTheEnd('--data-dir', dataDir, '--secure-port', '0');
  expectRefused(failed, /it was not made by this program/);
  expect(contentOf(dataDir)).toEqual(before);
});

it('exits with 1 and one line where a file cannot be used', async () => {
  const made = join(folder, 'files');
  const server = await startServer({ dataDir: made });
  expect(await server.stop()).toBe(0);
  const { cert, key } = readKubeconfig(join(made, 'admin.kubeconfig'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const certFile = file('cert.pem', cert);
  const keyFile = file('key.pem', key);
  const nonsense = file('nonsense.pem', 'this is no certificate');
  const missing = join(folder, 'nonesuch.pem');
  const notAFile = join(folder, 'a');
  const badConfig = file('config.yaml', `${CONFIG_HEAD}secretPort: 1\n`);
  const admissionOf = (more: object): string =>
    file(
      'admission.yaml',
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AdmissionConfiguration',
        plugins: [
          {
            name: 'ValidatingAdmissionWebhook',
            configuration: {
              apiVersion: 'apiserver.config.k8s.io/v1',
              kind: 'WebhookAdmissionConfiguration',
              ...more,
            },
          },
        ],
      }),
    );
  const pair = (cert_: string, key_: string) => [
    '--tls-cert-file',
    cert_,
    '--tls-private-key-file',
    key_,
  ];
  const cases: [flags: string[], line: RegExp][] = [
    [pair(missing, keyFile), /tls-cert-file .*nonesuch\.pem.*no such file/],
    [pair(certFile, missing), /tls-private-key-file .*nonesuch\.pem.*no such file/],
    [pair(nonsense, keyFile), /tls-cert-file .*nonsense\.pem/],
    [pair(certFile, nonsense), /tls-private-key-file .*nonsense\.pem/],
    [['--tls-cert-file', certFile], /belong together/],
    [['--client-ca-file', missing], /client-ca-file .*nonesuch\.pem.*no such file/],
    [['--client-ca-file', nonsense], /client-ca-file .*nonsense\.pem/],
    [['--token-auth-file', missing], /token-auth-file .*nonesuch\.pem.*no such file/],
    [['--token-auth-file', notAFile], /token-auth-file .*directory/],
    [['--config', missing], /config .*nonesuch\.pem.*no such file/],
    [['--config', badConfig], /config\.yaml: unknown key "secretPort"/],
    [['--secure-port', '70000'], /secure-port.*between 0 and 65535/],
    [
      ['--admission-control-config-file', admissionOf({ kubeConfigFile: missing })],
      /couldn't init admission plugin "ValidatingAdmissionWebhook": stat .*nonesuch\.pem: no such file/,
    ],
    [['--authorization-mode', 'Sometimes'], /authorization-mode.*AlwaysAllow, AlwaysDeny/],
  ];
  for (const [flags, line] of cases) {
    const dataDir = join(folder, 'never');
    const failed = await serveToTheEnd('--data-dir', dataDir, '--secure-port', '0', ...flags);
    expectRefused(failed, line);
    expect(existsSync(join(dataDir, 'admin.kubeconfig')), flags.join(' ')).toBe(false);
  }
});

it('exits with 1 and one line where a stored certificate cannot be read', async () => {
  const dataDir = join(folder, 'unreadable');
  const server = await startServer({ dataDir });
  await created(adminClient(server), MAPS, configMap('kept'));
  expect(await server.stop()).toBe(0);
  const keys = [...contentOf(dataDir).keys()].filter((name) => /\.(pem|key|crt)$/.test(name));
  expect(keys.length).toBeGreaterThan(0);
  const saved = join(folder, 'saved');
  cpSync(dataDir, saved, { recursive: true, filter: (name) => !/lock\./.test(name) });
  for (const key of keys) writeFileSync(key, 'damaged');
  const before = settingsOf(dataDir);
  const failed = await serveToTheEnd('--data-dir', dataDir, '--secure-port', '0');
  expectRefused(failed, /\.(pem|key|crt)/);
  expect(settingsOf(dataDir)).toEqual(before);

  chmodSync(saved, 0o700);
  const again = await startServer({ dataDir: saved });
  expectObject(await adminClient(again).get(`${MAPS}/kept`));
  expect(await again.stop()).toBe(0);
});

it('is told by a file what it may be told by flags, and a flag wins', async () => {
  const dataDir = join(folder, 'config-data');
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'letmein,ann,u1,"system:masters"\n');
  const config = join(folder, 'serve.yaml');
  writeFileSync(
    config,
    [
      `${CONFIG_HEAD}dataDir: ${dataDir}`,
      'securePort: 1',
      `tokenAuthFile: ${tokens}`,
      'anonymousAuth: false',
      'authorizationMode: [AlwaysDeny]',
    ].join('\n'),
  );
  const running = startServe('--config', config, '--secure-port', '0');
  const kubeconfig = await announced(running);
  expect(kubeconfig).toBe(join(dataDir, 'admin.kubeconfig'));
  const { url, ca } = readKubeconfig(kubeconfig);
  expect(new URL(url).port).not.toBe('1');
  const statusWith = (headers: OutgoingHttpHeaders): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(`${url}/version`, { ca, headers, agent: false }, (incoming) => {
        resolve(incoming.resume().statusCode);
      }).once('error', reject);
    });
  expect(await statusWith({ authorization: 'Bearer letmein' })).toBe(200);
  expect(await statusWith({})).toBe(401);
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(0);
});
