/**
 * Work of a plug-in that grows with the object, in slices as the rules of its kind are: it goes
 * through lists by the loops of work-in-slices.ts, and changes an object only so that a second call
 * does no more. What others may change between two slices it is handed, and does not look up.
 */
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import { doneInSlices } from '../request/large-work.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';

/** At once, unless the write is about a large object. */
export function inSlicesFor<Made, Given>(
  { sizeBytes }: Pick<AdmissionAttributes, 'sizeBytes'>,
  work: () => Made,
  take: (made: Made) => MaybePromise<Given>,
): MaybePromise<Given> {
  return andThen(doneInSlices(sizeBytes, work), take);
}
