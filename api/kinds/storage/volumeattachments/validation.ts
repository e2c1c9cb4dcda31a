/** Which volume is attached to which node. In Kubernetes: ValidateVolumeAttachment. */
import type {
  VolumeAttachment,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus,
  VolumeError,
  VolumeAttachmentSource,
} from '../../../generated/kinds/storage-v1.ts';
import type { PersistentVolumeSpec } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { validateAccessModes } from '../../rules/claim-spec-validation.ts';
import { validateSource as validateVolumeSource } from '../../rules/persistent-sources-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { bytesOf } from '../validation.ts';

const SOURCE = 'spec.source';
const METADATA_BYTES_MAX = 256 * 1024;
const MESSAGE_BYTES_MAX = 1024;
const CODE_MAX = 2 ** 31 - 1;
const CONTEXT = 'in the context of inline volumes';
const RETAIN = 'Retain';
const FILESYSTEM = 'Filesystem';

/** ValidateVolumeAttachment: a driver, a node, and exactly one source. */
export function validateAttachment(attachment: VolumeAttachment): FieldErrors {
  const spec = attachment.spec;
  const source = spec.source;
  const nodeName = spec.nodeName;
  const volumeName = source.persistentVolumeName ?? '';
  return [
    ...validateDriverName('spec.attacher', spec.attacher),
    ...validateSource(source),
    ...invalidFor('spec.nodeName', nodeName, dns1123SubdomainProblems(nodeName)),
    ...validateStatus(attachment.status),
    ...(isMissing(source.persistentVolumeName)
      ? []
      : invalidFor(
          `${SOURCE}.persistentVolumeName`,
          volumeName,
          dns1123SubdomainProblems(volumeName),
        )),
  ];
}

/** ValidateVolumeAttachmentUpdate: the spec never changes. */
export function validateAttachmentChange(
  attachment: VolumeAttachment,
  old: VolumeAttachment,
): FieldErrors {
  const errors = validateAttachment(attachment);
  if (sameValue(attachment.spec, old.spec)) return errors;
  const shown = internalSpec(attachment.spec);
  return [...errors, invalidValue('spec', shown, 'field is immutable')];
}

/** As Go prints its internal form. */
function internalSpec(spec: VolumeAttachmentSpec): JsonObject {
  const source = spec.source;
  return {
    Attacher: spec.attacher,
    Source: {
      PersistentVolumeName: source.persistentVolumeName ?? null,
      InlineVolumeSpec: internalForm('*PersistentVolumeSpec', source.inlineVolumeSpec),
    },
    NodeName: spec.nodeName,
  };
}

function validateSource(source: VolumeAttachmentSource): FieldErrors {
  const isInline = isJsonObject(source.inlineVolumeSpec);
  const isNamed = !isMissing(source.persistentVolumeName);
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (isInline && isNamed) return [forbiddenField(SOURCE, one)];
  if (!isInline && !isNamed) return [required(SOURCE, one)];
  const inline = source.inlineVolumeSpec;
  if (inline !== undefined) return validateInlineVolume(`${SOURCE}.inlineVolumeSpec`, inline);
  return source.persistentVolumeName === ''
    ? [required(`${SOURCE}.persistentVolumeName`, 'must specify non empty persistentVolumeName')]
    : [];
}

function validateStatus(status: VolumeAttachmentStatus): FieldErrors {
  const { attachmentMetadata: metadata = {} } = status;
  return [
    ...(bytesOf(Object.entries(metadata)) > METADATA_BYTES_MAX
      ? [tooLong('status.attachmentMetadata', METADATA_BYTES_MAX)]
      : []),
    ...validateVolumeError('status.attachError', status.attachError),
    ...validateVolumeError('status.detachError', status.detachError),
  ];
}

/** Upstream names the wrong limit for a message that is too long. */
function validateVolumeError(field: string, error: VolumeError | undefined): FieldErrors {
  const code = error?.errorCode;
  const isLong = Buffer.byteLength(error?.message ?? '') > MESSAGE_BYTES_MAX;
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

/**
 * A volume that exists nowhere else: it has what a driver needs to attach it, and nothing of what binds volumes to
 * claims. In Kubernetes: ValidatePersistentVolumeSpec for inline volumes, pkg/apis/core/validation.
 */
function validateInlineVolume(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const unspecified = (key: string, isThere: boolean): FieldErrors =>
    isThere ? [forbiddenField(`${field}.${key}`, `may not be specified ${CONTEXT}`)] : [];
  const { accessModes } = spec;
  return [
    ...unspecified('claimRef', isJsonObject(spec.claimRef)),
    ...unspecified('capacity', Object.keys(spec.capacity ?? {}).length > 0),
    ...(isJsonObject(spec.csi) ? [] : [required(`${field}.csi`, `has to be specified ${CONTEXT}`)]),
    ...(isMissing(accessModes) ? [required(`${field}.accessModes`)] : []),
    ...validateAccessModes(`${field}.accessModes`, spec),
    ...validateReclaim(`${field}.persistentVolumeReclaimPolicy`, spec),
    ...unspecified('nodeAffinity', isJsonObject(spec.nodeAffinity)),
    ...validateVolumeSource(field, spec, ''),
    ...unspecified('storageClassName', (spec.storageClassName ?? '') !== ''),
    ...validateMode(`${field}.volumeMode`, spec.volumeMode),
  ];
}

function validateReclaim(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  if (policy === '' || policy === RETAIN) return [];
  return [forbiddenField(field, `may only be ${RETAIN} ${CONTEXT}`)];
}

function validateMode(field: string, mode: JsonObject[string]): FieldErrors {
  if (isMissing(mode) || mode === FILESYSTEM) return [];
  return [forbiddenField(field, `may not specify volumeMode other than ${FILESYSTEM} ${CONTEXT}`)];
}
