/**
 * The tools that look at a log, on a running server. What they print is the program's own, so it is
 * compared as people and programs see it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonValue, parseJson, textAt } from '../support/json.ts';
import { rowsOf } from '../support/kubectl.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { everwatchWith, linesIn } from './everwatch.ts';
import { HIDDEN, type Life, liveOn } from './life.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-tools-'));
const dataDir = join(folder, 'data');
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, 'eve-token,eve,u2\n');

let server: RunningServer;
let life: Life;
const everwatch = everwatchWith(() => ({ KUBECONFIG: join(dataDir, 'admin.kubeconfig') }));

beforeAll(async () => {
  server = await startServer({ dataDir, args: ['--token-auth-file', tokens] });
  const client = adminClient(server);
  await client.post('/api/v1/namespaces', { metadata: { name: 'other' } });
  life = await liveOn(client, 'shop');
  client.close();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const shop = ['-n', 'shop'];

function shownText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

describe('history', () => {
  it('tells the life of an object, its deletion and its next life too', async () => {
    const rows = rowsOf(await everwatch('history', 'deployment/web', ...shop));
    expect(rows[0]).toEqual(['REVISION', 'TIME', 'USER', 'VERB', 'MANAGER', 'CHANGES']);
    const { created, scaled, labelled, deleted, again } = life;
    expect(rows.map((row) => row[0]).slice(1)).toEqual(
      [created, scaled, labelled, deleted, again].map(String),
    );
    expect(rows[1]?.slice(2)).toEqual(['kubernetes-admin', 'create', 'maker', 'created']);
    expect(rows[2]?.slice(2)).toEqual([
      'kubernetes-admin',
      'patch',
      'scaler',
      'spec.replicas 1 → 3',
    ]);
    expect(rows[3]?.at(-1)).toContain(
      'spec.template.spec.containers[name=web].image web:1 → web:2',
    );
    expect(rows[3]?.at(-1)).toContain('+2 labels');
    expect(rows[4]?.at(-1)).toContain('deleted');
    expect(rows[5]?.at(-1)).toBe('created again');
  });

  it.each([
    'deploy/web',
    'deployments/web',
    'Deployment/web',
    'deployments.apps/web',
    'deployments.v1.apps/web',
  ])('knows the object as %s', async (name) => {
    const [first] = await everwatch.lines('history', name, ...shop, '-o', 'jsonl');
    expect(first).toMatchObject({ resourceVersion: life.created, summary: 'created' });
    const [kind = '', word = ''] = name.split('/');
    expect(await everwatch.lines('history', kind, word, ...shop, '-o', 'jsonl')).toHaveLength(5);
  });

  it('shows a part of it', async () => {
    const { scaled, labelled } = life;
    const part = ['--from', String(scaled), '--to', String(labelled), '-o', 'jsonl'];
    const found = await everwatch.lines('history', 'deploy/web', ...shop, ...part);
    expect(found.map((one) => one['resourceVersion'])).toEqual([scaled, labelled]);
    // Changes are told from what was before the part.
    expect(found[0]?.['summary']).toBe('spec.replicas 1 → 3');
    expect(
      await everwatch.lines('history', 'deploy/web', ...shop, '--since', '1h', '-o', 'jsonl'),
    ).toHaveLength(5);
    expect(
      await everwatch.lines('history', 'deploy/web', ...shop, '--since', '0s', '-o', 'jsonl'),
    ).toEqual([]);
  });

  it('shows what changed', async () => {
    const diff = await everwatch(
      'history',
      'deploy/web',
      ...shop,
      '--diff',
      '--to',
      String(life.scaled),
    );
    expect(diff).toContain(`revision ${String(life.scaled)}  `);
    expect(diff).toContain('\n-  replicas: 1\n+  replicas: 3\n');
    expect(diff).not.toContain('\u001b[');
  });

  it.each([['history'], ['history', '--diff'], ['blame'], ['diff', '--diff', '--from', '1']])(
    'keeps Secrets secret: %j',
    async (command, ...flags) => {
      const words = command === 'diff' ? [] : ['secret/login'];
      const shown = await everwatch(command, ...words, ...shop, ...flags);
      for (const word of HIDDEN) expect(shown).not.toContain(word);
      if (command === 'history') expect(shown).toContain('(14 bytes)');
      const asked = await everwatch(command, ...words, ...shop, ...flags, '--show-secrets');
      if (flags.includes('--diff') || command === 'blame') expect(asked).toContain(HIDDEN[3]);
    },
  );
});

describe('blame', () => {
  it('names the user that set each field', async () => {
    const before = String(life.deleted - 1);
    const fields = await everwatch.lines(
      'blame',
      'deploy/web',
      ...shop,
      '--at',
      before,
      '-o',
      'jsonl',
    );
    const versionOf = (path: string): unknown =>
      fields.find((field) => field['path'] === path)?.['resourceVersion'];
    expect(versionOf('spec.replicas')).toBe(life.scaled);
    expect(versionOf('metadata.name')).toBe(life.created);
    expect(versionOf('metadata.labels.tier')).toBe(life.labelled);
    expect(versionOf('spec.template.spec.containers[name=web].image')).toBe(life.labelled);
    expect(versionOf('spec.template.spec.containers[name=side].image')).toBe(life.labelled);
    expect(fields.find((field) => field['path'] === 'spec.replicas')).toMatchObject({
      value: 3,
      user: 'kubernetes-admin',
      verb: 'patch',
      fieldManager: 'scaler',
    });
  });

  it('shows it beside the YAML that kubectl would show', async () => {
    const shown = await everwatch('blame', 'deploy/web', ...shop);
    const column = shown.indexOf('FIELD');
    const yaml = shown
      .split('\n')
      .slice(1)
      .map((line) => line.slice(column))
      .join('\n');
    const client = adminClient(server);
    const { body } = await client.send('GET', '/apis/apps/v1/namespaces/shop/deployments/web', {
      headers: { accept: 'application/yaml' },
    });
    client.close();
    const expected = shownText(body)
      // As kubectl, which does not show them either.
      .replace(/^ {2}managedFields:\n(?: {2}- .*\n| {4,}.*\n)*/m, '')
      .split('\n')
      .filter((line) => !line.startsWith('  resourceVersion:'))
      .join('\n');
    expect(yaml).toBe(expected);
    expect(
      new Set(
        rowsOf(shown)
          .slice(1)
          .map(([version]) => version),
      ),
    ).toEqual(new Set([String(life.again)]));
  });

  it('says when an object was deleted', async () => {
    const client = adminClient(server);
    await client.post('/api/v1/namespaces/shop/configmaps', { metadata: { name: 'gone' } });
    await client.delete('/api/v1/namespaces/shop/configmaps/gone');
    client.close();
    const { code, stderr } = await everwatch.attempt('blame', 'cm/gone', ...shop);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^everwatch: configmaps\/gone was deleted at version \d+: see --at \d+\n$/,
    );
  });
});

