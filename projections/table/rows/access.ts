/**
 * Rows of who may do what, and of who asks for a certificate.
 *
 * In Kubernetes: printRoleBinding and printCertificateSigningRequest,
 * pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { ageOf, type Cell, nameOf, nonEmpty } from '../cells.ts';
import { humanDuration } from '../human-duration.ts';

/** A RoleBinding or a ClusterRoleBinding. */
export function bindingCells(binding: JsonObject, now: number): Cell[] {
  const role = objectAt(binding, 'roleRef');
  const subjects = itemsAt(binding, 'subjects');
  return [
    nameOf(binding),
    `${stringAt(role, 'kind')}/${stringAt(role, 'name')}`,
    ageOf(binding, now),
    namesOf(subjects, 'User'),
    namesOf(subjects, 'Group'),
    subjects
      .filter((subject) => subject['kind'] === 'ServiceAccount')
      .map((subject) => `${stringAt(subject, 'namespace')}/${stringAt(subject, 'name')}`)
      .join(', '),
  ];
}

export function certificateSigningRequestCells(request: JsonObject, now: number): Cell[] {
  const spec = objectAt(request, 'spec');
  const seconds = spec?.['expirationSeconds'];
  return [
    nameOf(request),
    ageOf(request, now),
    nonEmpty(stringAt(spec, 'signerName'), '<none>'),
    stringAt(spec, 'username'),
    typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>',
    certificateStatus(objectAt(request, 'status')),
  ];
}

function namesOf(subjects: readonly JsonObject[], kind: string): string {
  const names = subjects.filter((subject) => subject['kind'] === kind);
  return names.map((subject) => stringAt(subject, 'name')).join(', ');
}

/** `Approved,Issued`; who denies wins over who approves. */
function certificateStatus(status: JsonObject | undefined): string {
  const types = new Set(itemsAt(status, 'conditions').map((one) => stringAt(one, 'type')));
  const words = [types.has('Approved') ? 'Approved' : 'Pending'];
  if (types.has('Denied')) words[0] = 'Denied';
  if (types.has('Failed')) words.push('Failed');
  if (stringAt(status, 'certificate') !== '') words.push('Issued');
  return words.join(',');
}
