/** Two annotations that say the same, of which one is old. In Kubernetes: ValidateService. */
import type { Service } from '../../../generated/kinds/core-v1.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

export function validateTopologyMode(service: Service): FieldErrors {
  const annotations = service.metadata.annotations ?? {};
  const [hints, mode] = [annotations[HINTS], annotations[MODE]];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${HINTS}] when both are specified`;
  return [invalidValue(keyPath('metadata.annotations', MODE), mode, detail)];
}
