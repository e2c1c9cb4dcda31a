import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartupError } from '../../process/startup-error.ts';
import { clusterAccess } from '../../configuration/kubeconfig-access.ts';
import { parseMoment } from '../tool/moment.ts';
import { sourcePlace, withSourceOptions, type SourceOptions } from './source-options.ts';

function placeOf(...argv: string[]) {
  const command = withSourceOptions(new Command());
  return sourcePlace(command.parse(argv, { from: 'user' }).opts<SourceOptions>());
}

describe('where a tool reads from', () => {
  it.each([
    [[], { kind: 'server', fork: '' }],
    [
      ['--kubeconfig', 'f', '--context', 'c', '--fork', 'x'],
      { kubeconfig: 'f', context: 'c', fork: 'x' },
    ],
    [['--data-dir', 'd'], { kind: 'directory', path: 'd' }],
    [
      ['--log', 'kafka://a:1/t', '--config', 'c'],
      { kind: 'kafka', url: 'kafka://a:1/t', config: 'c' },
    ],
  ])('is said by %j', (argv, place) => {
    expect(placeOf(...argv)).toMatchObject(place);
  });

  it.each([
    [['--data-dir', 'd', '--log', 'l'], '--data-dir and --log each name a place'],
    [['--kubeconfig', 'k', '--data-dir', 'd'], '--kubeconfig and --data-dir each name'],
    [['--data-dir', 'd', '--fork', 'f'], '--fork is for running servers'],
    [['--log', 'l', '--context', 'c'], '--context is for running servers'],
    [['--config', 'c'], '--config goes with --log'],
  ])('cannot be %j', (argv, message) => {
    expect(() => placeOf(...argv)).toThrow(StartupError);
    expect(() => placeOf(...argv)).toThrow(message);
  });
});

describe('a moment', () => {
  const NOW = Date.parse('2026-11-21T12:00:00Z');
  const timeOf = (text: string): unknown => {
    const moment = parseMoment(text, '--from', NOW);
    return moment.kind === 'time' ? new Date(moment.ms).toISOString() : moment;
  };

  it.each([
    ['now', { kind: 'now' }],
    ['0', { kind: 'version', version: 0 }],
    ['1234', { kind: 'version', version: 1234 }],
    ['1h', '2026-11-21T11:00:00.000Z'],
    ['1h30m ago', '2026-11-21T10:30:00.000Z'],
    ['2d', '2026-11-19T12:00:00.000Z'],
    ['1d12h', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ])('is %s', (text, expected) => {
    expect(timeOf(text)).toEqual(expected);
  });

  it.each(['', 'yesterday', '-1', '1.5', '12x', '-1h', 'ago', '2026-99-01', '99999999999999999'])(
    'is not %j',
    (text) => {
      expect(() => timeOf(text)).toThrow('--from: must be a version, a time');
    },
  );
});

describe('a kubeconfig', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'everwatch-access-'));
    const text = [
      'current-context: one',
      'clusters:',
      `- {name: c, cluster: {server: "https://a.example:6443/", certificate-authority: ca.pem}}`,
      '- {name: plain, cluster: {server: "http://a.example"}}',
      '- {name: other, cluster: {server: "a.example:80"}}',
      'users:',
      `- {name: u, user: {client-certificate-data: ${b64('cert')}, client-key-data: ${b64('key')}}}`,
      '- {name: t, user: {tokenFile: token}}',
      '- {name: p, user: {username: ann, password: pw}}',
      '- {name: e, user: {exec: {command: aws, interactiveMode: Maybe, env: [{value: x}]}}}',
      '- {name: old, user: {exec: {command: a, apiVersion: x/v1, interactiveMode: Never}}}',
      '- {name: oidc, user: {auth-provider: {name: oidc}}}',
      'contexts:',
      '- {name: one, context: {cluster: c, user: u, namespace: shop}}',
      ...['t', 'p', 'e', 'old', 'oidc'].map(
        (name) => `- {name: ${name}, context: {cluster: c, user: ${name}}}`,
      ),
      '- {name: plain, context: {cluster: plain, user: u}}',
      '- {name: other, context: {cluster: other, user: u}}',
      '- {name: lost, context: {cluster: nowhere, user: u}}',
    ].join('\n');
    await writeFile(join(folder, 'config'), text);
    await writeFile(join(folder, 'context-only'), 'current-context: t\n');
    await writeFile(join(folder, 'ca.pem'), 'CA');
    await writeFile(join(folder, 'token'), 'letmein\n');
    await writeFile(join(folder, 'broken'), 'a: [');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const b64 = (text: string): string => Buffer.from(text).toString('base64');
  const access = (context?: string, environment: Record<string, string> = {}) =>
    clusterAccess(
      { file: context === undefined ? undefined : join(folder, 'config'), context },
      environment,
    );

  it('is read as kubectl reads it', async () => {
    const config = join(folder, 'config');
    expect(await clusterAccess({ file: config, context: undefined }, {})).toEqual({
      server: 'https://a.example:6443',
      ca: 'CA',
      verifiesServer: true,
      serverName: '',
      cert: 'cert',
      key: 'key',
      authorization: '',
      namespace: 'shop',
    });
    expect(await access('t')).toMatchObject({ authorization: 'Bearer letmein', cert: undefined });
    expect(await access('p')).toMatchObject({ authorization: `Basic ${b64('ann:pw')}` });
  });

  it('may be several files, of which the first counts', async () => {
    const paths = ['missing', 'context-only', 'config'].map((name) => join(folder, name));
    const found = await access(undefined, { KUBECONFIG: paths.join(':') });
    expect(found.authorization).toBe('Bearer letmein');
  });

  it.each([
    [
      'e',
      'invalid configuration: [apiVersion must be specified for e to use exec authentication plugin, ' +
        'env variable name must be specified for e to use exec authentication plugin, ' +
        'invalid interactiveMode for e: "Maybe"]',
    ],
    ['old', 'exec plugin: invalid apiVersion "x/v1"'],
    ['oidc', 'from a plugin, which is not supported'],
    ['plain', 'not an https:// URL'],
    ['other', 'not an https:// URL'],
    ['lost', 'there is no cluster named "nowhere"'],
    ['none', 'there is no context named "none"'],
  ])('with the context %s is refused', async (context, message) => {
    await expect(access(context)).rejects.toThrow(message);
  });

  it('must be there, and be one', async () => {
    await expect(access(undefined, { HOME: folder })).rejects.toThrow(
      `there is no kubeconfig at ${join(folder, '.kube', 'config')}: give --kubeconfig FILE`,
    );
    const broken = clusterAccess({ file: join(folder, 'broken'), context: undefined }, {});
    await expect(broken).rejects.toThrow(`${join(folder, 'broken')}: `);
    const missing = clusterAccess({ file: '/no/such', context: undefined }, {});
    await expect(missing).rejects.toThrow('cannot read /no/such: no such file');
  });
});
