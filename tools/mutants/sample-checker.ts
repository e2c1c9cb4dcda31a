/**
 * A Stryker checker that lets only the mutants of the sample through. Stryker itself knows no
 * samples; what a checker refuses is neither run nor counted.
 */
import { readFileSync } from 'node:fs';

import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { CheckStatus, type Checker, type CheckResult } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { relative } from 'node:path';

import { mutantKeyOf, type PlantedBug } from './planted-bugs.ts';

class SampleChecker implements Checker {
  #sample: ReadonlySet<string> = new Set();

  init(): Promise<void> {
    const file = process.env['EVERWATCH_MUTANTS_SAMPLE'] ?? '';
    // tools/mutants/main.ts wrote the file.
    const sample = JSON.parse(readFileSync(file, 'utf8')) as PlantedBug[];
    this.#sample = new Set(sample.map(mutantKeyOf));
    return Promise.resolve();
  }

  check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const results = mutants.map((mutant): [string, CheckResult] => [
      mutant.id,
      this.#sample.has(mutantKeyOf(identityOf(mutant)))
        ? { status: CheckStatus.Passed }
        : { status: CheckStatus.CompileError, reason: 'not in the sample' },
    ]);
    return Promise.resolve(Object.fromEntries(results));
  }

  /** One call for many: nothing is gained by asking one by one. */
  group(mutants: Mutant[]): Promise<string[][]> {
    return Promise.resolve([mutants.map(({ id }) => id)]);
  }
}

function identityOf(mutant: Mutant): Omit<PlantedBug, 'id'> {
  const { fileName, mutatorName, replacement, location } = mutant;
  return { fileName: relative(process.cwd(), fileName), mutatorName, replacement, location };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
