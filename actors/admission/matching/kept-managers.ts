/**
 * Who manages which field has to stay readable, whatever a webhook makes of an object: if
 * it does not, it is put back as it was, and the client is told.
 *
 * In Kubernetes: NewManagedFieldsValidatingAdmissionController,
 * apiserver/pkg/endpoints/handlers/fieldmanager.
 */
import { decodeEntries } from '../../../api/managed-fields/managed-entries.ts';
import type { ObjectMeta } from '../../../api/meta/object-meta.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';

const INVALID =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an ' +
  'outdated mutating admission controller; please fix your requests: ';

/** @param before the entries of the object before it was changed. */
export function keepManagers(
  { object, request }: AdmissionAttributes,
  before: ObjectMeta['managedFields'],
): void {
  if (object === undefined) return;
  const now = object.metadata.managedFields;
  if (now === before) return;
  const decoded = decodeEntries(now);
  if (decoded.ok) return;
  if (before === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = before;
  request.warn(INVALID + decoded.message);
}
