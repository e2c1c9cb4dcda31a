/**
 * docs/permissions.md, put to the test: each command runs under Node's permission model with what the
 * tables of that page grant it, and leaves nothing behind that others may read.
 *
 * The surprise: the model switches `fsync` off, so here it does nothing. What lmdb opens by itself is
 * looked up in /proc.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { configMap, created } from '../api/objects.ts';
import { adminClient } from '../support/admin-client.ts';
import { type CommandResult, run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { faultsIn } from '../support/log-lines.ts';
import { type RunningServer, SERVER_PROGRAM, startServer } from '../support/server.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/permissions.md'), 'utf8');
const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRET = 'nobody-else-may-read-this';

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'everwatch-permissions-'));
const home = (name: string): string => join(folder, name);
// A link has to be allowed as well as where it leads.
const installed = ['dist', 'node_modules'].flatMap((name) => {
  const path = join(ROOT, name);
  const real = realpathSync(path);
  return real === path ? [`${path}/`] : [path, `${real}/`];
});
/** What the words of the page stand for. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  $INSTALLED: installed,
  ...Object.fromEntries(
    ['CONFIG', 'DATA', 'AUDIT', 'ARCHIVES'].map((name) => [`$${name}`, [`${home(name)}/`]]),
  ),
  $KUBECONFIG: [join(home('DATA'), 'admin.kubeconfig')],
};

interface Grant {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** What the page grants to the row whose first cell names the command and how it is called. */
function grantOf(command: string, how = ''): Grant {
  const row = PAGE.split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .find(([, first = '']) => {
      const called = first.replace(/(?:`[a-z]+`,? ?)+/, '');
      return first.includes(`\`${command}\``) && called === how && first !== `\`${command}\` on`;
    });
  if (row === undefined) throw new Error(`The page says nothing of ${command} ${how}.`);
  const pathsIn = (cell = ''): string[] =>
    (cell.match(/\$[A-Z]+/g) ?? []).flatMap((word) => PLACES[word] ?? [word]);
  return { reads: pathsIn(row[2]), writes: pathsIn(row[3]) };
}

/** Lets everything be that may be written down behind a descriptor that is open anyway. */
const WITHOUT_FSYNC = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  fs.fsyncSync = fs.fdatasyncSync = () => undefined;
  fs.fsync = fs.fdatasync = (_fd, done) => process.nextTick(done, null);
  const file = await fs.promises.open(process.argv[1]);
  const { prototype } = file.constructor;
  prototype.sync = prototype.datasync = async () => undefined;
  await file.close();
  syncBuiltinESMExports();
`;

/** As Node's own switch is called: the second until Node 22.13. */
const PERMISSION =
  ['--permission', '--experimental-permission'].find((flag) =>
    process.allowedNodeEnvironmentFlags.has(flag),
  ) ?? '';

function bound({ reads, writes }: Grant): NodeJS.ProcessEnv {
  const preload = `data:text/javascript,${encodeURIComponent(WITHOUT_FSYNC)}`;
  const options = [
    '--no-warnings',
    PERMISSION,
    '--allow-addons',
    ...reads.map((path) => `--allow-fs-read=${path}`),
    ...writes.map((path) => `--allow-fs-write=${path}`),
    `--import=${preload}`,
  ];
  return { NODE_OPTIONS: options.join(' '), HOME: '/nowhere', TMPDIR: '/nowhere' };
}

async function everwatch(grant: Grant, ...args: string[]): Promise<CommandResult> {
  const env = { PATH: process.env['PATH'], ...bound(grant) };
  return run(process.execPath, [SERVER_PROGRAM, ...args], { env });
}

/** Every file and directory in it that another user of the machine may do something with. */
function open(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => !statSync(name).isSocket())
    .map((name) => `${name} ${(statSync(name).mode & 0o777).toString(8)}`)
    .filter((name) => !name.endsWith('00'));
}

/** Where it leads; nothing when it was closed since it was listed. */
function linkOf(descriptor: string): string[] {
  try {
    return [readlinkSync(descriptor)];
  } catch {
    return [];
  }
}

const POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n';
const ENCRYPTION = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aesgcm: { keys: [{ name: one, secret: ${Buffer.alloc(32, 7).toString('base64')} }] }
`;
const TRACING = `
apiVersion: apiserver.config.k8s.io/v1
kind: TracingConfiguration
endpoint: http://127.0.0.1:9
samplingRatePerMillion: 1000000
`;

let server: RunningServer;

