/** Labels of nodes that have other names today. In Kubernetes: GetWarningsForStorageClass. */
import { stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { indexPath } from '../../../field/field-path.ts';
import { deprecationOfNodeLabel } from '../../rules/deprecated-node-labels.ts';
import { objectsAt } from '../../rules/value-validation.ts';

export function storageClassWarnings(storageClass: KubeObject): readonly string[] {
  return objectsAt(storageClass, 'allowedTopologies').flatMap((term, index) =>
    objectsAt(term, 'matchLabelExpressions').flatMap((requirement, at) => {
      const deprecation = deprecationOfNodeLabel(stringAt(requirement, 'key'));
      const field = `${indexPath('allowedTopologies', index)}.matchLabelExpressions`;
      return deprecation === undefined ? [] : [`${indexPath(field, at)}.key: ${deprecation}`];
    }),
  );
}
