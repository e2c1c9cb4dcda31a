/** Labels of nodes that have other names today. In Kubernetes: GetWarningsForStorageClass. */
import { stringAt } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { deprecationOfNodeLabel } from '../../deprecated-node-labels.ts';
import { objectsAt } from '../../value-validation.ts';

export function storageClassWarnings(storageClass: KubeObject): readonly string[] {
  return objectsAt(storageClass, 'allowedTopologies').flatMap((term, index) =>
    objectsAt(term, 'matchLabelExpressions').flatMap((requirement, at) => {
      const deprecation = deprecationOfNodeLabel(stringAt(requirement, 'key'));
      const field = `${indexPath('allowedTopologies', index)}.matchLabelExpressions`;
      return deprecation === undefined ? [] : [`${indexPath(field, at)}.key: ${deprecation}`];
    }),
  );
}
