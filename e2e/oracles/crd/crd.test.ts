/**
 * Our rules of custom resource definitions against apiextensions-apiserver's own: definitions of
 * well-known operators, which both must accept, and thousands that were changed at random, of which
 * both must say the same. A larger run: EVERWATCH_ROUNDS=1000, and EVERWATCH_SEED for another one.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import type { FieldErrors } from '../../../api/field/field-errors.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import { buildOracle, type OracleProgram } from '../oracle-program.ts';
import { type Chance, chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import { mutated, operatorDefinitions, writtenDefinitions } from './crd-samples.ts';
import { judge, shownErrors, type Question } from './judged-definitions.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261121');
const ROUNDS = Number(process.env['EVERWATCH_ROUNDS'] ?? '60');
/** Of all causes, how many both must name. */
const AGREEMENT_MIN = 0.99;

interface Theirs {
  readonly problem?: string;
  readonly object?: JsonObject;
  readonly errors: FieldErrors;
  readonly warnings: readonly string[] | null;
}

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');

describe.skipIf(oracle === undefined)('custom resource definitions', () => {
  if (oracle === undefined) return;

  it('of operators are accepted by both, with the same warnings', () => {
    const questions = operatorDefinitions().map(([, object]): Question => ({
      do: 'create',
      object,
    }));
    for (const [index, theirs] of asked(oracle, questions).entries()) {
      const ours = judge(questions[index] ?? { do: 'create', object: {} });
      expect(shownErrors(ours.errors)).toEqual([]);
      expect(shownErrors(theirs.errors)).toEqual([]);
      expect([...ours.warnings].sort()).toEqual([...(theirs.warnings ?? [])].sort());
      expect(sameValue(ours.object, theirs.object)).toBe(true);
    }
  });

  it(`that were changed at random are judged alike, seed ${String(SEED)}`, () => {
    const chance = chanceFrom(SEED);
    const samples = [...writtenDefinitions(), ...operatorDefinitions().map(([, one]) => one)];
    const written = writtenDefinitions();
    const questions = [
      ...Array.from({ length: ROUNDS }, () => written.map((one) => questionOf(one, chance))).flat(),
      ...samples.map((one) => questionOf(one, chance)),
    ];
    const tally = compare(questions, asked(oracle, questions));
    console.log(
      `${String(questions.length)} definitions, ${String(tally.causes)} causes, ` +
        `${String(tally.same)} alike, ${String(tally.extra)} only ours`,
    );
    expect(tally.wrongObjects).toEqual([]);
    expect(tally.wrongWarnings).toEqual([]);
    const { agreement } = tally;
    if (agreement < AGREEMENT_MIN) console.log(tally.differences.slice(0, 40).join('\n'));
    expect(agreement).toBeGreaterThanOrEqual(AGREEMENT_MIN);
  });
});

function asked(program: OracleProgram, questions: readonly Question[]): Theirs[] {
  return program.ask(questions) as Theirs[]; // The shape in which the program answers.
}

/** Mostly creates; updates of something else, established or not; and writes of the status. */
function questionOf(definition: JsonObject, chance: Chance): Question {
  const object = mutated(definition, chance);
  const which = chance();
  if (which < 0.5) return { do: 'create', object };
  const old = at(which < 0.7 ? definition : mutated(definition, chance), '1');
  if (which > 0.9) {
    const acceptedNames = { plural: 'X', kind: 'a-', listKind: 'a-' };
    const status = { acceptedNames, storedVersions: ['v9'] };
    return { do: 'status', object: { ...at(object, '1'), status }, old: at(definition, '1') };
  }
  const conditions = [{ type: 'Established', status: chance() < 0.5 ? 'True' : 'False' }];
  const status = { conditions, storedVersions: ['v1'], acceptedNames: {} };
  return { do: 'update', object: at(object, '1'), old: { ...old, status } };
}

function at(definition: JsonObject, resourceVersion: string): JsonObject {
  const metadata = definition['metadata'] as JsonObject | undefined; // Of a definition it is one.
  return structuredClone({ ...definition, metadata: { ...metadata, resourceVersion } });
}

interface Tally {
  causes: number;
  same: number;
  extra: number;
  readonly agreement: number;
  readonly differences: string[];
  readonly wrongObjects: unknown[];
  readonly wrongWarnings: unknown[];
}

function compare(questions: readonly Question[], answers: readonly Theirs[]): Tally {
  const tally = {
    causes: 0,
    same: 0,
    extra: 0,
    differences: [] as string[],
    wrongObjects: [] as unknown[],
    wrongWarnings: [] as unknown[],
    get agreement(): number {
      return this.same / (this.causes + this.extra);
    },
  };
  for (const [index, theirs] of answers.entries()) {
    const question = questions[index];
    // Where upstream panics nothing can be compared: it does where a selected field has no schema.
    if (question === undefined || theirs.problem?.startsWith('panic') === true) continue;
    const ours = judge(question);
    expect(ours.problem === undefined).toBe(theirs.problem === undefined);
    if (theirs.problem !== undefined) continue;
    addErrors(tally, shownErrors(theirs.errors), shownErrors(ours.errors));
    if (!sameValue(ours.object, theirs.object)) tally.wrongObjects.push(question);
    const warnings = {
      ours: [...ours.warnings].sort(),
      theirs: [...(theirs.warnings ?? [])].sort(),
    };
    if (!sameValue(warnings.ours, warnings.theirs)) tally.wrongWarnings.push(warnings);
  }
  return tally;
}

function addErrors(tally: Tally, theirs: readonly string[], ours: readonly string[]): void {
  tally.causes += theirs.length;
  for (const error of theirs) {
    if (ours.includes(error)) tally.same += 1;
    else tally.differences.push(`- ${error}`);
  }
  for (const error of ours) {
    if (theirs.includes(error)) continue;
    tally.extra += 1;
    tally.differences.push(`+ ${error}`);
  }
}
