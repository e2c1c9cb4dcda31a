/** That every flag of kube-apiserver is taken, and refuses the same texts in the same words. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { runCommandLine } from '../commands/command-line.ts';
import { parseServeOptions } from './flags.ts';
import { problem } from './given-flags.fixture.ts';
import { SERVE_SETTINGS } from './serve-settings.ts';
import type { ServeOptions } from './serve-settings.ts';
import { deprecationLines, TAKEN_FLAGS, takenWarnings } from './taken-flags.ts';
import { upstreamFlags } from './upstream-flags.ts';

/** All texts for the first flag that answers so; a few for the others, as each costs a command. */
function asked(name: string, reasons: Answers['reasons']): [text: string, reason: string][] {
  // Behind `--v=` an equals sign cannot be told from the one of `-v=3`.
  const all = Object.entries(reasons).filter(([text]) => name !== 'v' || text !== '=');
  if (answers.some(({ flags: [first] }) => first === name)) return all;
  const refused = all.filter(([, reason]) => reason !== '').slice(0, 2);
  return [...refused, ...all.filter(([, reason]) => reason === '').slice(0, 2)];
}

interface Answers {
  readonly flags: readonly string[];
  /** By the text, why pflag refuses it; '' where it does not. */
  readonly reasons: Readonly<Record<string, string>>;
}

const golden = new URL('flag-answers.golden.json', import.meta.url);
const answers = JSON.parse(readFileSync(golden, 'utf8')) as Answers[];
const settings = new Map(SERVE_SETTINGS.map((setting) => [setting.flag, setting]));
const flags = [...upstreamFlags().values()].filter(({ name }) => name !== 'help');

const INVALID = /^invalid argument /;

/** Flags whose default is a file or needs others beside it. */
const VALID: Readonly<Record<string, readonly string[]>> = {
  'authorization-mode': ['--authorization-mode=Node,RBAC'],
  'service-account-issuer': ['--service-account-issuer=https://a'],
  'allow-metric-labels': ['--allow-metric-labels=metric,label=a,b'],
  'oidc-required-claim': [
    ...['--oidc-required-claim=a=b', '--oidc-issuer-url=https://a', '--oidc-client-id=b'],
  ],
  'runtime-config': ['--runtime-config=api/all=true'],
  'feature-gates': ['--feature-gates=WatchList=false'],
  'tls-sni-cert-key': ['--tls-sni-cert-key=a.crt,a.key'],
  'service-account-key-file': ['--service-account-key-file=a'],
  'tls-curve-preferences': ['--tls-curve-preferences=29'],
  'advertise-address': ['--advertise-address=10.0.0.1'],
  version: ['--version=false'],
};

function validLine(name: string, byDefault = ''): readonly string[] {
  return VALID[name] ?? [`--${name}=${byDefault.replaceAll(/^\[|\]$/g, '')}`];
}

function optionsOf(argv: readonly string[]): ServeOptions {
  return parseServeOptions(argv, () => '');
}

describe('flags of kube-apiserver', () => {
  it('are all there, and short names too', () => {
    const missing = flags.filter(({ name, short }) => settings.get(name)?.short !== short);
    expect(missing).toEqual([]);
    expect(flags.filter(({ name }) => !settings.has(name))).toEqual([]);
    expect(flags.length).toBeGreaterThanOrEqual(172);
  });

  it('have one setting each', () => {
    expect(settings.size).toBe(SERVE_SETTINGS.length);
  });

  it.each(flags)('--$name starts with what it is by default', ({ name, default: byDefault }) => {
    expect(problem([...validLine(name, byDefault)])).toBe('no problem');
  });

  it.each(flags.filter(({ bare }) => bare !== undefined))('--$name stands alone', ({ name }) => {
    expect(problem([`--${name}`])).not.toMatch(/argument missing|invalid argument/);
  });
});

describe.each(
  answers.flatMap(({ flags: names, reasons }) =>
    names.filter((name) => name !== 'help').map((name) => ({ name, reasons })),
  ),
)('--$name', ({ name, reasons }) => {
  const short = upstreamFlags().get(name)?.short;
  const shown = short === undefined ? `--${name}` : `-${short}, --${name}`;

  it('refuses what pflag refuses, in its words, and nothing else so', () => {
    const wrong = asked(name, reasons).flatMap(([text, reason]) => {
      const said = problem([`--${name}=${text}`]);
      if (reason === '') return INVALID.test(said) ? [[text, said]] : [];
      const sentence = `invalid argument ${JSON.stringify(text)} for "${shown}" flag: ${reason}`;
      return said === sentence ? [] : [[text, said, sentence]];
    });
    expect(wrong).toEqual([]);
  });
});