describe('diff', () => {
  it('tells what changed between two moments', async () => {
    const { created, labelled, again } = life;
    const between = (from: number, to: number): string[] => [
      '--from',
      String(from),
      '--to',
      String(to),
    ];
    const kindsOf = async (...args: string[]): Promise<string[]> => {
      const found = await everwatch.lines('diff', ...args, '-o', 'jsonl');
      return found.map(
        (one) =>
          `${shownText(one['change'])} ${shownText(one['resource'])}/${shownText(one['name'])}`,
      );
    };
    expect(await kindsOf(...between(created - 1, created))).toEqual(['added apps/deployments/web']);
    expect(await kindsOf(...between(created, labelled))).toEqual(['changed apps/deployments/web']);
    expect(await kindsOf(...between(created, again))).toEqual(['replaced apps/deployments/web']);
    expect(await kindsOf(...between(labelled, labelled + 1))).toEqual([
      'removed apps/deployments/web',
    ]);
    expect(await kindsOf(...between(created, created - 1))).toEqual([
      'removed apps/deployments/web',
    ]);
    expect(await kindsOf(...between(again, again))).toEqual([]);
    expect(await kindsOf(...between(0, life.otherSecret), 'secrets,ns', '-n', 'shop')).toEqual([
      'added core/secrets/login',
    ]);
    expect((await kindsOf(...between(0, life.otherSecret), 'ns')).sort()).toContain(
      'added core/namespaces/shop',
    );
  });

  it('is a table for people, and tells whether there is a difference to scripts that ask', async () => {
    const between = ['--from', String(life.created), '--to', String(life.scaled)];
    const { code, stdout, stderr } = await everwatch.attempt('diff', ...between);
    expect(code).toBe(0);
    expect(rowsOf(stdout)[1]).toEqual([
      'changed',
      'deployments.apps/web',
      'shop',
      String(life.scaled),
      expect.any(String),
      'kubernetes-admin',
      'spec.replicas 1 → 3',
    ]);
    expect(stderr).toContain('1 changed between versions');
    expect((await everwatch.attempt('diff', ...between, '--exit-code')).code).toBe(1);
    expect((await everwatch.attempt('diff', '--from', '1', '--to', '1', '--exit-code')).code).toBe(
      0,
    );
    expect(await everwatch('diff', ...between, '--diff')).toContain(
      '-  replicas: 1\n+  replicas: 3\n',
    );
  });
});

