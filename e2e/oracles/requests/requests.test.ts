/**
 * Random requests, whose answers by kube-apiserver are on record. `npm run parity:requests` asks both for other
 * histories, and shows what kube-apiserver says.
 */
import { expect, it } from 'vitest';

import { Chance } from '../../robustness/chance.ts';
import {
  ANY_ANSWER,
  digestsOf,
  RECORDED_HISTORIES,
  recordedDigests,
} from './recorded-histories.ts';
import { stepOf } from './steps.ts';
import { walkOne } from './walk.ts';

const TIMEOUT_MS = 600_000;
const LEAST_TAKEN = 200;
const MOST_UNSETTLED = 50;

it.each(RECORDED_HISTORIES.map((history, line) => ({ ...history, line })))(
  '$steps requests of seed $seed are answered as kube-apiserver answers them',
  async ({ line, ...history }) => {
    const answers = await walkOne('ours', history);
    const recorded = recordedDigests()[line] ?? [];
    expect(recorded).toHaveLength(history.steps);
    const isRecorded = (digest: string, nth: number): boolean =>
      recorded[nth] === digest || recorded[nth] === ANY_ANSWER;
    const others = digestsOf(answers).flatMap((digest, nth) =>
      isRecorded(digest, nth) ? [] : [nth],
    );
    expect(recorded.filter((digest) => digest === ANY_ANSWER).length).toBeLessThan(MOST_UNSETTLED);
    const told = others.map((nth) => [
      stepOf(new Chance(history.seed, nth), history.kinds),
      answers[nth],
    ]);
    expect(told).toEqual([]);
    // It is a history of writes that are taken, and not of refusals alone.
    expect(answers.filter((answer) => /^20[01] /.test(answer)).length).toBeGreaterThan(LEAST_TAKEN);
  },
  TIMEOUT_MS,
);
