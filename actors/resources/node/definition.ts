/** Runtime classes: how containers are run. In Kubernetes: registry/node/runtimeclass. */
import { stringAt } from '../../../api/meta/json.ts';
import { dns1123LabelProblems } from '../../../api/meta/names.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { required, type FieldErrors } from '../../../api/schema/field-errors.ts';
import type { Kind } from '../kind.ts';
import { strategyOf } from '../strategy-of.ts';
import { immutable, invalidFor } from '../value-validation.ts';

export const runtimeClasses: Kind = {
  group: 'node.k8s.io',
  version: 'v1',
  resource: 'runtimeclasses',
  strategy: strategyOf({
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    validate: validateHandler,
    validateChange: (runtimeClass, old) =>
      immutable('handler', runtimeClass['handler'], old['handler']),
  }),
};

function validateHandler(runtimeClass: KubeObject): FieldErrors {
  const handler = stringAt(runtimeClass, 'handler');
  if (handler === '') return [required('handler')];
  return invalidFor('handler', handler, dns1123LabelProblems(handler));
}
