/** The names of a definition. In Kubernetes: ValidateCustomResourceDefinitionNames. */
import type { CustomResourceDefinitionNames } from '../../../generated/kinds/apiextensions-v1.ts';
import { stringAt } from '../../../json/json.ts';
import { dns1035LabelProblems } from '../../../meta/names.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { childPath, indexPath } from '../../../field/field-path.ts';
import { stringsAt } from '../../rules/value-validation.ts';

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

/** Those that must be said in the spec; in the status they may still be missing. */
export function validateNamesGiven(names: CustomResourceDefinitionNames): FieldErrors {
  const keys = ['plural', 'singular', 'kind', 'listKind'];
  return keys.flatMap((key) =>
    stringAt(names, key) === '' ? [required(`spec.names.${key}`)] : [],
  );
}

export function validateNames(names: CustomResourceDefinitionNames, path: string): FieldErrors {
  const kind = names.kind;
  const listKind = names.listKind ?? '';
  const same = 'kind and listKind may not be the same';
  return [
    ...validateLabel(childPath(path, 'plural'), names.plural),
    ...validateLabel(childPath(path, 'singular'), names.singular ?? ''),
    ...validateKind(childPath(path, 'kind'), kind),
    ...validateKind(childPath(path, 'listKind'), listKind),
    ...validateLabels(names, 'shortNames', path),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(childPath(path, 'listKind'), listKind, same)]
      : []),
    ...validateLabels(names, 'categories', path),
  ];
}

/** All that is wrong in one error. */
export function labelErrors(path: string, name: string, hint = ''): FieldErrors {
  const problems = dns1035LabelProblems(hint === '' ? name : name.toLowerCase());
  return problems.length === 0 ? [] : [invalidValue(path, name, `${hint}${problems.join(',')}`)];
}

function validateLabel(path: string, name: string): FieldErrors {
  return name === '' ? [] : labelErrors(path, name);
}

function validateKind(path: string, kind: string): FieldErrors {
  return kind === '' ? [] : labelErrors(path, kind, MIXED_CASE);
}

function validateLabels(
  names: CustomResourceDefinitionNames,
  key: string,
  path: string,
): FieldErrors {
  return stringsAt(names, key).flatMap((name, index) =>
    labelErrors(indexPath(childPath(path, key), index), name),
  );
}
