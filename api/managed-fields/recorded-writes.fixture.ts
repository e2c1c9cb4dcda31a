/** The answers of kube-apiserver's field manager to the writes of some histories. */
import { join } from 'node:path';

import { recordedAnswers } from '../../tools/recorded-answers.fixture.ts';
import { someHistories } from './compared-writes.fixture.ts';
import type { Asked } from './generated-writes.fixture.ts';

/** A section for each. */
export const RECORDED_SEEDS: readonly number[] = Array.from({ length: 16 }, (_, seed) => seed);
const HISTORIES_EACH = 6;

export const recordedWrites = recordedAnswers(
  join(import.meta.dirname, 'field-manager.answers.txt'),
);

/** The writes of a section. */
export function writesOf(seed: number): Promise<Asked[]> {
  return someHistories(seed, HISTORIES_EACH);
}
