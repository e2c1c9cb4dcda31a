/**
 * Which objects of a resource a reader wants: one namespace or all, one name or all,
 * and those that two selectors let through.
 */
import type { FieldSelector } from '../../api/selectors/field-selector.ts';
import type { LabelSelector } from '../../api/selectors/label-selector.ts';
import type { ShardSelector } from '../../api/shards/shard-selector.ts';
import type { FieldsOf } from '../../api/kinds/resource-definition.ts';
import { nameOf, namespaceOf, type StoredObject } from '../../streams/event.ts';
import { uidOf } from './served-bytes.ts';
import { parsedObject } from './stored-object.ts';

export interface Selection {
  /** '' is every namespace. */
  readonly namespace: string;
  /** '' is every name. */
  readonly name: string;
  /** undefined: every label set. */
  readonly labels: LabelSelector | undefined;
  /** undefined: no field is asked for beyond namespace and name. */
  readonly fields: FieldSelector | undefined;
  /** Reads the fields that a field selector may name; undefined: the selection asks for none. */
  readonly fieldsOf: FieldsOf | undefined;
  /** undefined: objects of all hashes. */
  readonly shard?: ShardSelector | undefined;
  /** More is let through than is wanted, and what comes of it is selected again when it is shown. */
  readonly isWide?: true;
  /** Equal texts select equal objects: what watchers are grouped by. */
  readonly key: string;
}

/** Whether the object is in the namespace, and has the name, that are wanted. */
export function selectsPath(selection: Selection, path: string): boolean {
  const { namespace } = selection;
  if (namespace !== '' && !(path.startsWith(namespace) && path[namespace.length] === '/')) {
    return false;
  }
  return selectsName(selection, path);
}

/** False for a path whose name the selection excludes; it may still be excluded by its content. */
export function selectsName({ name }: Selection, path: string): boolean {
  return name === '' || nameOf(path) === name;
}

/** Whether the labels and fields of an object are those that are selected. */
export function selectsContent(selection: Selection, object: StoredObject): boolean {
  if (selection.labels !== undefined && !selection.labels.matches(object.labels)) return false;
  if (selection.shard !== undefined && !isOfShard(selection.shard, object)) return false;
  if (selection.fields === undefined) return true;
  const values = fieldValues(object, selection.fieldsOf);
  return selection.fields.matches((field) => values[field] ?? '');
}

/** Whether every object of the namespace (or of all) is wanted: nothing has to be looked at. */
export function isUnfiltered({ name, labels, fields, shard }: Selection): boolean {
  return name === '' && labels === undefined && fields === undefined && shard === undefined;
}

/** Whether nothing but labels tells which objects of the namespace (or of all) are wanted. */
export function selectsByLabels({ name, labels, fields, shard }: Selection): boolean {
  return labels !== undefined && name === '' && fields === undefined && shard === undefined;
}

function isOfShard(shard: ShardSelector, object: StoredObject): boolean {
  const isByUid = shard.field === 'object.metadata.uid';
  return shard.matches(isByUid ? uidOf(object) : namespaceOf(object.path));
}

// Parsing an object for a field selector costs far more than the comparison, and the same
// objects are asked again and again by every watcher with a field selector.
const fieldsOfObject = new WeakMap<StoredObject, Map<FieldsOf | undefined, FieldValues>>();

type FieldValues = Readonly<Record<string, string>>;

function fieldValues(object: StoredObject, fieldsOf: FieldsOf | undefined): FieldValues {
  let known = fieldsOfObject.get(object);
  if (known === undefined) {
    known = new Map<FieldsOf | undefined, FieldValues>();
    fieldsOfObject.set(object, known);
  }
  let values = known.get(fieldsOf);
  if (values === undefined) {
    const own = {
      'metadata.name': nameOf(object.path),
      'metadata.namespace': namespaceOf(object.path),
    };
    values = fieldsOf === undefined ? own : { ...own, ...fieldsOf(parsedObject(object)) };
    known.set(fieldsOf, values);
  }
  return values;
}
