/** Made-up webhooks and policies that match the requests that Kubernetes' own code let them match. */
import { expect, it } from 'vitest';

import { RECORDED_SEEDS, recordedMatches, recordedQuestions } from './made-up-matches.fixture.ts';

it.each(RECORDED_SEEDS)('a webhook or policy is about what Kubernetes says (seed %i)', (seed) => {
  const asked = recordedQuestions(seed);
  const differing = recordedMatches.differing(
    seed,
    asked.map(({ mine }) => mine),
  );
  expect(differing.slice(0, 2).map((at) => asked[at] ?? at)).toEqual([]);
});
