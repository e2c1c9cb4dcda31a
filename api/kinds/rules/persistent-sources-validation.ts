/**
 * Where a persistent volume lies: exactly one source, and what stands in it.
 *
 * In Kubernetes: ValidatePersistentVolumeSpec, pkg/apis/core/validation.
 */
import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
  ObjectReference,
  PersistentVolumeSpec,
  SecretReference,
} from '../../generated/kinds/core-v1.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../field/field-errors.ts';
import { validatePersistentIscsi } from '../pod-spec/volumes/iscsi-validation.ts';
import { validateNoBacksteps } from '../pod-spec/volumes/local-path-validation.ts';
import * as sources from '../pod-spec/volumes/volume-sources-validation.ts';
import { invalidFor, isMissing } from './value-validation.ts';

const { needs } = sources;

interface SourceNames {
  /** Where the errors of the rule stand; the key unless upstream has it otherwise. */
  readonly field?: string;
  /** What it is called in the error about a second source; the key unless upstream differs. */
  readonly asSecond?: string;
}

interface Source extends SourceNames {
  readonly key: keyof PersistentVolumeSpec;
  /** What is wrong with the source at that key; `name` is the name of the volume. */
  readonly check: (field: string, spec: PersistentVolumeSpec, name: string) => FieldErrors;
}

/** In upstream's order. */
export const SOURCES: readonly Source[] = [
  source('hostPath', sources.validateHostPath),
  source('gcePersistentDisk', sources.validateDisk('pdName'), { field: 'persistentDisk' }),
  source('awsElasticBlockStore', sources.validateDisk('volumeID')),
  source('glusterfs', validateGlusterfs),
  source('flocker', sources.validateFlocker),
  source('nfs', sources.validateNfs),
  source('rbd', sources.validateRbd),
  source('quobyte', sources.validateQuobyte),
  source('cephfs', sources.validateMonitors, { asSecond: 'cephFS' }),
  source('iscsi', validatePersistentIscsi),
  source('cinder', withSecret(needs('volumeID'))),
  source('fc', sources.validateFibreChannel),
  source('flexVolume', sources.validateFlexVolume),
  source('azureFile', validateAzureFile),
  source('vsphereVolume', needs('volumePath')),
  source('photonPersistentDisk', needs('pdID')),
  source('portworxVolume', needs('volumeID')),
  source('azureDisk', sources.validateAzureDisk),
  source('scaleIO', needs('gateway', 'system', 'volumeName')),
  source('local', validateLocal),
  source('storageos', withSecret(sources.validateStorageOs)),
  source('csi', validateCsi),
];

function source<Key extends keyof PersistentVolumeSpec>(
  key: Key,
  rule: (
    field: string,
    source: NonNullable<PersistentVolumeSpec[Key]>,
    name: string,
  ) => FieldErrors,
  names: SourceNames = {},
): Source {
  const check: Source['check'] = (field, spec, name) => {
    const own = spec[key];
    if (own === undefined) return [];
    return rule(`${field}.${names.field ?? key}`, own, name);
  };
  return { key, check, ...names };
}

/** Secrets that a CSI driver is given, in upstream's order. */
const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

/** ValidatePersistentVolumeSpec as far as the source goes: exactly one, and in order. */
export function validateSource(
  field: string,
  spec: PersistentVolumeSpec,
  name: string,
): FieldErrors {
  const present = SOURCES.filter(({ key }) => spec[key] !== undefined);
  if (present.length === 0) return [required(field, 'must specify a volume type')];
  const detail = 'may not specify more than 1 volume type';
  return present.flatMap(({ key, check, asSecond = key }, index) => {
    // Upstream does not mind this one as a second.
    if (index > 0 && key !== 'flexVolume') return [forbiddenField(`${field}.${asSecond}`, detail)];
    const isUnbound = key === 'local' && isMissing(spec.nodeAffinity);
    return [
      ...check(field, spec, name),
      ...(isUnbound
        ? [required(`${field}.nodeAffinity`, 'Local volume requires node affinity')]
        : []),
    ];
  });
}

function validateGlusterfs(field: string, volume: GlusterfsPersistentVolumeSource): FieldErrors {
  const errors = sources.requireTexts(field, volume, ['endpoints', 'path']);
  const namespace = volume.endpointsNamespace;
  if (namespace === undefined) return errors;
  const path = `${field}.endpointsNamespace`;
  const detail = 'if the endpointnamespace is set, it must be a valid namespace name';
  return [
    ...errors,
    ...(namespace === ''
      ? [invalidValue(path, namespace, detail)]
      : invalidFor(path, namespace, dns1123LabelProblems(namespace))),
  ];
}

function withSecret<Own extends { readonly secretRef?: SecretReference | ObjectReference }>(
  rule: sources.SourceRule<Own>,
): sources.SourceRule<Own> {
  return (field, own) => [
    ...rule(field, own),
    ...(own.secretRef === undefined
      ? []
      : sources.requireTexts<SecretReference>(`${field}.secretRef`, own.secretRef, [
          'name',
          'namespace',
        ])),
  ];
}

function validateAzureFile(field: string, file: AzureFilePersistentVolumeSource): FieldErrors {
  return [
    ...sources.requireTexts(field, file, ['secretName', 'shareName']),
    ...(file.secretNamespace === '' ? [required(`${field}.secretNamespace`)] : []),
  ];
}

function validateLocal(field: string, { path }: LocalVolumeSource): FieldErrors {
  return path === '' ? [required(`${field}.path`)] : validateNoBacksteps(`${field}.path`, path);
}

function validateCsi(field: string, csi: CSIPersistentVolumeSource): FieldErrors {
  return [
    ...sources.validateCsiDriver(field, csi),
    ...sources.requireTexts(field, csi, ['volumeHandle']),
    ...CSI_SECRETS.flatMap((key) => {
      const secret = csi[key];
      return secret === undefined ? [] : validateSecretReference(`${field}.${key}`, secret);
    }),
  ];
}

function validateSecretReference(
  field: string,
  { name = '', namespace = '' }: SecretReference,
): FieldErrors {
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : invalidFor(`${field}.name`, name, dns1123SubdomainProblems(name))),
    ...(namespace === ''
      ? [required(`${field}.namespace`)]
      : invalidFor(`${field}.namespace`, namespace, dns1123LabelProblems(namespace))),
  ];
}
