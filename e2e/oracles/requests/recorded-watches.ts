/** A history of watches whose events by kube-apiserver are on record, as a few digits of each watch. */
import { readFileSync, writeFileSync } from 'node:fs';

import { digestsInCommon, digestsOf } from './recorded-histories.ts';
import type { History } from './walk.ts';
import { walkWatches } from './walk-watches.ts';

/** All of its requests are answered alike. */
export const RECORDED_WATCHES: History = { seed: 5, steps: 2_000 };

const RECORD = new URL('recorded-watches.txt', import.meta.url);
/** How long all watches of a part of the history are given behind its last request. */
const RESTS_MS = 3_000;

/** What one watch showed, as it is on record. */
export function digestOf(texts: readonly string[]): string {
  return digestsOf([texts.join('\n')]).join('');
}

/** What kube-apiserver told, a digest for each watch. */
export function recordedWatches(): string[] {
  return readFileSync(RECORD, 'utf8').trim().split('\n');
}

/** Asks kube-apiserver, twice: what it does not tell twice is not on record. @throws where it does not start. */
export async function recordWatches(): Promise<void> {
  const first = await toldByTheirs();
  const again = await toldByTheirs();
  writeFileSync(RECORD, `${digestsInCommon(first, again).join('\n')}\n`);
}

async function toldByTheirs(): Promise<string[]> {
  const ends = new Map<number, number>();
  const { watches } = await walkWatches(['theirs'], RECORDED_WATCHES, (_, __, part) => {
    if (!ends.has(part)) ends.set(part, Date.now() + RESTS_MS);
    return Date.now() > (ends.get(part) ?? 0);
  });
  return watches.map(({ texts }) => (texts[0] ?? []).join('\n'));
}
