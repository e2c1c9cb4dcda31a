/** Histories whose answers by kube-apiserver are on record, as a few digits of each. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

import { OTHER_KINDS } from './other-kinds.ts';
import type { History } from './walk.ts';

/** In the order of the lines of the record. */
export const RECORDED_HISTORIES: readonly History[] = [
  { seed: 41, steps: 2_500 },
  { seed: 42, steps: 2_500 },
  { seed: 1, steps: 1_700, kinds: OTHER_KINDS },
];

const RECORD = new URL('recorded-answers.txt', import.meta.url);
const DIGITS = 8;

/** @param answers of one history. */
export function digestsOf(answers: readonly string[]): string[] {
  return answers.map((answer) =>
    createHash('sha256').update(answer).digest('hex').slice(0, DIGITS),
  );
}

/** Stands for an answer that kube-apiserver does not give twice: in the order of a map, or of nothing, where it panics. */
export const ANY_ANSWER = '-';

/** What kube-apiserver answered, a digest for each step of each history, or {@link ANY_ANSWER}. */
export function recordedDigests(): string[][] {
  return readFileSync(RECORD, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
}

/** What two runs have in common. @param answers of one and the same history. */
export function digestsInCommon(answers: readonly string[], again: readonly string[]): string[] {
  const [first, second] = [digestsOf(answers), digestsOf(again)];
  return first.map((digest, nth) => {
    const isEnded = answers[nth]?.startsWith('0 ') === true;
    return digest === second[nth] && !isEnded ? digest : ANY_ANSWER;
  });
}

/** @param digests of each history. */
export function record(digests: readonly (readonly string[])[]): void {
  writeFileSync(RECORD, digests.map((line) => `${line.join(' ')}\n`).join(''));
}
