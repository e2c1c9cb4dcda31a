/** Which volume is attached to which node. In Kubernetes: ValidateVolumeAttachment. */
import { isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  tooLong,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import {
  invalidFor,
  isMissing,
  specOf,
  statusOf,
  stringEntriesAt,
} from '../../rules/value-validation.ts';
import { bytesOf } from '../validation.ts';
import { validateInlineVolume } from './inline-volume-validation.ts';

const SOURCE = 'spec.source';
const METADATA_BYTES_MAX = 256 * 1024;
const MESSAGE_BYTES_MAX = 1024;
const CODE_MAX = 2 ** 31 - 1;

export function validateAttachment(attachment: KubeObject): FieldErrors {
  const spec = specOf(attachment);
  const source = objectAt(spec, 'source') ?? {};
  const nodeName = stringAt(spec, 'nodeName');
  const volumeName = stringAt(source, 'persistentVolumeName');
  return [
    ...validateDriverName('spec.attacher', stringAt(spec, 'attacher')),
    ...validateSource(source),
    ...invalidFor('spec.nodeName', nodeName, dns1123SubdomainProblems(nodeName)),
    ...validateStatus(statusOf(attachment)),
    ...(isMissing(source['persistentVolumeName'])
      ? []
      : invalidFor(
          `${SOURCE}.persistentVolumeName`,
          volumeName,
          dns1123SubdomainProblems(volumeName),
        )),
  ];
}

export function validateAttachmentChange(attachment: KubeObject, old: KubeObject): FieldErrors {
  const errors = validateAttachment(attachment);
  if (sameValue(attachment['spec'], old['spec'])) return errors;
  const shown = internalSpec(specOf(attachment));
  return [...errors, invalidValue('spec', shown, 'field is immutable')];
}

/** As Go prints its internal form. */
function internalSpec(spec: JsonObject): JsonObject {
  const source = objectAt(spec, 'source');
  return {
    Attacher: stringAt(spec, 'attacher'),
    Source: {
      PersistentVolumeName: source?.['persistentVolumeName'] ?? null,
      InlineVolumeSpec: internalForm('*PersistentVolumeSpec', source?.['inlineVolumeSpec']),
    },
    NodeName: stringAt(spec, 'nodeName'),
  };
}

function validateSource(source: JsonObject): FieldErrors {
  const isInline = isJsonObject(source['inlineVolumeSpec']);
  const isNamed = !isMissing(source['persistentVolumeName']);
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (isInline && isNamed) return [forbiddenField(SOURCE, one)];
  if (!isInline && !isNamed) return [required(SOURCE, one)];
  const inline = objectAt(source, 'inlineVolumeSpec');
  if (inline !== undefined) return validateInlineVolume(`${SOURCE}.inlineVolumeSpec`, inline);
  return source['persistentVolumeName'] === ''
    ? [required(`${SOURCE}.persistentVolumeName`, 'must specify non empty persistentVolumeName')]
    : [];
}

function validateStatus(status: JsonObject): FieldErrors {
  const metadata = 'attachmentMetadata';
  return [
    ...(bytesOf(stringEntriesAt(status, metadata)) > METADATA_BYTES_MAX
      ? [tooLong(`status.${metadata}`, METADATA_BYTES_MAX)]
      : []),
    ...validateVolumeError('status.attachError', objectAt(status, 'attachError')),
    ...validateVolumeError('status.detachError', objectAt(status, 'detachError')),
  ];
}

/** Upstream names the wrong limit for a message that is too long. */
function validateVolumeError(field: string, error: JsonObject | undefined): FieldErrors {
  const code = numberAt(error, 'errorCode');
  const isLong = Buffer.byteLength(stringAt(error, 'message')) > MESSAGE_BYTES_MAX;
  return [
    ...(isLong ? [tooLong(`${field}.message`, METADATA_BYTES_MAX)] : []),
    ...(code !== undefined && code < 0
      ? [
          invalidValue(
            `${field}.errorCode`,
            code,
            `must be between 0 and ${String(CODE_MAX)}, inclusive`,
          ),
        ]
      : []),
  ];
}
