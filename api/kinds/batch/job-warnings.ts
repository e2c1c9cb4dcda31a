/** Warnings about the spec of a job. In Kubernetes: WarningsForJobSpec, pkg/api/job. */
import type { JobSpec } from '../../generated/kinds/batch-v1.ts';
import { templateWarnings } from '../pod-spec/pod-warnings.ts';

const COMPLETIONS_MAX = 100_000;
const PARALLELISM_MAX = 10_000;
const TOO_MANY =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than ' +
  '10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

/** `field` is the spec, of a job or in the template of a cron job. */
export function jobSpecWarnings(field: string, spec: JobSpec): readonly string[] {
  const isLarge =
    spec.completionMode === 'Indexed' &&
    (spec.completions ?? 0) > COMPLETIONS_MAX &&
    (spec.parallelism ?? 0) > PARALLELISM_MAX;
  return [
    ...(isLarge ? [`${field}: ${TOO_MANY}`] : []),
    ...templateWarnings(`${field}.template`, spec.template),
  ];
}
