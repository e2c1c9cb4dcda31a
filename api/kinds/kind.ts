/**
 * One kind as its own folder declares it. `built-in.ts` joins it with the facts that were
 * generated from Kubernetes' types, so nothing here repeats a scope, a verb or a short name.
 */
import { typedCodec } from '../scheme/typed-json.ts';
import type { Strategy } from './strategy.ts';
import type { FieldsOf, VersionConversion } from './resource-definition.ts';
import type { ResourceTypes, ModelTypes } from '../generated/kinds/kinds.ts';
import type { ObjectOf } from '../meta/object-meta.ts';
import { strategyOf, type KindRules } from './strategy-of.ts';
import type { JsonValue } from '../json/json.ts';

export interface Kind {
  /** '' for the legacy group. */
  readonly group: string;
  /** The version that is stored. */
  readonly version: string;
  /** The plural, as it stands in a URL. */
  readonly resource: string;
  readonly strategy: Strategy;
  /** What field selectors may ask for, besides the name and the namespace. */
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
  /** Whether its type is that of the version that is stored, defaults and all; no. */
  readonly isOfOneForm?: boolean;
  /** Rules of its own, over the form that is stored; those of the {@link Kind} unless said. */
  readonly strategy?: Strategy;
}

/** What a field selector may ask, beyond metadata.name and metadata.namespace. */
export interface SelectableFields {
  readonly names: readonly string[];
  readonly of: FieldsOf;
}

/** What a built-in kind says of itself, and the rules of its objects `T`. */
export interface KindDefinition<T> extends Pick<Kind, 'hasScale' | 'actions' | 'deprecation'> {
  readonly rules: KindRules<T>;
  /** `{ 'spec.nodeName': (pod) => pod.spec.nodeName ?? '' }`, beyond the name and the namespace. */
  readonly fields?: FieldReaders<T>;
  /** Their fields are read of objects in the form that is stored, too. */
  readonly alsoServedAs?: readonly (Omit<ServedVersion, 'fields'> & {
    readonly fields?: FieldReaders<T>;
  })[];
}

/**
 * The kind whose stored version is served there: `apps/v1/deployments`. Its rules are given objects
 * of the type that is declared for it.
 */
export function defineKind<Path extends keyof ResourceTypes>(
  path: Path,
  { rules, fields, alsoServedAs, ...said }: KindDefinition<ObjectOf<ResourceTypes[Path]>>,
): Kind {
  const [resource = '', version = '', group = ''] = path.split('/').reverse();
  return {
    ...{ group, version, resource },
    ...said,
    ...(fields && { fields: selectable(fields) }),
    ...(alsoServedAs && {
      alsoServedAs: alsoServedAs.map(({ fields: own, ...version }) => ({
        ...version,
        ...(own && { fields: selectable(own) }),
      })),
    }),
    strategy: strategyOf(rules),
  };
}

/**
 * The conversion of a kind between its `Shown` version and the `Stored` one. It is called for objects
 * of the two only, which their codecs gave these types.
 */
export function conversionOf<Shown, Stored>(typed: {
  toStorage(object: ObjectOf<Shown>): ObjectOf<Stored>;
  fromStorage(object: ObjectOf<Stored>): ObjectOf<Shown>;
}): VersionConversion {
  return typed as unknown as VersionConversion;
}

/** The value as Go reads it into the type of that model name; undefined where it does not fit. */
export function decodedAs<Model extends keyof ModelTypes>(
  model: Model,
  value: JsonValue,
): ModelTypes[Model] | undefined {
  const decoded = typedCodec(model).decode(value);
  // The declarations say what the codec gives; a test holds them against each other.
  return decoded.ok ? (decoded.value as unknown as ModelTypes[Model]) : undefined;
}

/** Fields that can be selected by, and what each reads of an object in the form that is stored. */
type FieldReaders<T> = Readonly<Record<string, (object: T) => string>>;

function selectable<T>(readers: FieldReaders<T>): SelectableFields {
  const entries = Object.entries(readers);
  return {
    names: Object.keys(readers),
    of: (object) => {
      // Fields are asked of stored objects of this kind only, which its codec gave this type.
      const typed = object as T;
      const fields: Record<string, string> = {};
      for (const [name, read] of entries) fields[name] = read(typed);
      return fields;
    },
  };
}
