/**
 * Whether all that a schema judges inside its junctors is a part of its structure, too.
 *
 * In Kubernetes: validateStructuralCompleteness, apiextensions-apiserver/pkg/apiserver/schema.
 */
import { isJsonObject, listAt, objectAt, type JsonObject } from '../json/json.ts';
import { flatMapItems, keysOf } from '../json/work-in-slices.ts';
import { ownValue } from '../json/own-property.ts';
import { type FieldErrors, required } from '../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../field/field-path.ts';

const JUNCTORS: readonly string[] = ['allOf', 'anyOf', 'oneOf'];

/** Only the junctors at the top of the schema are followed, as upstream has it. */
export function completenessErrors(props: JsonObject, path: string): FieldErrors {
  return ofJunctors(props, props, { structure: path, judged: path });
}

interface Paths {
  readonly structure: string;
  readonly judged: string;
}

function ofJunctors(judged: JsonObject, structure: JsonObject, paths: Paths): FieldErrors {
  const not = objectAt(judged, 'not');
  const of = (nested: JsonObject, at: string): FieldErrors =>
    ofNested(nested, structure, { ...paths, judged: at });
  return [
    ...(not === undefined ? [] : of(not, childPath(paths.judged, 'not'))),
    ...JUNCTORS.flatMap((key) =>
      flatMapItems(listAt(judged, key), (nested, index) =>
        isJsonObject(nested) ? of(nested, indexPath(childPath(paths.judged, key), index)) : [],
      ),
    ),
  ];
}

function ofNested(
  judged: JsonObject,
  structure: JsonObject | undefined,
  paths: Paths,
): FieldErrors {
  if (structure === undefined) {
    return [required(paths.structure, `because it is defined in ${paths.judged}`)];
  }
  const items = objectAt(judged, 'items');
  const properties = objectAt(judged, 'properties') ?? {};
  return [
    ...ofJunctors(judged, structure, paths),
    ...(items === undefined
      ? []
      : ofNested(items, objectAt(structure, 'items'), {
          structure: childPath(paths.structure, 'items'),
          judged: childPath(paths.judged, 'items'),
        })),
    ...flatMapItems(keysOf(properties), (name) => {
      const property = properties[name];
      return isJsonObject(property) ? ofProperty(name, property, structure, paths) : [];
    }),
  ];
}

function ofProperty(
  name: string,
  property: JsonObject,
  structure: JsonObject,
  paths: Paths,
): FieldErrors {
  const known = ownValue(objectAt(structure, 'properties') ?? {}, name);
  return ofNested(property, isJsonObject(known) ? known : undefined, {
    structure: keyPath(childPath(paths.structure, 'properties'), name),
    judged: keyPath(childPath(paths.judged, 'properties'), name),
  });
}
