/** Made-up pods at every level of every version, judged as Kubernetes judged them when it was asked. */
import { expect, it } from 'vitest';

import { pausedEverywhere } from '../../../api/json/paused-everywhere.fixture.ts';
import { ourVerdicts, RECORDED_PODS, recordedVerdicts, VERSIONS } from './made-up-pods.fixture.ts';

const PODS_EACH = 10;
const groups = Array.from({ length: RECORDED_PODS.length / PODS_EACH }, (_, at) => at * PODS_EACH);

it.each(groups)('finds what Kubernetes finds in the pods from number %i on', (from) => {
  const pods = RECORDED_PODS.slice(from, from + PODS_EACH);
  const differing = pods.filter(
    (pod, at) => recordedVerdicts.differing(from + at, [ourVerdicts(pod)]).length > 0,
  );
  expect(differing.slice(0, 2)).toEqual([]);
});

it('finds the same wherever it pauses', () => {
  for (const pod of RECORDED_PODS.slice(0, 2 * PODS_EACH)) {
    // One version at a time: what went before is done again after each pause.
    for (const version of VERSIONS) {
      const verdicts = () => ourVerdicts(pod, [version]);
      expect(pausedEverywhere(verdicts)).toEqual(verdicts());
    }
  }
});
