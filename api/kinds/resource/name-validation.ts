/** How devices, their pools and attributes are named. In Kubernetes: pkg/apis/resource. */
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../meta/names.ts';
import { type FieldErrors, invalidValue, required, tooLong } from '../../field/field-errors.ts';
import { goQuote } from '../../json/go-format.ts';
import { identifierProblems, validateDriverName } from '../rules/text-validation.ts';
import { invalidFor } from '../rules/value-validation.ts';

const POOL_BYTES_MAX = 253;
const IDENTIFIER_BYTES_MAX = 32;
const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const PLAIN_UUID = /^[0-9a-fA-F]{32}$/;

/** A DNS label. */
export function validateLabelName(field: string, name: string): FieldErrors {
  return invalidFor(field, name, dns1123LabelProblems(name));
}

/** Parts that are subdomains, with slashes between them. */
export function validatePoolName(field: string, name: string): FieldErrors {
  if (name === '') return [required(field)];
  return [
    ...(Buffer.byteLength(name) > POOL_BYTES_MAX ? [tooLong(field, POOL_BYTES_MAX)] : []),
    ...name.split('/').flatMap((part) => invalidFor(field, part, dns1123SubdomainProblems(part))),
  ];
}

/** An identifier, with or without a domain before it. */
export function validateAttributeName(field: string, name: string): FieldErrors {
  const parts = name.split('/');
  const [domain = '', identifier = ''] = parts;
  if (parts.length === 1) return validateIdentifier(field, domain);
  if (parts.length > 2) return [];
  return [
    ...(domain === ''
      ? [invalidValue(field, '', 'the domain must not be empty')]
      : validateDriverName(field, domain)),
    ...(identifier === ''
      ? [invalidValue(field, '', 'the name must not be empty')]
      : validateIdentifier(field, identifier)),
  ];
}

/** An attribute with its domain: `domain/name`. */
export function validateQualifiedAttributeName(field: string, name: string): FieldErrors {
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [
    ...validateAttributeName(field, name),
    ...(name.includes('/') ? [] : [invalidValue(field, name, detail)]),
  ];
}

/** The identity of one share of a device: a UUID in its usual form, in lower case. */
export function validateShareId(field: string, id: string): FieldErrors {
  const problem = uuidProblem(id);
  if (problem !== undefined) {
    return [invalidValue(field, id, `error validating uid: ${problem}`)];
  }
  if (id.length === 36 && id === id.toLowerCase()) return [];
  const detail =
    'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with ' +
    'lowercase hexadecimal characters';
  return [invalidValue(field, id, detail)];
}

function validateIdentifier(field: string, name: string): FieldErrors {
  return [
    ...(Buffer.byteLength(name) > IDENTIFIER_BYTES_MAX
      ? [tooLong(field, IDENTIFIER_BYTES_MAX)]
      : []),
    ...invalidFor(field, name, identifierProblems(name)),
  ];
}

/** In Kubernetes: uuid.Validate, github.com/google/uuid. */
function uuidProblem(id: string): string | undefined {
  const length = Buffer.byteLength(id);
  const invalid = (text: string, format: RegExp): string | undefined =>
    format.test(text) ? undefined : 'invalid UUID format';
  switch (length) {
    case 32:
      return invalid(id, PLAIN_UUID);
    case 36:
      return invalid(id, UUID);
    case 38:
      if (!id.startsWith('{') || !id.endsWith('}')) return 'invalid bracketed UUID format';
      return invalid(id.slice(1, -1), UUID);
    case 45:
      if (id.slice(0, 9).toLowerCase() !== 'urn:uuid:') {
        return `invalid urn prefix: ${goQuote(id.slice(0, 9))}`;
      }
      return invalid(id.slice(9), UUID);
    default:
      return `invalid UUID length: ${String(length)}`;
  }
}