describe('tail', () => {
  it('shows the whole log, and every verdict', async () => {
    const all = await everwatch.lines('tail', '--from', '0', '--no-follow', '--all');
    expect(all.map((one) => one['resourceVersion'])).toEqual(all.map((_, index) => index + 1));
    expect(new Set(all.map((one) => one['verdict']))).toEqual(new Set(['effective']));
    const web = all.find((one) => one['resourceVersion'] === life.created);
    expect(web).toMatchObject({
      type: 'added',
      resource: 'apps/deployments',
      namespace: 'shop',
      name: 'web',
      user: 'kubernetes-admin',
      verb: 'create',
      fieldManager: 'maker',
    });
    expect(textAt(web?.['object'], 'kind')).toBe('Deployment');
  });

  it('shows only what is selected', async () => {
    const from = ['--from', '0', '--no-follow'];
    const versions = async (...args: string[]): Promise<unknown[]> =>
      (await everwatch.lines('tail', ...from, ...args)).map((one) => one['resourceVersion']);
    expect(await versions('secrets', '-n', 'shop')).toEqual([life.secret, life.otherSecret]);
    expect(await versions('-l', 'tier=front')).toEqual([life.labelled, life.deleted]);
    expect(await versions('deploy', '--to', String(life.scaled))).toEqual([
      life.created,
      life.scaled,
    ]);
    expect(await versions('deploy', '-n', 'nowhere')).toEqual([]);
    const table = await everwatch('tail', ...from, 'deploy,secrets', '-n', 'shop', '-o', 'table');
    expect(
      rowsOf(table)
        .slice(1)
        .map((row) => row.slice(2, 4)),
    ).toContainEqual(['deleted', 'deployments.apps/web']);
  });

  it('ends at Ctrl-C, and when its output is closed', async () => {
    const tail = everwatch.start('tail', '--from', '0');
    await eventually('lines', () => tail.stdout().includes('"login"') || undefined);
    tail.kill('SIGINT');
    const { code, stderr } = await tail.ended;
    expect([code, stderr]).toEqual([130, '']);
    const shell = `"$0" "$1" tail --from 0 --no-follow | head -n 1`;
    const { run } = await import('../support/command.ts');
    const { SERVER_PROGRAM } = await import('../support/server.ts');
    const env = { ...process.env, KUBECONFIG: server.kubeconfig };
    const piped = await run('sh', ['-c', shell, process.execPath, SERVER_PROGRAM], { env });
    expect(linesIn(piped.stdout)).toHaveLength(1);
    expect(piped.stderr).toBe('');
  });
});

