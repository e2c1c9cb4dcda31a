/**
 * Where a persistent volume lies: exactly one source, and what stands in it.
 *
 * In Kubernetes: ValidatePersistentVolumeSpec, pkg/apis/core/validation.
 */
import type { PersistentVolumeSpec } from '../../generated/kinds/core-v1.ts';
import { stringAt, type JsonObject } from '../../json/json.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../meta/names.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { validatePersistentIscsi } from '../pod-spec/volumes/iscsi-validation.ts';
import { validateNoBacksteps } from '../pod-spec/volumes/local-path-validation.ts';
import { presentAt } from '../pod-spec/pod-rules.ts';
import * as sources from '../pod-spec/volumes/volume-sources-validation.ts';
import { invalidFor, isMissing } from './value-validation.ts';

const { needs } = sources;

interface Source {
  readonly key: string;
  /** `name` is the name of the volume. */
  readonly rule: (field: string, source: JsonObject, name: string) => FieldErrors;
  readonly field?: string;
  readonly asSecond?: string;
}

/** In upstream's order. */
export const SOURCES: readonly Source[] = [
  { key: 'hostPath', rule: sources.validateHostPath },
  { key: 'gcePersistentDisk', rule: sources.validateDisk('pdName'), field: 'persistentDisk' },
  { key: 'awsElasticBlockStore', rule: sources.validateDisk('volumeID') },
  { key: 'glusterfs', rule: validateGlusterfs },
  { key: 'flocker', rule: sources.validateFlocker },
  { key: 'nfs', rule: sources.validateNfs },
  { key: 'rbd', rule: sources.validateRbd },
  { key: 'quobyte', rule: sources.validateQuobyte },
  { key: 'cephfs', rule: sources.validateMonitors, asSecond: 'cephFS' },
  { key: 'iscsi', rule: validatePersistentIscsi },
  { key: 'cinder', rule: withSecret(needs('volumeID')) },
  { key: 'fc', rule: sources.validateFibreChannel },
  { key: 'flexVolume', rule: sources.validateFlexVolume },
  { key: 'azureFile', rule: validateAzureFile },
  { key: 'vsphereVolume', rule: needs('volumePath') },
  { key: 'photonPersistentDisk', rule: needs('pdID') },
  { key: 'portworxVolume', rule: needs('volumeID') },
  { key: 'azureDisk', rule: sources.validateAzureDisk },
  { key: 'scaleIO', rule: needs('gateway', 'system', 'volumeName') },
  { key: 'local', rule: validateLocal },
  { key: 'storageos', rule: withSecret(sources.validateStorageOs) },
  { key: 'csi', rule: validateCsi },
];
/** Secrets that a CSI driver is given, in upstream's order. */
const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

export function validateSource(
  field: string,
  spec: PersistentVolumeSpec,
  name: string,
): FieldErrors {
  const present = SOURCES.filter(({ key }) => presentAt(spec, key) !== undefined);
  if (present.length === 0) return [required(field, 'must specify a volume type')];
  const detail = 'may not specify more than 1 volume type';
  return present.flatMap(({ key, rule, field: own = key, asSecond = key }, index) => {
    // Upstream does not mind this one as a second.
    if (index > 0 && key !== 'flexVolume') return [forbiddenField(`${field}.${asSecond}`, detail)];
    const isUnbound = key === 'local' && isMissing(spec.nodeAffinity);
    return [
      ...rule(`${field}.${own}`, presentAt(spec, key) ?? {}, name),
      ...(isUnbound
        ? [required(`${field}.nodeAffinity`, 'Local volume requires node affinity')]
        : []),
    ];
  });
}

function validateGlusterfs(field: string, source: JsonObject): FieldErrors {
  const errors = needs('endpoints', 'path')(field, source);
  if (isMissing(source['endpointsNamespace'])) return errors;
  const namespace = stringAt(source, 'endpointsNamespace');
  const path = `${field}.endpointsNamespace`;
  const detail = 'if the endpointnamespace is set, it must be a valid namespace name';
  return [
    ...errors,
    ...(namespace === ''
      ? [invalidValue(path, namespace, detail)]
      : invalidFor(path, namespace, dns1123LabelProblems(namespace))),
  ];
}

function withSecret(rule: sources.SourceRule): sources.SourceRule {
  return (field, source) => {
    const secret = presentAt(source, 'secretRef');
    return [
      ...rule(field, source),
      ...(secret === undefined
        ? []
        : sources.requireTexts(`${field}.secretRef`, secret, ['name', 'namespace'])),
    ];
  };
}

function validateAzureFile(field: string, source: JsonObject): FieldErrors {
  const isNowhere =
    !isMissing(source['secretNamespace']) && stringAt(source, 'secretNamespace') === '';
  return [
    ...needs('secretName', 'shareName')(field, source),
    ...(isNowhere ? [required(`${field}.secretNamespace`)] : []),
  ];
}

function validateLocal(field: string, source: JsonObject): FieldErrors {
  const path = stringAt(source, 'path');
  return path === '' ? [required(`${field}.path`)] : validateNoBacksteps(`${field}.path`, path);
}

function validateCsi(field: string, source: JsonObject): FieldErrors {
  return [
    ...sources.validateCsiDriver(field, source),
    ...sources.requireTexts(field, source, ['volumeHandle']),
    ...CSI_SECRETS.flatMap((key) => {
      const secret = presentAt(source, key);
      return secret === undefined ? [] : validateSecretReference(`${field}.${key}`, secret);
    }),
  ];
}

function validateSecretReference(field: string, secret: JsonObject): FieldErrors {
  const name = stringAt(secret, 'name');
  const namespace = stringAt(secret, 'namespace');
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : invalidFor(`${field}.name`, name, dns1123SubdomainProblems(name))),
    ...(namespace === ''
      ? [required(`${field}.namespace`)]
      : invalidFor(`${field}.namespace`, namespace, dns1123LabelProblems(namespace))),
  ];
}
