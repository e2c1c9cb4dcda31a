/**
 * The volumes of a pod: each with a name of its own and exactly one source.
 *
 * In Kubernetes: ValidateVolumes and validateVolumeSource, pkg/apis/core/validation.
 */
import type { PersistentVolumeClaimSpec } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type { Volume, PodSpec } from '../../../generated/kinds/core-v1.ts';
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
} from '../../../meta/names.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import type { StringMap } from '../../../meta/object-meta.ts';
import * as metadataContent from '../../../validation/object-meta-validation-content.ts';
import { goQuote } from '../../../json/go-format.ts';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateClaimSpec } from '../../rules/claim-spec-validation.ts';
import { quantityAt } from '../../rules/resource-names.ts';
import { invalidFor, isMissing, oneOf, ofEach } from '../../rules/value-validation.ts';
import { PULL_POLICIES } from '../containers/containers-validation.ts';
import {
  validateDownwardFiles,
  validateKeyedFiles,
  validateProjected,
} from './file-volumes-validation.ts';
import { TOO_LONG, isTooLong, validateIscsi } from './iscsi-validation.ts';
import { validateDescendingPath } from './local-path-validation.ts';
import { presentAt, type PodRules } from '../pod-rules.ts';
import * as sources from './volume-sources-validation.ts';

const { needs } = sources;

interface Source {
  readonly key: string;
  readonly rule: sources.SourceRule;
  /** Where the errors of the rule stand; the key unless upstream has it otherwise. */
  readonly field?: string;
  /** What it is called in the error about a second source; the key unless upstream differs. */
  readonly asSecond?: string;
}

/** In upstream's order. */
const SOURCES: readonly Source[] = [
  { key: 'emptyDir', rule: validateEmptyDir },
  { key: 'hostPath', rule: sources.validateHostPath },
  { key: 'gitRepo', rule: validateGitRepo },
  { key: 'gcePersistentDisk', rule: sources.validateDisk('pdName'), field: 'persistentDisk' },
  { key: 'awsElasticBlockStore', rule: sources.validateDisk('volumeID') },
  { key: 'secret', rule: validateKeyedFiles('secretName') },
  { key: 'nfs', rule: sources.validateNfs },
  { key: 'iscsi', rule: validateIscsi },
  { key: 'glusterfs', rule: needs('endpoints', 'path') },
  { key: 'flocker', rule: sources.validateFlocker },
  { key: 'persistentVolumeClaim', rule: needs('claimName') },
  { key: 'rbd', rule: sources.validateRbd },
  { key: 'cinder', rule: withSecretName(needs('volumeID')) },
  { key: 'cephfs', rule: sources.validateMonitors, asSecond: 'cephFS' },
  { key: 'quobyte', rule: sources.validateQuobyte },
  { key: 'downwardAPI', rule: validateDownwardFiles, asSecond: 'downwarAPI' },
  { key: 'fc', rule: sources.validateFibreChannel },
  { key: 'flexVolume', rule: sources.validateFlexVolume },
  { key: 'configMap', rule: validateKeyedFiles('name') },
  { key: 'azureFile', rule: needs('secretName', 'shareName') },
  { key: 'vsphereVolume', rule: needs('volumePath') },
  { key: 'photonPersistentDisk', rule: needs('pdID') },
  { key: 'portworxVolume', rule: needs('volumeID') },
  { key: 'azureDisk', rule: sources.validateAzureDisk },
  { key: 'storageos', rule: withSecretName(sources.validateStorageOs) },
  { key: 'projected', rule: validateProjected },
  { key: 'scaleIO', rule: needs('gateway', 'system', 'volumeName') },
  { key: 'csi', rule: validateCsi },
  { key: 'ephemeral', rule: validateEphemeral },
  { key: 'image', rule: validateImage },
];

