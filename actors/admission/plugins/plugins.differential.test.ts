/**
 * Plug-ins beside those of kube-apiserver, run in Go: the same objects are there, the same requests
 * are made, and what comes out is the same object or the same refusal.
 */
import { describe, expect, it } from 'vitest';

import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import {
  answersHere,
  CASES,
  questionTo,
  recordedPlugins,
  recordedWorlds,
  seen,
  worldsOf,
  type PluginAnswer,
  type World,
} from './compared-plugins.fixture.ts';
import type { Case } from './made-up-requests.fixture.ts';

const oracle = await goOracle('admission');
const WORLDS = 6;
const REQUESTS = 40;
const TIMEOUT_MS = 300_000;

function answersThere(one: Case, worlds: readonly World[]) {
  const asked = worlds.map((world) => questionTo(one, world));
  const theirs = oracle?.<{ answers: PluginAnswer[] }>(asked) ?? [];
  return worlds.map(({ requests }, which) =>
    requests.map((_request, at) => seen(theirs[which]?.answers[at] ?? {})),
  );
}

async function compare(one: Case): Promise<number> {
  const worlds = worldsOf(one, WORLDS, REQUESTS);
  const theirs = answersThere(one, worlds);
  let count = 0;
  for (const [which, world] of worlds.entries()) {
    const ours = await answersHere(one, world);
    for (const [at, answer] of ours.entries()) {
      const asked = { there: world.there, one: world.requests[at] };
      expect(answer, JSON.stringify(asked)).toEqual(theirs[which]?.[at]);
      count += 1;
    }
  }
  return count;
}

describe.skipIf(oracle === undefined).each(CASES)('$plugin of $url', (one) => {
  it('does what it does in kube-apiserver', { timeout: TIMEOUT_MS }, async () => {
    expect(await compare(one)).toBe(WORLDS * REQUESTS);
  });
});

describe.skipIf(oracle === undefined)('the record', () => {
  it('holds what kube-apiserver answers', { timeout: TIMEOUT_MS }, () => {
    const theirs = CASES.map((one) => answersThere(one, recordedWorlds(one)).flat());
    expect(recordedPlugins.confirm(theirs)).toEqual([]);
  });
});
