/**
 * The volumes of a pod: each with a name of its own and exactly one source.
 *
 * In Kubernetes: ValidateVolumes and validateVolumeSource, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  CSIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  GitRepoVolumeSource,
  ImageVolumeSource,
  LocalObjectReference,
  PodSpec,
  Volume,
} from '../../../generated/kinds/core-v1.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
} from '../../../meta/names.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import type { ObjectMeta } from '../../../meta/object-meta.ts';
import * as metadataContent from '../../../validation/object-meta-validation-content.ts';
import { goQuote } from '../../../json/go-format.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateClaimSpec } from '../../rules/claim-spec-validation.ts';
import { quantityAt } from '../../rules/resource-names.ts';
import { invalidFor, isMissing, ofEach, oneOf } from '../../rules/value-validation.ts';
import { PULL_POLICIES } from '../containers/containers-validation.ts';
import {
  validateDownwardFiles,
  validateKeyedFiles,
  validateProjected,
} from './file-volumes-validation.ts';
import { TOO_LONG, isTooLong, validateIscsi } from './iscsi-validation.ts';
import { validateDescendingPath } from './local-path-validation.ts';
import type { PodRules } from '../pod-rules.ts';
import * as sources from './volume-sources-validation.ts';

const { needs } = sources;

interface SourceNames {
  /** Where the errors of the rule stand; the key unless upstream has it otherwise. */
  readonly field?: string;
  /** What it is called in the error about a second source; the key unless upstream differs. */
  readonly asSecond?: string;
}

interface Source extends SourceNames {
  readonly key: keyof Volume;
  /** What is wrong with the source at that key. */
  readonly check: (field: string, volume: Volume) => FieldErrors;
}

/** In upstream's order. */
const SOURCES: readonly Source[] = [
  source('emptyDir', validateEmptyDir),
  source('hostPath', sources.validateHostPath),
  source('gitRepo', validateGitRepo),
  source('gcePersistentDisk', sources.validateDisk('pdName'), { field: 'persistentDisk' }),
  source('awsElasticBlockStore', sources.validateDisk('volumeID')),
  source('secret', validateKeyedFiles('secretName')),
  source('nfs', sources.validateNfs),
  source('iscsi', validateIscsi),
  source('glusterfs', needs('endpoints', 'path')),
  source('flocker', sources.validateFlocker),
  source('persistentVolumeClaim', needs('claimName')),
  source('rbd', sources.validateRbd),
  source('cinder', withSecretName(needs('volumeID'))),
  source('cephfs', sources.validateMonitors, { asSecond: 'cephFS' }),
  source('quobyte', sources.validateQuobyte),
  source('downwardAPI', validateDownwardFiles, { asSecond: 'downwarAPI' }),
  source('fc', sources.validateFibreChannel),
  source('flexVolume', sources.validateFlexVolume),
  source('configMap', validateKeyedFiles('name')),
  source('azureFile', needs('secretName', 'shareName')),
  source('vsphereVolume', needs('volumePath')),
  source('photonPersistentDisk', needs('pdID')),
  source('portworxVolume', needs('volumeID')),
  source('azureDisk', sources.validateAzureDisk),
  source('storageos', withSecretName(sources.validateStorageOs)),
  source('projected', validateProjected),
  source('scaleIO', needs('gateway', 'system', 'volumeName')),
  source('csi', validateCsi),
  source('ephemeral', validateEphemeral),
  source('image', validateImage),
];

function source<Key extends keyof Volume>(
  key: Key,
  rule: sources.SourceRule<NonNullable<Volume[Key]>>,
  names: SourceNames = {},
): Source {
  const check = (field: string, volume: Volume): FieldErrors => {
    const own = volume[key];
    return own === undefined ? [] : rule(`${field}.${names.field ?? key}`, own);
  };
  return { key, check, ...names };
}

export interface CheckedVolumes {
  /** Those without errors, which containers may use, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly errors: FieldErrors;
}

/** ValidateVolumes; the volumes without errors are handed on to the checks of mounts. */
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
  const [first, ...others] = SOURCES.filter(({ key }) => volume[key] !== undefined);
  if (first === undefined) return [required(field, 'must specify a volume type')];
  const detail = 'may not specify more than 1 volume type';
  const tooLong = validateIscsiName(field, volume);
  const second = others.flatMap(({ key, asSecond = key }) => [
    forbiddenField(`${field}.${asSecond}`, detail),
    ...(key === 'iscsi' ? tooLong : []),
  ]);
  return [
    ...(first.key === 'image' && pod !== undefined && volume.image !== undefined
      ? sources.requireTexts(`${field}.image`, volume.image, ['reference'])
      : []),
    ...first.check(field, volume),
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

function validateEmptyDir(field: string, { sizeLimit: limit }: EmptyDirVolumeSource): FieldErrors {
  if (isMissing(limit) || quantityAt(limit).unscaled >= 0n) return [];
  const detail = 'SizeLimit field must be a valid resource quantity';
  return [forbiddenField(`${field}.sizeLimit`, detail)];
}

function validateGitRepo(field: string, repo: GitRepoVolumeSource): FieldErrors {
  return [
    ...sources.requireTexts(field, repo, ['repository']),
    ...validateDescendingPath(`${field}.directory`, repo.directory ?? ''),
  ];
}

function withSecretName<Own extends { readonly secretRef?: LocalObjectReference }>(
  rule: sources.SourceRule<Own>,
): sources.SourceRule<Own> {
  return (field, own) => [
    ...rule(field, own),
    ...(own.secretRef === undefined
      ? []
      : sources.requireTexts(`${field}.secretRef`, own.secretRef, ['name'])),
  ];
}

function validateCsi(field: string, csi: CSIVolumeSource): FieldErrors {
  const secret = csi.nodePublishSecretRef;
  const name = secret?.name ?? '';
  return [
    ...sources.validateCsiDriver(field, csi),
    ...(secret === undefined
      ? []
      : name === ''
        ? [required(`${field}.nodePublishSecretRef.name`)]
        : invalidFor(`${field}.name`, name, nameIsDnsSubdomain(name, false))),
  ];
}

/** What else of the claim's metadata than labels and annotations may be said: nothing. */
function validateEphemeral(
  field: string,
  { volumeClaimTemplate: template }: EphemeralVolumeSource,
): FieldErrors {
  const path = `${field}.volumeClaimTemplate`;
  if (template === undefined) return [required(path)];
  const { metadata } = template;
  return [
    ...metadataContent.validateAnnotations(metadata.annotations, `${path}.metadata.annotations`),
    ...metadataContent.validateLabels(metadata.labels, `${path}.metadata.labels`),
    ...OTHER_METADATA.filter((key) => isSet(metadata, key)).map((key) =>
      forbiddenField(`${path}.metadata.${GO_NAME_OF[key] ?? key}`, 'cannot be set'),
    ),
    ...validateClaimSpec(`${path}.spec`, template.spec),
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
] as const;
/** Go's names with a small first letter. */
const GO_NAME_OF: Readonly<Record<string, string>> = { uid: 'uID' };

function isSet(metadata: ObjectMeta, key: (typeof OTHER_METADATA)[number]): boolean {
  const value = metadata[key];
  return !isMissing(value) && value !== '' && value !== 0;
}

function validateImage(field: string, { pullPolicy }: ImageVolumeSource): FieldErrors {
  return oneOf(`${field}.pullPolicy`, pullPolicy, PULL_POLICIES);
}
