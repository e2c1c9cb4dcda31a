import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { GoneVersions } from './gone-versions.ts';

const STEP_RECORDS = 1_024;
const STEP_PLACES = 128;
/** Versions that share a page of the log, more or less. */
const PLACE_VERSIONS = 8;

describe('the versions that go', () => {
  it('come by version, each once and of its resource, in steps that come by few places', () => {
    const version = fc.oneof(
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 1, max: 200_000 }),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    );
    const all = fc.array(version, { minLength: 1, maxLength: 3_000 });
    const resources = fc.oneof(fc.constantFrom(1, 2, 3, 4), fc.integer({ min: 5, max: 2_000 }));
    fc.assert(
      fc.property(all, resources, (versions, count) => {
        const gone = new GoneVersions();
        const resourceOf = (one: number): string => `resource ${String(one % count)}`;
        for (const one of versions) gone.add(resourceOf(one), resourceVersion(one));

        const steps = [...gone.steps()].map((step) => [...step]);
        expect(steps.flat()).toEqual(
          [...new Set(versions)]
            .sort((one, other) => one - other)
            .map((one) => ({ resource: resourceOf(one), resourceVersion: one })),
        );
        for (const step of steps) {
          const places = step.map((one) => Math.floor(one.resourceVersion / PLACE_VERSIONS));
          expect(new Set(places).size).toBeLessThanOrEqual(STEP_PLACES);
          expect(step.length).toBeLessThanOrEqual(STEP_RECORDS);
        }
        // No step is smaller than it has to be.
        for (const [nth, step] of steps.slice(0, -1).entries()) {
          const [next] = steps[nth + 1] ?? [];
          const all = [...step, ...(next === undefined ? [] : [next])];
          const places = all.map((one) => Math.floor(one.resourceVersion / PLACE_VERSIONS));
          const isFull = new Set(places).size > STEP_PLACES || all.length > STEP_RECORDS;
          expect(isFull).toBe(true);
        }
      }),
    );
  });
});
