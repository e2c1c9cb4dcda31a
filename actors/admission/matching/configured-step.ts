/** A step of a plug-in for what is configured about a place; where nothing is, it costs next to nothing. */
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionStep } from '../admission-plugin.ts';

export type AskConfigured<Placed> = (
  attributes: AdmissionAttributes,
  placed: readonly Placed[],
) => MaybePromise<Status | undefined>;

export function configuredStep<Placed>(
  placedNow: () => readonly Placed[],
  ask: AskConfigured<Placed>,
): AdmissionStep {
  return (attributes) => {
    const placed = placedNow();
    return placed.length === 0 ? undefined : ask(attributes, placed);
  };
}