describe('status and verify', () => {
  it('tell how the server is', async () => {
    const status = parseJson(await everwatch('status', '-o', 'json'));
    expect(at(status, 'engine')).toBe('embedded');
    expect(at(status, 'log', 'oldest')).toBe(1);
    expect(at(status, 'objects', 'apps/deployments')).toBe(1);
    expect(Number(at(status, 'disk', 'logBytes'))).toBeGreaterThan(0);
    const shown = await everwatch('status');
    expect(shown).toMatch(/^log {9}https:\/\/127.0.0.1:\d+ \(embedded\)\nversions {4}1 \(20/);
    expect(shown).toMatch(/\ndeployments\.apps +1\n/);
    expect(await everwatch('verify', '--kubeconfig', server.kubeconfig)).toContain(
      'agrees with its log\n',
    );
  });
});

describe('a fork', () => {
  it('has a log that begins with that of its parent', async () => {
    await everwatch(
      'fork',
      'create',
      'try',
      '--at',
      String(life.scaled),
      '--kubeconfig',
      server.kubeconfig,
    );
    const client = adminClient(server);
    const maps = '/forks/try/api/v1/namespaces/shop/configmaps';
    const created = await eventually('the fork', async () => {
      const { status, body } = await client.post(maps, { metadata: { name: 'tried' } });
      return status === 201 ? Number(textAt(body, 'metadata', 'resourceVersion')) : undefined;
    });
    const inFork = ['--fork', 'try'];
    const summaries = async (...args: string[]): Promise<unknown[]> => {
      const found = await everwatch.lines('history', ...args, ...shop, '-o', 'jsonl');
      return found.map((one) => one['summary']);
    };
    expect(await summaries('deploy/web', ...inFork)).toEqual(['created', 'spec.replicas 1 → 3']);
    expect(await summaries('cm/tried', ...inFork)).toEqual(['created']);
    expect((await everwatch.attempt('history', 'cm/tried', ...shop)).code).toBe(1);
    const since = ['--from', String(life.scaled), '-n', 'shop', '-o', 'jsonl'];
    const [tried, ...others] = await everwatch.lines('diff', ...since, ...inFork);
    expect([tried?.['change'], tried?.['name'], others]).toEqual(['added', 'tried', []]);
    const status = parseJson(await everwatch('status', '-o', 'json', ...inFork));
    expect(Number(at(status, 'log', 'newest'))).toBeGreaterThanOrEqual(created);
    expect(at(status, 'objects', 'apps/deployments')).toBe(1);
    const verified = await everwatch('verify', '--kubeconfig', server.kubeconfig, ...inFork);
    expect(verified).toContain('agrees with its log\n');
    await client.delete('/apis/dev.everwatch/v1alpha1/forks/try');
    client.close();
    await eventually('no fork', async () => {
      const { code } = await everwatch.attempt('status', ...inFork);
      return code === 1 || undefined;
    });
  });
});

describe('a user without rights', () => {
  it('sees no log without credentials', async () => {
    const { url, ca } = readKubeconfig(server.kubeconfig);
    const anonymous = join(folder, 'anonymous.kubeconfig');
    const config = (user: string): string =>
      'current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n' +
      `clusters: [{name: c, cluster: {server: "${url}", certificate-authority-data: ${Buffer.from(ca).toString('base64')}}}]\n` +
      `users: [{name: u, user: {${user}}}]\n`;
    writeFileSync(anonymous, config(''));
    for (const args of [
      ['tail', '--no-follow'],
      ['status'],
      ['diff', '--from', '1'],
      ['history', 'ns/shop'],
    ]) {
      const { code, stdout, stderr } = await everwatch.attempt(...args, '--kubeconfig', anonymous);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^everwatch: .* 401 Unauthorized/);
    }
    const wrong = join(folder, 'wrong.kubeconfig');
    writeFileSync(wrong, config('token: nonsense'));
    expect((await everwatch.attempt('status', '--kubeconfig', wrong)).stderr).toContain(
      '401 Unauthorized',
    );
    const known = join(folder, 'eve.kubeconfig');
    writeFileSync(known, config('token: eve-token'));
    expect(await everwatch('status', '--kubeconfig', known)).toContain('everwatch ');
  });

  it('sees none where it is not allowed', async () => {
    const args = ['--token-auth-file', tokens, '--authorization-mode', 'AlwaysDeny'];
    const strict = await startServer({ args });
    const { url, ca } = readKubeconfig(strict.kubeconfig);
    const eve = join(folder, 'strict.kubeconfig');
    writeFileSync(
      eve,
      'current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n' +
        `clusters: [{name: c, cluster: {server: "${url}", certificate-authority-data: ${Buffer.from(ca).toString('base64')}}}]\n` +
        'users: [{name: u, user: {token: eve-token}}]\n',
    );
    const { code, stderr } = await everwatch.attempt('tail', '--from', '0', '--kubeconfig', eve);
    expect(code).toBe(1);
    // It is told what the socket needs, which every user has unless it is taken away.
    expect(stderr).toContain('User "eve" cannot get path "/api"');
    expect(await everwatch('status', '--kubeconfig', strict.kubeconfig)).toContain('embedded');
    await strict.stop();
  });
});

