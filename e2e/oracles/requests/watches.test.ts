/**
 * Random watches beside random writes, whose events by kube-apiserver are on record. `npm run parity:watches` opens
 * other ones on both, and shows what differs.
 */
import { expect, it } from 'vitest';

import { ANY_ANSWER } from './recorded-histories.ts';
import { digestOf, RECORDED_WATCHES, recordedWatches } from './recorded-watches.ts';
import { restsFor, walkWatches } from './walk-watches.ts';

const TIMEOUT_MS = 600_000;
/** Longer than any event takes here: a watch that tells something else is told of then. */
const RESTS_MS = 20_000;
const LEAST_EVENTS = 500;
const MOST_UNSETTLED = 20;

it(
  'random watches tell what those of kube-apiserver tell, in that order',
  async () => {
    const recorded = recordedWatches();
    expect(recorded.filter((digest) => digest === ANY_ANSWER).length).toBeLessThan(MOST_UNSETTLED);
    const isTold = (texts: readonly string[], nth: number): boolean =>
      recorded[nth] === ANY_ANSWER || recorded[nth] === digestOf(texts);
    let rests = restsFor(RESTS_MS);
    const { watches } = await walkWatches(['ours'], RECORDED_WATCHES, ([texts = []], nth) => {
      if (!isTold(texts, nth) && !rests(`${String(nth)} ${String(texts.length)}`)) return false;
      rests = restsFor(RESTS_MS);
      return true;
    });
    expect(watches).toHaveLength(recorded.length);
    const others = watches.filter(({ texts }, nth) => !isTold(texts[0] ?? [], nth));
    expect(others.map(({ watch, texts }) => [watch, texts[0]])).toEqual([]);
    const events = watches.reduce((sum, { texts }) => sum + (texts[0]?.length ?? 0) - 1, 0);
    expect(events).toBeGreaterThan(LEAST_EVENTS);
  },
  TIMEOUT_MS,
);
