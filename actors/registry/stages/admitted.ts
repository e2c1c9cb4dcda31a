/** What admission gets to see of a write. */
import type { GroupVersionKind } from '../../../api/meta/group-version-kind.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import {
  AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionOptions,
} from '../../admission/admission-attributes.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import type { WriteAttempt } from '../../slots/write-attempt.ts';
import type { WriteContext } from '../write-context.ts';

export interface AdmittedWrite {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly options: AdmissionOptions;
  readonly attempt: WriteAttempt;
  readonly operation: AdmissionOperation;
  /** In the version that is stored; see AdmissionAttributes. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** Where a subresource takes a kind of its own. */
  readonly kind?: GroupVersionKind;
  /** Where it is not that of the path: a new object's own. */
  readonly name?: string;
}

export function attributesOf(
  { objects }: Pick<WriteContext, 'objects'>,
  write: AdmittedWrite,
): AdmissionAttributes {
  const { request, served, kind = served.facts, operation } = write;
  const { info } = request;
  const { name = info.name } = write;
  const isNamespace = served.definition.storage === 'core/namespaces';
  return new AdmissionAttributes({
    request,
    served,
    operation,
    subresource: info.subresource,
    name,
    namespace: isNamespace ? name : info.namespace,
    kind,
    object: write.object,
    oldObject: write.oldObject,
    options: write.options,
    attempt: write.attempt,
    objects,
  });
}