export interface CheckedVolumes {
  /** Those without errors, which containers may use, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly errors: FieldErrors;
}

export function validateVolumes(
  field: string,
  spec: PodSpec,
  { metadata }: PodRules,
): CheckedVolumes {
  const volumes = remembered(() => new Map<string, Volume>());
  const pod = metadata?.name ?? '';
  const made = remembered(() => claimsMadeFor(pod, items(spec.volumes)));
  const errors = ofEach(spec.volumes, (volume, index) => {
    const path = indexPath(field, index);
    const name = volume.name;
    const found = [
      ...validateSource(path, volume, metadata === undefined ? undefined : pod),
      ...(name === ''
        ? [required(`${path}.name`)]
        : invalidFor(`${path}.name`, name, dns1123LabelProblems(name))),
      ...(volumes.has(name) ? [duplicateValue(`${path}.name`, name)] : []),
    ];
    if (found.length === 0) volumes.set(name, volume);
    return [...found, ...validateForeignClaim(path, volume, made)];
  });
  return { volumes, errors };
}

/** The claims that are made together with the pod. */
function claimsMadeFor(pod: string, volumes: readonly Volume[]): ReadonlySet<string> {
  if (pod === '') return new Set();
  const own = volumes.filter((volume) => volume.ephemeral !== undefined);
  return new Set(own.map((volume) => `${pod}-${volume.name}`));
}

function validateForeignClaim(
  field: string,
  volume: Volume,
  made: ReadonlySet<string>,
): FieldErrors {
  const claim = volume.persistentVolumeClaim;
  const name = claim?.claimName ?? '';
  if (claim === undefined || !made.has(name)) return [];
  const detail = 'must not reference a PVC that gets created for an ephemeral volume';
  return [invalidValue(`${field}.persistentVolumeClaim.claimName`, name, detail)];
}

/** `pod` is the name of the pod, '' when it has none yet; undefined in a template. */
function validateSource(field: string, volume: Volume, pod: string | undefined): FieldErrors {
  const [first, ...others] = SOURCES.filter(({ key }) => presentAt(volume, key) !== undefined);
  if (first === undefined) return [required(field, 'must specify a volume type')];
  const detail = 'may not specify more than 1 volume type';
  const own = presentAt(volume, first.key) ?? {};
  const tooLong = validateIscsiName(field, volume);
  const second = others.flatMap(({ key, asSecond = key }) => [
    forbiddenField(`${field}.${asSecond}`, detail),
    ...(key === 'iscsi' ? tooLong : []),
  ]);
  return [
    ...(first.key === 'image' && pod !== undefined
      ? sources.requireTexts(`${field}.image`, own, ['reference'])
      : []),
    ...first.rule(`${field}.${first.field ?? first.key}`, own),
    ...(first.key === 'iscsi' ? tooLong : []),
    ...(first.key === 'ephemeral' ? validateClaimName(`${field}.name`, volume, pod ?? '') : []),
    ...second,
  ];
}

function validateIscsiName(field: string, volume: Volume): FieldErrors {
  const iscsi = volume.iscsi;
  const name = volume.name;
  return iscsi !== undefined && isTooLong(iscsi, name)
    ? [invalidValue(`${field}.name`, name, TOO_LONG)]
    : [];
}

/** The claim is called after the pod and the volume. */
function validateClaimName(field: string, volume: Volume, pod: string): FieldErrors {
  const name = volume.name;
  if (pod === '' || name === '') return [];
  const claim = `${pod}-${name}`;
  return dns1123SubdomainProblems(claim).map((problem) =>
    invalidValue(field, name, `PVC name ${goQuote(claim)}: ${problem}`),
  );
}

function validateEmptyDir(field: string, source: JsonObject): FieldErrors {
  const limit = source['sizeLimit'];
  if (isMissing(limit) || quantityAt(limit).unscaled >= 0n) return [];
  const detail = 'SizeLimit field must be a valid resource quantity';
  return [forbiddenField(`${field}.sizeLimit`, detail)];
}

function validateGitRepo(field: string, source: JsonObject): FieldErrors {
  return [
    ...sources.requireTexts(field, source, ['repository']),
    ...validateDescendingPath(`${field}.directory`, stringAt(source, 'directory')),
  ];
}

function withSecretName(rule: sources.SourceRule): sources.SourceRule {
  return (field, source) => {
    const secret = presentAt(source, 'secretRef');
    return [
      ...rule(field, source),
      ...(secret !== undefined && stringAt(secret, 'name') === ''
        ? [required(`${field}.secretRef.name`)]
        : []),
    ];
  };
}

function validateCsi(field: string, source: JsonObject): FieldErrors {
  const secret = presentAt(source, 'nodePublishSecretRef');
  const name = stringAt(secret, 'name');
  return [
    ...sources.validateCsiDriver(field, source),
    ...(secret === undefined
      ? []
      : name === ''
        ? [required(`${field}.nodePublishSecretRef.name`)]
        : invalidFor(`${field}.name`, name, nameIsDnsSubdomain(name, false))),
  ];
}

/** What else of the claim's metadata than labels and annotations may be said: nothing. */
function validateEphemeral(field: string, source: JsonObject): FieldErrors {
  const template = presentAt(source, 'volumeClaimTemplate');
  const path = `${field}.volumeClaimTemplate`;
  if (template === undefined) return [required(path)];
  const metadata = objectAt(template, 'metadata') ?? {};
  return [
    ...metadataContent.validateAnnotations(
      // Decoding has made sure that these are maps of strings.
      objectAt(metadata, 'annotations') as StringMap | undefined,
      `${path}.metadata.annotations`,
    ),
    ...metadataContent.validateLabels(
      objectAt(metadata, 'labels') as StringMap | undefined,
      `${path}.metadata.labels`,
    ),
    ...OTHER_METADATA.filter((key) => isSet(metadata, key)).map((key) =>
      forbiddenField(`${path}.metadata.${GO_NAME_OF[key] ?? key}`, 'cannot be set'),
    ),
    // Decoding has made it the spec of a claim.
    ...validateClaimSpec(`${path}.spec`, template['spec'] as unknown as PersistentVolumeClaimSpec),
  ];
}

const OTHER_METADATA = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];
/** Go's names with a small first letter. */
const GO_NAME_OF: Readonly<Record<string, string>> = { uid: 'uID' };

function isSet(metadata: JsonObject, key: string): boolean {
  const value = metadata[key];
  return !isMissing(value) && value !== '' && value !== 0;
}

function validateImage(field: string, source: JsonObject): FieldErrors {
  return oneOf(`${field}.pullPolicy`, source['pullPolicy'], PULL_POLICIES);
}
