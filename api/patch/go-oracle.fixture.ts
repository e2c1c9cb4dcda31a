/**
 * Asks a small Go program of e2e/oracles what the original does, for tests that compare.
 *
 * Where there is no Go, or its modules cannot be had, the tests are skipped with one loud line;
 * with EVERWATCH_REQUIRE_ALL=1 they fail instead.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { formatJson, parseJson } from '../json/json-text.ts';
import { oracleBinary, oracleEnvironment } from '../../tools/oracle-binary.fixture.ts';
import { bitsFrom } from '../../tools/seeded-chance.fixture.ts';

/** One answer for each question, in their order. */
export type Oracle = <Answer>(questions: readonly object[]) => Answer[];

const ORACLES = join(import.meta.dirname, '../../e2e/oracles');
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Builds the program of that folder of e2e/oracles; call it with top-level await.
 * @throws when it cannot be had and EVERWATCH_REQUIRE_ALL=1.
 */
export async function goOracle(name: string): Promise<Oracle | undefined> {
  try {
    const program = await oracleBinary(join(ORACLES, name), 'program');
    return (questions) => ask(program, questions);
  } catch (cause) {
    const why = String(cause instanceof Error ? cause.message : cause)
      .split('\n', 2)
      .join(' ');
    const line = `SKIPPED: comparing with Go needs Go 1.26 and its module proxy (${why})`;
    if (process.env['EVERWATCH_REQUIRE_ALL'] === '1') throw new Error(line, { cause });
    console.warn(line);
    return undefined;
  }
}

function ask<Answer>(program: string, questions: readonly object[]): Answer[] {
  const input = questions.map((question) => formatJson(question)).join('\n');
  const ran = spawnSync(program, {
    input,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    env: oracleEnvironment(),
  });
  if (ran.status !== 0) throw new Error(`${program} failed: ${ran.stderr}`);
  const lines = ran.stdout.trimEnd().split('\n');
  if (lines.length !== questions.length) {
    throw new Error(`${String(questions.length)} questions, ${String(lines.length)} answers`);
  }
  return lines.map((line) => parseJson(line) as Answer); // The program's answers are its own.
}

/** The same sequence for the same seed: at least 0, less than `below`. */
export type Dice = (below: number) => number;

export function seededDice(seed: number): Dice {
  const bits = bitsFrom(seed);
  return (below) => bits() % below;
}

export function oneOf<Value>(dice: Dice, values: readonly [Value, ...Value[]]): Value {
  return values[dice(values.length)] ?? values[0];
}

/** Between `least` and `most` of what `make` gives. */
export function several<Value>(
  dice: Dice,
  [least, most]: readonly [number, number],
  make: () => Value,
): Value[] {
  return Array.from({ length: least + dice(most - least + 1) }, make);
}
