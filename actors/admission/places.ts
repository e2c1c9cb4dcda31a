/** Words for where in the API a plug-in has something to do. */
import type { AdmissionOperation, AdmissionPlace } from './admission-attributes.ts';

export const PODS = 'core/pods';

/** Whether it is an object of this resource itself, and no subresource of it, in one of these operations. */
export function isItself(
  { served, operation, subresource }: AdmissionPlace,
  storage: string,
  ...operations: readonly AdmissionOperation[]
): boolean {
  return (
    served.definition.storage === storage && subresource === '' && operations.includes(operation)
  );
}