describe('bad arguments', () => {
  it.each([
    [['history'], "error: missing required argument 'KIND/NAME'"],
    [['history', 'web'], 'everwatch: name one object: KIND/NAME'],
    [['history', 'a/b/c'], 'everwatch: name one object: KIND/NAME'],
    [['history', 'nope/web'], `everwatch: the server doesn't have a resource type "nope"`],
    [
      ['history', 'deploy/none', '-n', 'shop'],
      'everwatch: there never was a deployments.apps/none in namespace "shop"',
    ],
    [
      ['history', 'deploy/web', '-o', 'wide'],
      'everwatch: -o: must be one of table, json, jsonl, yaml',
    ],
    [['history', 'deploy/web', '--since', 'noon'], 'everwatch: --since: must be a version, a time'],
    [['history', 'deploy/web', '--since', '1h', '--from', '1'], 'cannot be used with option'],
    [['diff'], "error: required option '--from <MOMENT>' not specified"],
    [['diff', '--from', '1', '--to', '999999'], 'everwatch: --to: version 999999 is yet to come'],
    [['diff', '--from', '1', 'nope'], 'resource type "nope"'],
    [['tail', '-l', 'a in'], 'everwatch: -l: '],
    [['tail', '--nope'], "error: unknown option '--nope'"],
    [
      ['status', '--data-dir', '/no/such'],
      'everwatch: --data-dir /no/such: there is no data directory',
    ],
    [['status', '--kubeconfig', '/no/such'], 'everwatch: cannot read /no/such: no such file'],
    [['status', '--context', 'none'], 'there is no context named "none"'],
    [['status', '--data-dir', 'a', '--log', 'b'], '--data-dir and --log each name a place'],
    [['status', '--log', 'nonsense'], 'everwatch: --log: must be'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await everwatch.attempt(...args);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([1, '']);
  });

  it('a directory that is served', async () => {
    const { code, stderr } = await everwatch.attempt('status', '--data-dir', dataDir);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `everwatch: ${dataDir} is in use by a running server: ` +
        `use --kubeconfig ${join(dataDir, 'admin.kubeconfig')}\n`,
    );
  });

  it.each(['history', 'blame', 'diff', 'tail', 'status', 'verify'])(
    'help teaches %s',
    async (command) => {
      const help = await everwatch(command, '--help');
      expect(help).toContain(`Usage: everwatch ${command} `);
      expect(help).toContain('--kubeconfig <FILE>');
      expect(help).toContain('--data-dir <DIR>');
      expect(help).toContain(`Examples:\n  everwatch ${command}`);
    },
  );
});
