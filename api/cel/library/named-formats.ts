/**
 * Formats with names: `format.dns1123Label().validate(self.name)` gives what is wrong with a text,
 * or `optional.none()` when nothing is.
 *
 * In Kubernetes: apiserver/pkg/cel/library/format.go.
 */
import {
  labelValueProblems,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  qualifiedNameProblems,
} from '../../meta/names.ts';
import { goQuote } from '../../json/go-format.ts';
import { isRequestUri } from '../../structural-schema/format-uri.ts';
import { formatCheck } from '../../structural-schema/formats.ts';
import { listOf, optionalOf, STRING } from '../cel-type.ts';
import { ValueList } from '../containers.ts';
import { declare, method, overload, type Implementation, type Library } from '../declarations.ts';
import {
  CelOpaque,
  CelOptional,
  NO_SUCH_OVERLOAD,
  OPTIONAL_NONE,
  type CelValue,
} from '../value.ts';
import { FORMAT_TYPE } from './opaque-values.ts';

type Problems = (text: string) => readonly string[];

/**
 * A format of the library `format`, as `format.dns1123Label()`; `problems` tells what is wrong with
 * a text.
 */
export class CelFormat extends CelOpaque {
  override readonly type = FORMAT_TYPE;
  readonly name: string;
  readonly problems: Problems;
  /** Characters of a regular expression that would do the same, for what it costs. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, problems: Problems) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.problems = problems;
  }

  override equals(other: CelValue): boolean {
    return other instanceof CelFormat && this.name === other.name;
  }
}

function checked(format: string, message: string): Problems {
  const check = formatCheck(format);
  return (text) => (check === undefined || check(text) ? [] : [message]);
}

const uriProblems: Problems = (text) => {
  if (text === '') return ['parse "": empty url'];
  return isRequestUri(text) ? [] : [`parse ${goQuote(text)}: invalid URI for request`];
};

const FORMATS: ReadonlyMap<string, CelFormat> = new Map(
  (
    [
      ['dns1123Label', 'DNS1123Label', 30, (text) => nameIsDnsLabel(text, false)],
      ['dns1123Subdomain', 'DNS1123Subdomain', 60, (text) => nameIsDnsSubdomain(text, false)],
      ['dns1035Label', 'DNS1035Label', 30, (text) => nameIsDns1035Label(text, false)],
      ['qualifiedName', 'QualifiedName', 60, qualifiedNameProblems],
      ['dns1123LabelPrefix', 'DNS1123LabelPrefix', 30, (text) => nameIsDnsLabel(text, true)],
      [
        'dns1123SubdomainPrefix',
        'DNS1123SubdomainPrefix',
        60,
        (text) => nameIsDnsSubdomain(text, true),
      ],
      ['dns1035LabelPrefix', 'DNS1035LabelPrefix', 30, (text) => nameIsDns1035Label(text, true)],
      ['labelValue', 'LabelValue', 40, labelValueProblems],
      ['uri', 'URI', 1103, uriProblems],
      ['uuid', 'uuid', 70, checked('uuid', 'does not match the UUID format')],
      ['byte', 'byte', 84, checked('byte', 'invalid base64')],
      ['date', 'date', 71, checked('date', 'invalid date')],
      ['datetime', 'datetime', 71, checked('datetime', 'invalid datetime')],
    ] satisfies (readonly [string, string, number, Problems])[]
  ).map(([key, name, size, problems]) => [key, new CelFormat(name, size, problems)] as const),
);

const named: Implementation = (name) => {
  if (typeof name !== 'string') return NO_SUCH_OVERLOAD;
  const format = FORMATS.get(name);
  return format === undefined ? OPTIONAL_NONE : new CelOptional(format);
};

const validate: Implementation = (format, text) => {
  if (!(format instanceof CelFormat) || typeof text !== 'string') return NO_SUCH_OVERLOAD;
  const problems = format.problems(text);
  return problems.length === 0 ? OPTIONAL_NONE : new CelOptional(new ValueList([...problems]));
};

export const NAMED_FORMATS: Library = [
  declare(
    'validate',
    method('format-validate', [FORMAT_TYPE, STRING], optionalOf(listOf(STRING)), validate),
  ),
  declare('format.named', overload('format-named', [STRING], optionalOf(FORMAT_TYPE), named)),
  ...[...FORMATS].map(([key, format]) =>
    declare(
      `format.${key}`,
      overload(`format.${key}`, [], FORMAT_TYPE, () => format),
    ),
  ),
];
