/** The answers of kube-apiserver's field manager to the writes of some histories. */
import { join } from 'node:path';

import { recordedAnswers } from '../../tools/recorded-answers.fixture.ts';
import { someHistories, someMistakes } from './compared-writes.fixture.ts';
import type { Asked } from './generated-writes.fixture.ts';

/** A section for each. */
export const RECORDED_SEEDS: readonly number[] = Array.from({ length: 20 }, (_, seed) => seed);
const HISTORIES_EACH = 6;
const SECTIONS_OF_MISTAKES = 4;
const MISTAKES_EACH = 60;

export const recordedWrites = recordedAnswers(
  join(import.meta.dirname, 'field-manager.answers.txt'),
);

/** The writes of a section; those of the last ones are mistakes. */
export function writesOf(seed: number): Promise<Asked[]> {
  const isHistory = seed < RECORDED_SEEDS.length - SECTIONS_OF_MISTAKES;
  return isHistory ? someHistories(seed, HISTORIES_EACH) : someMistakes(seed, MISTAKES_EACH);
}
