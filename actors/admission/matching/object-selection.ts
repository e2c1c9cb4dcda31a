/**
 * The selectors of a webhook or a policy: by the labels of the namespace, and by those of the
 * object as it is to be or as it was.
 *
 * In Kubernetes: plugin/webhook/predicates/{namespace,object}, apiserver/pkg/admission.
 */
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import { labelSelectorOf, type LabelSelector } from '../../../api/selectors/label-selector.ts';
import type { KubeObject, StringMap } from '../../../api/meta/object-meta.ts';
import { internalError, notFound, type Status } from '../../../api/meta/status.ts';
import { pathOf } from '../../../streams/event.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { NAMESPACES } from '../namespace-check.ts';

/** A selector that cannot be read fails the requests that it would have selected. */
export type ReadSelector = LabelSelector | string;

export interface ObjectSelection {
  readonly namespaces: ReadSelector;
  readonly objects: ReadSelector;
}

/** What of a request selectors look at. The object may have changed since the request came. */
export type Selectable = Pick<
  AdmissionAttributes,
  'served' | 'operation' | 'subresource' | 'namespace' | 'objects'
> & {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
};

export type Selected = 'yes' | 'no' | Status;

export function compileSelection(parent: JsonObject | undefined): ObjectSelection {
  return {
    namespaces: readSelector(parent, 'namespaceSelector'),
    objects: readSelector(parent, 'objectSelector'),
  };
}

/** Whether it is selected; a Status where that cannot be found out. */
export function selects(selection: ObjectSelection, selectable: Selectable): Selected {
  const inNamespace = selectsNamespace(selection.namespaces, selectable);
  if (inNamespace === 'no') return 'no';
  const isOfObject = selectsObject(selection.objects, selectable);
  if (isOfObject === 'no') return 'no';
  return inNamespace === 'yes' ? isOfObject : inNamespace;
}

function readSelector(parent: JsonObject | undefined, key: string): ReadSelector {
  // As it was validated when it was written.
  const parsed = labelSelectorOf(objectAt(parent, key));
  return parsed.ok ? parsed.selector : parsed.message;
}

function selectsNamespace(selector: ReadSelector, selectable: Selectable): Selected {
  const { served, namespace } = selectable;
  const isNamespaces = served.facts.resource === 'namespaces';
  if (namespace === '' && !isNamespaces) return 'yes';
  if (typeof selector === 'string') return internalError(selector);
  if (selector.isEmpty) return 'yes';
  const labels = namespaceLabels(selectable, isNamespaces);
  if (labels === undefined) return notFound({ group: '', resource: 'namespaces' }, namespace);
  return selector.matches(labels) ? 'yes' : 'no';
}

/** Of a namespace that is written what it is to be; undefined: there is none. */
function namespaceLabels(
  { operation, subresource, namespace, object, objects }: Selectable,
  isNamespaces: boolean,
): StringMap | undefined {
  const isWritten = operation === 'CREATE' || operation === 'UPDATE';
  if (isNamespaces && subresource === '' && isWritten) return labelsOf(object);
  const found = objects.get(NAMESPACES, pathOf('', namespace));
  return found === undefined ? undefined : (found.labels ?? {});
}

function selectsObject(selector: ReadSelector, { object, oldObject }: Selectable): Selected {
  if (typeof selector === 'string') return internalError(selector);
  if (selector.isEmpty) return 'yes';
  const matches = (one: KubeObject | undefined): boolean =>
    one !== undefined && selector.matches(labelsOf(one));
  return matches(object) || matches(oldObject) ? 'yes' : 'no';
}

function labelsOf(object: KubeObject | undefined): StringMap {
  return object?.metadata.labels ?? {};
}
