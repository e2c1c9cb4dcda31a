import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine, type CommandLineParts } from './command-line.ts';
import type { ServeOptions } from '../flags/serve-settings.ts';
import { StartupError } from '../process/startup-error.ts';

async function run(argv: string[], parts: Partial<CommandLineParts> = {}) {
  let out = '';
  let err = '';
  const code = await runCommandLine(argv, {
    serve: () => Promise.resolve(),
    verify: () => Promise.resolve(true),
    print: (text) => void (out += text),
    printError: (text) => void (err += text),
    ...parts,
  });
  return { code, out, err };
}

describe('everwatch', () => {
  it('serves with the options of its flags', async () => {
    const served: ServeOptions[] = [];
    const serve = (options: ServeOptions): Promise<void> => {
      served.push(options);
      return Promise.resolve();
    };
    expect(await run(['serve', '--secure-port', '7443'], { serve })).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    expect(served).toMatchObject([
      { listening: { securePort: 7443 }, log: { dataDir: './everwatch-data' } },
    ]);
  });

  it.each([
    [
      ['serve', '--secure-port=x'],
      'everwatch: invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x"',
    ],
    [['serve', '--nope'], "error: unknown option '--nope'"],
    [['serve', 'more'], "error: too many arguments for 'serve'. Expected 0 arguments but got 1."],
    [['serve', '', 'more'], "error: too many arguments for 'serve'"],
    [['nope'], "error: unknown command 'nope'"],
    [['kubeconfig', '--data-dir=/no/such'], 'everwatch: there is no /no/such/admin.kubeconfig'],
    [['kubeconfig', '--still'], 'everwatch: --still needs the moment, with --at'],
  ])('says in one line what is wrong with %j', async (argv, message) => {
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('says in one line why the server did not start', async () => {
    const serve = () => Promise.reject(new StartupError('port 6443 is taken'));
    expect(await run(['serve'], { serve })).toEqual({
      code: 1,
      out: '',
      err: 'everwatch: port 6443 is taken\n',
    });
  });

  it('takes empty arguments for none, as kube-apiserver', async () => {
    expect(await run(['serve', '', '--secure-port=1', ''])).toEqual({ code: 0, out: '', err: '' });
  });

  it('shows where it happened when it is our fault', async () => {
    const { code, err } = await run(['serve'], { serve: () => Promise.reject(new Error('bug')) });
    expect(code).toBe(1);
    expect(err).toMatch(/this should not have happened: Error: bug\n\s+at /);
  });

  it('verifies the directory it is told', async () => {
    const verified: string[] = [];
    const verify = ({ dataDir }: { readonly dataDir: string }): Promise<boolean> => {
      verified.push(dataDir);
      return Promise.resolve(dataDir === '/d');
    };
    expect((await run(['verify', '--data-dir', '/d'], { verify })).code).toBe(0);
    expect((await run(['verify'], { verify })).code).toBe(1);
    expect(verified).toEqual(['/d', './everwatch-data']);
  });

  it('prints the kubeconfig', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'everwatch-cli-'));
    await writeFile(join(directory, 'admin.kubeconfig'), 'kind: Config\n');
    expect((await run(['kubeconfig', '--data-dir', directory])).out).toBe('kind: Config\n');
    await rm(directory, { recursive: true });
  });

  it('prints its version', async () => {
    expect((await run(['version'])).out).toMatch(
      /^everwatch \d+\.\d+\.\d+ \(Kubernetes v1\.36\.3\)\n$/,
    );
  });

  it.each([
    [['--help'], 'To begin:\n  everwatch serve\n'],
    [['help', 'serve'], '--secure-port <PORT>'],
    [['serve', '--help'], '--data-dir <DIR>'],
    [['verify', '--help'], 'Fold the whole log again'],
  ])('helps with %j', async (argv, text) => {
    const { code, out, err } = await run(argv);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(text);
  });
});

const WIDTH = 80;

/** Lines of the description that end before the next word would not fit. */
async function shortLines(name: string): Promise<string[]> {
  const { out } = await run([name, '--help']);
  const text = out.slice(out.indexOf('\n\n') + 2);
  const lines = text.slice(0, text.indexOf('\n\n')).split('\n');
  return lines.filter((line, at) => {
    const [next] = (lines[at + 1] ?? '').split(' ', 1);
    return next !== undefined && next !== '' && `${line} ${next}`.length <= WIDTH;
  });
}

it.each([
  ...[
    'history',
    'blame',
    'diff',
    'tail',
    'shred',
    'status',
    'export',
    'import',
    'record',
    'replay',
  ],
  ...['verify', 'fork', 'dashboard', 'envtest', 'kubeconfig'],
])('tells of %s in lines that fill a terminal', async (name) => {
  expect(await shortLines(name)).toEqual([]);
});
