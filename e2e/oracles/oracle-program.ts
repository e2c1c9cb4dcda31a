/**
 * Builds one of the Go programs in this folder and asks it questions. The binary is kept in the
 * system's temporary directory, named after a hash of its sources, because building it takes a
 * minute; without Go, or without the modules it needs, there is no program and the test is skipped.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const OUTPUT_BYTES_MAX = 1 << 30;

export interface OracleProgram {
  /** One JSON object out for each question, in order; other lines are no answers. */
  ask(questions: readonly unknown[]): unknown[];
  /** The folder with an object of every kind, in JSON, YAML and protobuf. */
  readonly fixtures: string;
}

/**
 * The program in `folder`, or undefined with one loud line when it cannot be built.
 * With EVERWATCH_REQUIRE_ALL=1 a missing program is an error.
 */
export async function buildOracle(
  folder: string,
  kind: 'program' | 'test',
): Promise<OracleProgram | undefined> {
  try {
    const binary = await build(folder, kind);
    const fixtures = await go(folder, ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/api']);
    return {
      ask: (questions) => ask(binary, questions),
      fixtures: join(fixtures.trim(), 'testdata/HEAD'),
    };
  } catch (error) {
    if (process.env['EVERWATCH_REQUIRE_ALL'] === '1') throw error;
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    console.warn(`SKIPPED ${folder}: install Go 1.26 and allow its module downloads (${reason})`);
    return undefined;
  }
}

async function build(folder: string, kind: 'program' | 'test'): Promise<string> {
  const cache = join(tmpdir(), 'everwatch-oracles');
  const name = folder.split('/').at(-1) ?? 'oracle';
  const binary = join(cache, `${name}-${fingerprint(folder)}`);
  if (existsSync(binary)) return binary;
  mkdirSync(cache, { recursive: true });
  const command = kind === 'test' ? ['test', '-c'] : ['build'];
  await go(folder, [...command, '-ldflags=-s -w', '-o', binary, '.']);
  return binary;
}

function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) {
    if (/\.(?:go|mod|sum)$/.test(file)) hash.update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Not synchronous: a build takes longer than the test runner waits for a silent worker. */
async function go(folder: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' };
  const { stdout } = await run('go', args, { cwd: folder, env });
  return stdout;
}

function ask(binary: string, questions: readonly unknown[]): unknown[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
  const output = execFileSync(binary, {
    input,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  const answers = output.split('\n').filter((line) => line.startsWith('{'));
  if (answers.length !== questions.length) throw new Error(`${binary} did not answer everything`);
  return answers.map((line): unknown => JSON.parse(line));
}
