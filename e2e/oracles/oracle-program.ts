/**
 * Builds one of the Go programs in this folder and asks it questions. Without Go, or without the
 * modules it needs, there is no program and the test is skipped.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { goIn, oracleBinary, oracleEnvironment } from '../../tools/oracle-binary.fixture.ts';

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
    const binary = await oracleBinary(folder, kind);
    const fixtures = await goIn(folder, ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/api']);
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

function ask(binary: string, questions: readonly unknown[]): unknown[] {
  const input = questions.map((question) => `${formatJson(question as object)}\n`).join('');
  const output = execFileSync(binary, {
    input,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    env: oracleEnvironment(),
  });
  const answers = output.split('\n').filter((line) => line.startsWith('{'));
  if (answers.length !== questions.length) throw new Error(`${binary} did not answer everything`);
  return answers.map((line): unknown => parseJson(line));
}
