/**
 * The volumes of a pod: each with a name of its own and exactly one source.
 * What stands inside a source is not looked at yet.
 *
 * In Kubernetes: ValidateVolumes, pkg/apis/core/validation.
 */
import { stringAt, type JsonObject } from '../../api/meta/json.ts';
import { dns1123LabelProblems } from '../../api/meta/names.ts';
import {
  duplicateValue,
  forbiddenField,
  required,
  type FieldErrors,
} from '../../api/schema/field-errors.ts';
import { indexPath } from '../../api/schema/field-path.ts';
import { invalidFor, isMissing, objectsAt } from './value-validation.ts';

/** In the order in which upstream looks at them. */
const VOLUME_SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

/** Where upstream's path is not the field's own name. */
const SOURCE_PATHS: Readonly<Record<string, string>> = {
  cephfs: 'cephFS',
  downwardAPI: 'downwarAPI',
};

export interface CheckedVolumes {
  /** The names of those without errors, which containers may mount. */
  readonly names: ReadonlySet<string>;
  readonly errors: FieldErrors;
}

export function validateVolumes(field: string, spec: JsonObject): CheckedVolumes {
  const names = new Set<string>();
  const errors = objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const name = stringAt(volume, 'name');
    const found = validateVolume(indexPath(field, index), volume, names.has(name));
    if (found.length === 0) names.add(name);
    return found;
  });
  return { names, errors };
}

function validateVolume(field: string, volume: JsonObject, isTaken: boolean): FieldErrors {
  const name = stringAt(volume, 'name');
  return [
    ...validateVolumeSource(field, volume),
    ...(name === ''
      ? [required(`${field}.name`)]
      : invalidFor(`${field}.name`, name, dns1123LabelProblems(name))),
    ...(isTaken ? [duplicateValue(`${field}.name`, name)] : []),
  ];
}

function validateVolumeSource(field: string, volume: JsonObject): FieldErrors {
  const sources = VOLUME_SOURCES.filter((source) => !isMissing(volume[source]));
  if (sources.length === 0) return [required(field, 'must specify a volume type')];
  return sources
    .slice(1)
    .map((source) =>
      forbiddenField(
        `${field}.${SOURCE_PATHS[source] ?? source}`,
        'may not specify more than 1 volume type',
      ),
    );
}
