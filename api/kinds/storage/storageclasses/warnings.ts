/** Labels of nodes that have other names today. In Kubernetes: GetWarningsForStorageClass. */
import { items } from '../../../json/go-values.ts';
import type { StorageClass } from '../../../generated/kinds/storage-v1.ts';
import { indexPath } from '../../../field/field-path.ts';
import { deprecationOfNodeLabel } from '../../rules/deprecated-node-labels.ts';

export function storageClassWarnings(storageClass: StorageClass): readonly string[] {
  return items(storageClass.allowedTopologies).flatMap((term, index) =>
    items(term.matchLabelExpressions).flatMap((requirement, at) => {
      const deprecation = deprecationOfNodeLabel(requirement.key);
      const field = `${indexPath('allowedTopologies', index)}.matchLabelExpressions`;
      return deprecation === undefined ? [] : [`${indexPath(field, at)}.key: ${deprecation}`];
    }),
  );
}
