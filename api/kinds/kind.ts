/**
 * One kind as its own folder declares it. `built-in.ts` joins it with the facts that were
 * generated from Kubernetes' types, so nothing here repeats a scope, a verb or a short name.
 */
import type { Strategy } from './strategy.ts';
import type { FieldsOf, VersionConversion } from './resource-definition.ts';
import type { ResourceTypes } from '../generated/kinds/kinds.ts';
import type { ObjectOf } from '../meta/object-meta.ts';
import { strategyOf, type KindRules } from './strategy-of.ts';
import { isNumber, objectAt, stringAt, type JsonObject } from '../json/json.ts';

export interface Kind {
  /** '' for the legacy group. */
  readonly group: string;
  /** The version that is stored. */
  readonly version: string;
  /** The plural, as it stands in a URL. */
  readonly resource: string;
  readonly strategy: Strategy;
  readonly fields?: SelectableFields;
  /** No: its replicas, if it has any, cannot be set by the `scale` subresource. */
  readonly hasScale?: boolean;
  /** Subresources that do something instead of showing the object; see `virtual-handlers.ts`. */
  readonly actions?: readonly string[];
  /** What every request for it is warned of. */
  readonly deprecation?: string;
  /** The other group versions that show the same objects. */
  readonly alsoServedAs?: readonly ServedVersion[];
}

/** A group version that shows the objects of a {@link Kind} in a form of its own. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly conversion: VersionConversion;
  readonly fields?: SelectableFields;
  /** Rules of its own, over the form that is stored; those of the {@link Kind} unless said. */
  readonly strategy?: Strategy;
}

/** What a field selector may ask, beyond metadata.name and metadata.namespace. */
export interface SelectableFields {
  readonly names: readonly string[];
  readonly of: FieldsOf;
}

/** What a built-in kind says of itself, and by which rules its objects `T` live. */
export type KindDefinition<T> = Omit<Kind, 'group' | 'version' | 'resource' | 'strategy'> & {
  readonly rules: KindRules<T>;
};

/**
 * The kind whose stored version is served there: `apps/v1/deployments`. Its rules are given objects
 * of the type that is declared for it.
 */
export function defineKind<Path extends keyof ResourceTypes>(
  path: Path,
  { rules, ...said }: KindDefinition<ObjectOf<ResourceTypes[Path]>>,
): Kind {
  const [resource = '', version = '', group = ''] = path.split('/').reverse();
  return { group, version, resource, ...said, strategy: strategyOf(rules) };
}

type FieldReader = (object: JsonObject) => string;

/** Selectable fields, each with the function that reads it: `{ 'spec.nodeName': … }`. */
export function selectable(readers: Readonly<Record<string, FieldReader>>): SelectableFields {
  const entries = Object.entries(readers);
  return {
    names: Object.keys(readers),
    of: (object) => {
      const fields: Record<string, string> = {};
      for (const [name, read] of entries) fields[name] = read(object);
      return fields;
    },
  };
}

/** Reads the string at `section.key`, for {@link selectable}. */
export function stringIn(section: string, key: string): FieldReader {
  return (object) => stringAt(objectAt(object, section), key);
}

/** Reads the whole number at `section.key`, '0' when there is none. */
export function numberIn(section: string, key: string): FieldReader {
  return (object) => {
    const value = objectAt(object, section)?.[key];
    return isNumber(value) ? String(value) : '0';
  };
}

/** Reads the boolean at `section.key`, 'false' when there is none. */
export function booleanIn(section: string, key: string): FieldReader {
  return (object) => String(objectAt(object, section)?.[key] === true);
}
