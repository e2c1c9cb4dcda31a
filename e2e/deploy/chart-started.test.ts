/**
 * What the chart renders, started: with each set of values that is documented a server comes up with
 * all its flags and files, its probes say so, and it lets in those whom the values let in. Only the
 * log lies in a folder here; with brokers under it, replicas.test.ts starts the chart.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { run } from '../support/command.ts';
import type { JsonObject } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';
import {
  containerOf,
  DEPLOY,
  documentsOf,
  helmFor,
  ofKind,
  rendered,
  textEntriesAt,
  VALUES,
  wordsAt,
} from './chart.ts';

const MOUNTS = '/etc/everwatch/';
/** Said by the test, or of the brokers that are not here. */
const NOT_HERE =
  /^(?:serve$|--(?:data-dir|bind-address|log|key-file|shutdown-delay-duration)=|--kafka-)/;

const folder = mkdtempSync(join(tmpdir(), 'everwatch-chart-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function mounted(documents: readonly JsonObject[]): Promise<void> {
  const authority = await testAuthority('serving');
  const { certificate, key } = await authority.issue('everwatch', ['127.0.0.1']);
  const clients = await testAuthority('clients');
  const webhook = `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1' } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
users: [{ name: u }]
current-context: c
`;
  const files: [string, string][] = [
    ['serving/tls.crt', `${certificate}\n${authority.certificate}`],
    ['serving/tls.key', key],
    ['client-ca/ca.crt', clients.certificate],
    ['tokens/tokens.csv', 'kim-token,kim,1\n'],
    ['webhook/kubeconfig', webhook],
  ];
  const configMaps = documents.filter(({ kind }) => kind === 'ConfigMap');
  const own = configMaps.flatMap((map) => textEntriesAt(map, 'data'));
  for (const [name, text] of [...files, ...own.map(([name, text]) => [`files/${name}`, text])]) {
    if (name === undefined || text === undefined) continue;
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

async function probe(server: RunningServer, path: string): Promise<number> {
  const { port } = new URL(server.url);
  const program = join(DEPLOY, 'probe.mjs');
  return (await run(process.execPath, [program, path, server.dataDir, port])).code;
}

/** The answer to a client without credentials, or with a token. Some sets bring a certificate along. */
function codeOf(server: RunningServer, path: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const options = { headers, agent: false, rejectUnauthorized: false };
    const sent = request(`${server.url}${path}`, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

await describeWith('helm', 'what the chart renders is started', (program) => {
  const helm = helmFor(program);

  async function started(values: string): Promise<{ server: RunningServer; args: string[] }> {
    const documents = documentsOf(await rendered(helm, values));
    await mounted(documents);
    const args = wordsAt(containerOf(ofKind(documents, 'StatefulSet')), 'args');
    const here = args.filter((arg) => !NOT_HERE.test(arg));
    return {
      args,
      server: await startServer({ args: here.map((arg) => arg.replace(MOUNTS, `${folder}/`)) }),
    };
  }

  it.each(Object.entries(VALUES))('with the values: %s', async (_name, values) => {
    const { server, args } = await started(values);
    try {
      expect([await probe(server, '/livez'), await probe(server, '/readyz')]).toEqual([0, 0]);
      const isOpen =
        args.includes('--anonymous-auth=true') && !args.includes('--authorization-mode=AlwaysDeny');
      expect(await codeOf(server, '/readyz')).toBe(
        isOpen ? 200 : args.includes('--anonymous-auth=true') ? 403 : 401,
      );
      expect(await codeOf(server, '/api/v1/secrets')).toBeGreaterThanOrEqual(401);
      if (!args.some((arg) => arg.startsWith('--token-auth-file='))) return;
      // No server answers at the webhook's address.
      const code = args.includes('--authorization-mode=Webhook') ? 500 : 403;
      expect(await codeOf(server, '/api/v1/secrets', 'kim-token')).toBe(code);
    } finally {
      await server.kill9();
      await server.stop();
    }
  });

  it('with no user but its administrator that may do everything, unless told otherwise', async () => {
    const { args } = await started(VALUES.least).then(async ({ server, args: given }) => {
      await server.kill9();
      await server.stop();
      return { args: given };
    });
    expect(args.filter((arg) => /authorization-mode|anonymous|admission/.test(arg))).toEqual([
      '--anonymous-auth=false',
      '--authorization-mode=Node',
      '--authorization-mode=RBAC',
      '--enable-admission-plugins=NodeRestriction',
    ]);
  });

  it('with each flag as the values say it', async () => {
    const documents = documentsOf(await rendered(helm, VALUES['flags of all kinds']));
    const args = wordsAt(containerOf(ofKind(documents, 'StatefulSet')), 'args');
    expect(args).toEqual(
      expect.arrayContaining([
        '--goaway-chance=0.001',
        '--max-requests-inflight=1000000',
        '--profiling=false',
        '--shutdown-delay-duration=20s',
        '--feature-gates=WatchList=true',
      ]),
    );
    expect(args.filter((arg) => arg.startsWith('--shutdown-delay-duration'))).toHaveLength(1);
    expect(args.some((arg) => arg.startsWith('--snapshot-every'))).toBe(false);
    expect(args.at(-1)).toBe('--enable-admission-plugins=AlwaysPullImages');
  });
});