beforeAll(async () => {
  for (const name of ['CONFIG', 'DATA', 'AUDIT', 'ARCHIVES']) mkdirSync(home(name));
  const config = (name: string, text: string): string => {
    writeFileSync(join(home('CONFIG'), name), text, { mode: 0o600 });
    return join(home('CONFIG'), name);
  };
  server = await startServer({
    dataDir: home('DATA'),
    controllers: '*',
    env: bound(grantOf('serve')),
    args: [
      `--config=${config('server.yaml', 'apiVersion: everwatch.dev/v1\nkind: ServerConfiguration\n')}`,
      `--token-auth-file=${config('tokens.csv', 'token,somebody,1\n')}`,
      `--audit-policy-file=${config('policy.yaml', POLICY)}`,
      `--audit-log-path=${join(home('AUDIT'), 'audit.log')}`,
      `--encryption-provider-config=${config('encryption.yaml', ENCRYPTION)}`,
      `--tracing-config-file=${config('tracing.yaml', TRACING)}`,
      '--authorization-mode=Node,RBAC',
    ],
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a server with everything on', () => {
  it('does its work with what the page grants it', async () => {
    const client = adminClient(server);
    await created(client, MAPS, configMap('a'));
    await created(client, MAPS.replace('configmaps', 'secrets'), {
      metadata: { name: 'hidden' },
      stringData: { a: SECRET },
    });
    const fork = { apiVersion: 'everwatch.dev/v1', kind: 'Fork', metadata: { name: 'side' } };
    await eventually('a fork', async () => {
      const { status } = await everwatchFork(fork.metadata.name);
      return status === 0 || undefined;
    });
    await created(client, `/forks/side${MAPS}`, configMap('b'));
    client.close();
    expect(server.logs()).not.toMatch(/ERR_ACCESS_DENIED|Access to this API/);
    expect(faultsIn(server.logs())).toEqual([]);
  });

  it.runIf(existsSync('/proc/self/fd'))(
    'has no file open but those of the page, those of lmdb among them',
    () => {
      const descriptors = `/proc/${String(server.pid)}/fd`;
      const files = readdirSync(descriptors)
        .flatMap((name) => linkOf(join(descriptors, name)))
        .filter((path) => path.startsWith('/') && !path.startsWith('/dev/'));
      expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/log\/data\.mdb$/)]));
      const { reads } = grantOf('serve');
      const isGranted = (path: string) => reads.some((place) => path.startsWith(place));
      expect(files.filter((path) => !isGranted(path))).toEqual([]);
    },
  );
});

function everwatchFork(name: string): Promise<{ status: number }> {
  const { kubeconfig } = server;
  return everwatch(
    grantOf('fork', 'of a server'),
    'fork',
    'create',
    name,
    '--kubeconfig',
    kubeconfig,
  ).then(({ code }) => ({ status: code }));
}

describe('a tool', () => {
  it('of a server reads a kubeconfig and writes nothing', async () => {
    const args = ['blame', 'cm/a', '-n', 'default', '--kubeconfig', server.kubeconfig];
    const { code, stdout, stderr } = await everwatch(grantOf('blame', 'of a server'), ...args);
    expect(stderr).toBe('');
    expect([code, stdout]).toEqual([0, expect.stringContaining('data:')]);
  });

  it('of a directory, and those that carry it, write what the page says', async () => {
    await server.stop();
    const dataDir = home('DATA');
    const archive = join(home('ARCHIVES'), 'all.ewa');
    const from = ['--data-dir', dataDir];
    for (const [grant, args] of [
      [grantOf('verify', 'with `--data-dir`'), ['verify', ...from]],
      [grantOf('export', 'with `--data-dir`'), ['export', ...from, '-o', archive]],
    ] as const) {
      const { code, stdout, stderr } = await everwatch(grant, ...args);
      expect(code, stdout + stderr).toBe(0);
    }
    expect(open(home('ARCHIVES'))).toEqual([]);
  });

  it('that is granted less is stopped: the model is in force', async () => {
    const { reads } = grantOf('serve');
    const args = ['serve', '--data-dir', home('DATA'), '--secure-port', '0'];
    const { code, stderr } = await everwatch({ reads, writes: [] }, ...args);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/restricted/);
  });
});

describe('what is left behind', () => {
  it('can be read by no other user', () => {
    expect(existsSync(join(home('DATA'), 'object-keys'))).toBe(true);
    expect(readdirSync(join(home('DATA'), 'forks'))).not.toEqual([]);
    for (const name of ['DATA', 'AUDIT', 'ARCHIVES']) expect(open(home(name)), name).toEqual([]);
  });

  it('holds the Secret nowhere but sealed', () => {
    const files = readdirSync(home('DATA'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(home('DATA'), name))
      .filter((name) => statSync(name).isFile());
    expect(files.length).toBeGreaterThan(10);
    const plain = [SECRET, Buffer.from(SECRET).toString('base64')];
    const holding = files.filter((name) => {
      const bytes = readFileSync(name);
      return plain.some((text) => bytes.includes(text));
    });
    expect(holding).toEqual([]);
  });
});
