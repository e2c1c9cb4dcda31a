/** What a write makes of an object, as the API's documentation has it, for the fields that races are about. */
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import type { Deed } from './deed.ts';

export interface Fields {
  readonly data: Readonly<Record<string, string>>;
  readonly color: string;
  readonly finalizers: readonly string[];
  readonly type: string;
  readonly hard: Readonly<Record<string, string>>;
  readonly isEnding: boolean;
}

export function fieldsOf(object: JsonObject | undefined): Fields {
  return {
    data: textsIn(object, 'data'),
    color: textAt(object, 'metadata', 'labels', 'color'),
    finalizers: listAt(object, 'metadata', 'finalizers').map(String),
    type: textAt(object, 'spec', 'type'),
    hard: textsIn(object, 'spec', 'hard'),
    isEnding: at(object, 'metadata', 'deletionTimestamp') !== undefined,
  };
}

/** @param before undefined where the object does not exist. */
export function effectOf(before: JsonObject | undefined, deed: Deed): Fields {
  const was = fieldsOf(before);
  const { verb, content, resource } = deed;
  if (verb === 'remove' || verb === 'clear') {
    const isKept = was.finalizers.length > 0 || resource === 'namespaces';
    return { ...was, isEnding: isKept || was.isEnding };
  }
  const replaces = verb === 'create' || (verb === 'replace' && deed.base === undefined);
  const from = replaces ? { ...fieldsOf(undefined), isEnding: was.isEnding } : was;
  return {
    ...from,
    data: { ...without(from.data, verb === 'apply' ? givenUp(before, deed) : []), ...content.data },
    color: content.color ?? from.color,
    finalizers: content.finalizers ?? from.finalizers,
    type: content.type ?? from.type,
    hard: { ...from.hard, ...content.hard },
  };
}

/** Keys that the manager applied before, alone, and does not apply any more. */
function givenUp(before: JsonObject | undefined, { manager, content }: Deed): string[] {
  const keys = Object.keys(fieldsOf(before).data);
  return keys.filter((key) => {
    const owners = ownersOf(before, key);
    return content.data?.[key] === undefined && owners.length === 1 && owners[0] === manager;
  });
}

/** The managers of a field of `data`. */
export function ownersOf(object: JsonObject | undefined, key: string): string[] {
  const owning = listAt(object, 'metadata', 'managedFields').filter(
    (entry) => at(entry, 'fieldsV1', 'f:data', `f:${key}`) !== undefined,
  );
  return owning.map((entry) => textAt(entry, 'manager'));
}

function without(
  data: Readonly<Record<string, string>>,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
}

function textsIn(object: JsonObject | undefined, ...path: string[]): Record<string, string> {
  const found = at(object, ...path) ?? {};
  return Object.fromEntries(Object.keys(found).map((key) => [key, textAt(found, key)]));
}
