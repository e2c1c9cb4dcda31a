/** What is said of a device: one value of one sort, or a list of them. */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { invalidValue, tooLong, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { isMissing, stringsAt } from '../../rules/value-validation.ts';
import { LIST_VALUES } from './gated-fields.ts';

const VALUE_BYTES_MAX = 64;
const NUMBER = '(0|[1-9]\\d*)';
const PRE_RELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}` +
    `(-${PRE_RELEASE}(\\.${PRE_RELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`,
);
const SINGLE_VALUES = ['int', 'bool', 'string', 'version'];

export function validateAttribute(field: string, attribute: JsonObject): FieldErrors {
  const values = [...SINGLE_VALUES, ...LIST_VALUES].filter((key) => !isMissing(attribute[key]));
  const one = 'exactly one value must be specified';
  return [
    ...(isMissing(attribute['string'])
      ? []
      : validateText(`${field}.string`, stringAt(attribute, 'string'))),
    ...(isMissing(attribute['version'])
      ? []
      : validateVersion(`${field}.version`, stringAt(attribute, 'version'))),
    ...stringsAt(attribute, 'strings').flatMap((text, index) =>
      validateText(indexPath(`${field}.strings`, index), text),
    ),
    ...stringsAt(attribute, 'versions').flatMap((version, index) =>
      validateVersion(indexPath(`${field}.versions`, index), version),
    ),
    ...(values.length === 0 ? [invalidValue(field, '', one)] : []),
    ...(values.length > 1 ? [invalidValue(field, internalAttribute(attribute), one)] : []),
  ];
}

/** How many values all attributes of a device have together. */
export function valueCountOf(device: JsonObject): number {
  let count = 0;
  for (const attribute of Object.values(objectAt(device, 'attributes') ?? {})) {
    let listed = 0;
    for (const key of LIST_VALUES) {
      const list = (attribute as JsonObject | null)?.[key];
      if (Array.isArray(list)) listed += list.length;
    }
    count += Math.max(listed, 1);
  }
  return count;
}

function validateText(field: string, text: string): FieldErrors {
  return Buffer.byteLength(text) > VALUE_BYTES_MAX ? [tooLong(field, VALUE_BYTES_MAX)] : [];
}

function validateVersion(field: string, version: string): FieldErrors {
  const detail = 'must be a string compatible with semver.org spec 2.0.0';
  return [
    ...(VERSION.test(version) ? [] : [invalidValue(field, version, detail)]),
    ...validateText(field, version),
  ];
}

/** As Go prints its internal form. */
function internalAttribute(attribute: JsonObject): JsonObject {
  const { int, bool, string, version, ints, bools, strings, versions } = attribute;
  return {
    IntValue: int ?? null,
    BoolValue: bool ?? null,
    StringValue: string ?? null,
    VersionValue: version ?? null,
    IntValues: ints ?? null,
    BoolValues: bools ?? null,
    StringValues: strings ?? null,
    VersionValues: versions ?? null,
  };
}
