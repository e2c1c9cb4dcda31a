/** Histories of written objects, each answered as kube-apiserver answered it when it was asked. */
import { expect, it } from 'vitest';
import { shownHere } from './compared-writes.fixture.ts';
import { RECORDED_SEEDS, recordedWrites, writesOf } from './recorded-writes.fixture.ts';

it.each(RECORDED_SEEDS)(
  'every write of seed %i is answered as kube-apiserver does',
  async (seed) => {
    const asked = await writesOf(seed);
    const differing = recordedWrites.differing(seed, asked.map(shownHere));
    expect(differing.slice(0, 2).map((at) => asked[at] ?? at)).toEqual([]);
  },
);