describe('flags without effect', () => {
  it('are told of once for each reason, at the start', () => {
    const { said } = optionsOf([
      '--etcd-servers=http://a',
      '--etcd-cafile=b',
      '--watch-cache=false',
    ]);
    expect(takenWarnings(said)).toEqual([
      'without effect: --etcd-cafile, --etcd-servers: there is no etcd; the log lies in --data-dir, or where --log says',
    ]);
    expect(takenWarnings(optionsOf([]).said)).toEqual([]);
  });

  it('are marked in /flagz, and have their texts there', () => {
    const { texts } = optionsOf(['--watch-cache=false']).said;
    expect(texts.get('watch-cache')).toBe('false');
    expect(TAKEN_FLAGS.has('watch-cache')).toBe(true);
    expect(TAKEN_FLAGS.has('secure-port')).toBe(false);
  });

  it('are flags of kube-apiserver', () => {
    expect([...TAKEN_FLAGS].filter((flag) => !upstreamFlags().has(flag))).toEqual([]);
  });

  it.each([
    [
      '--storage-backend=etcd2',
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    ],
    [
      '--apiserver-count=0',
      "--apiserver-count should be a positive number, but value '0' provided",
    ],
    ['--emulated-version=1.20', 'emulation version 1.20 is not between [1.33, 1.36]'],
    ['--emulated-version=x', 'could not parse "x" as version'],
    ['--emulated-version=wardle=1.2', 'component not registered: wardle'],
    ['--emulated-version=1.36.1', 'patch version not allowed, got: kube=1.36.1'],
    [
      '--emulated-version=kube=1.35',
      '--emulated-version=1.35 cannot be: this server speaks Kubernetes 1.36 and emulates no other version',
    ],
    [
      '--min-compatibility-version=1.37',
      'minCompatibilityVersion version 1.37 is not between [1.33, 1.36]',
    ],
    ['--min-compatibility-version=kube=1.35', 'no problem'],
    ['--emulated-version=1.36', 'no problem'],
    [
      '--enable-garbage-collector=false',
      expect.stringContaining('cannot be: finalizers') as string,
    ],
    [
      '--storage-media-type=text/plain',
      '--storage-media-type "text/plain" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf, application/yaml',
    ],
  ])('%s: %s', (argument, sentence) => {
    expect(problem([argument])).toEqual(sentence);
  });
});

describe('deprecated flags', () => {
  it('are told of as pflag does', () => {
    const { isGiven } = optionsOf(['--apiserver-count=3', '--kubelet-port=1']).said;
    expect(deprecationLines({ isGiven })).toEqual([
      'Flag --apiserver-count has been deprecated, apiserver-count is deprecated and will be removed in a future version.',
      'Flag --kubelet-port has been deprecated, kubelet-port is deprecated and will be removed.',
    ]);
  });

  it('mean the flag that took their place', () => {
    const { audit } = optionsOf(['--audit-webhook-batch-initial-backoff=3s']);
    expect(audit.auditWebhookInitialBackoffMs).toBe(3_000);
  });
});

interface Run {
  readonly said: string;
  readonly served: readonly ServeOptions[];
}

async function run(argv: readonly string[], calledAs = 'everwatch'): Promise<Run> {
  let said = '';
  const served: ServeOptions[] = [];
  const print = (text: string): void => void (said += text);
  const serve = (options: ServeOptions) => Promise.resolve(served.push(options));
  const verify = () => Promise.resolve(true);
  await runCommandLine(argv, { serve, verify, print, printError: print, calledAs });
  return { said, served };
}

describe('the program', () => {
  it('called kube-apiserver takes its flags, and listens on all addresses', async () => {
    const { served } = await run(['--secure-port=7443'], 'kube-apiserver');
    expect(served.map(({ listening }) => [listening.bindAddress, listening.securePort])).toEqual([
      ['0.0.0.0', 7443],
    ]);
    const other = await run(['--bind-address=127.0.0.2'], 'kube-apiserver');
    expect(other.served[0]?.listening.bindAddress).toBe('127.0.0.2');
  });

  it('says which version it serves, and does not start', async () => {
    expect(await run(['--version'], 'kube-apiserver')).toEqual({
      said: 'Kubernetes v1.36.3\n',
      served: [],
    });
    const { said } = await run(['serve', '--version=raw']);
    expect(said).toMatch(/^version\.Info\{Major:"1", Minor:"36", /);
    expect((await run(['serve', '--version=false'])).served).toHaveLength(1);
  });

  it('prints that a flag is deprecated, and starts', async () => {
    const { said, served } = await run(['serve', '--default-watch-cache-size=7']);
    expect(said).toBe(
      'Flag --default-watch-cache-size has been deprecated, watch caches are sized automatically and this flag will be removed in a future version\n',
    );
    expect(served).toHaveLength(1);
  });

  it('names a flag that there is not as before', async () => {
    expect((await run(['serve', '--nonesuch'])).said).toBe("error: unknown option '--nonesuch'\n");
  });
});
