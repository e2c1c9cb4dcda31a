/**
 * Volumes that show what is written elsewhere as files: settings, secrets and the pod itself.
 *
 * In Kubernetes: validateConfigMapVolumeSource, validateDownwardAPIVolumeFile and
 * validateProjectionSources, pkg/apis/core/validation.
 */
import type {
  ConfigMapProjection,
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretProjection,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { flatMapItems, remembered } from '../../../json/work-in-slices.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  FIELDS_OF_FILES,
  validateFieldRef,
  validateResourceFieldRef,
} from '../containers/downward-api-validation.ts';
import { validatePodCertificate, validateTrustBundle } from './certificate-volumes-validation.ts';
import { validateLocalPath } from './local-path-validation.ts';
import { takePath, type TakenPaths, validateClash } from './taken-paths.ts';
import { requireTexts, type SourceRule, type TextKey } from './volume-sources-validation.ts';

const MODE_MAX = 0o777;
const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;

/** `key` holds the name of what is shown. */
export function validateKeyedFiles<Source extends SecretVolumeSource | ConfigMapVolumeSource>(
  key: TextKey<Source>,
): SourceRule<Source> {
  return (field, source) => [
    ...requireTexts(field, source, [key]),
    ...validateMode(`${field}.defaultMode`, source.defaultMode),
    ...flatMapItems(items(source.items), (item, index) =>
      validateItem(indexPath(`${field}.items`, index), item),
    ),
  ];
}

function validateItem(field: string, { key, path, mode }: KeyToPath): FieldErrors {
  return [
    ...(key === '' ? [required(`${field}.key`)] : []),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalPath(`${field}.path`, path),
    ...validateMode(`${field}.mode`, mode),
  ];
}

function validateMode(field: string, mode: number | null | undefined): FieldErrors {
  if (mode === undefined || mode === null || (mode >= 0 && mode <= MODE_MAX)) return [];
  return [invalidValue(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

export function validateDownwardFiles(field: string, source: DownwardAPIVolumeSource): FieldErrors {
  return [
    ...validateMode(`${field}.defaultMode`, source.defaultMode),
    // Which of the files is wrong is not told.
    ...flatMapItems(items(source.items), (file) => validateDownwardFile(field, file)),
  ];
}

function validateDownwardFile(field: string, file: DownwardAPIVolumeFile): FieldErrors {
  const { path, mode } = file;
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalPath(`${field}.path`, path),
    ...validateContent(field, file),
    ...validateMode(`${field}.mode`, mode),
  ];
}

function validateContent(
  field: string,
  { fieldRef: ofField, resourceFieldRef: ofResource }: DownwardAPIVolumeFile,
): FieldErrors {
  if (ofField !== undefined) {
    const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return [
      ...validateFieldRef(`${field}.fieldRef`, ofField, FIELDS_OF_FILES),
      ...(ofResource === undefined ? [] : [invalidValue(field, 'resource', both)]),
    ];
  }
  return ofResource === undefined
    ? [required(field, 'one of fieldRef and resourceFieldRef is required')]
    : validateResourceFieldRef(`${field}.resourceFieldRef`, ofResource, true);
}

export function validateProjected(field: string, source: ProjectedVolumeSource): FieldErrors {
  const paths = remembered((): TakenPaths => new Map());
  return [
    ...validateMode(`${field}.defaultMode`, source.defaultMode),
    ...flatMapItems(items(source.sources), (projection, index) =>
      validateProjection(field, indexPath(`${field}.sources`, index), projection, paths),
    ),
  ];
}

const PROJECTIONS = [
  ...(['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'] as const),
  ...(['clusterTrustBundle', 'podCertificate'] as const),
] as const;

/** `paths` are those that are taken; clashes are told of the volume as a whole. */
function validateProjection(
  field: string,
  path: string,
  projection: VolumeProjection,
  paths: TakenPaths,
): FieldErrors {
  const count = PROJECTIONS.filter((key) => projection[key] !== undefined).length;
  const { downwardAPI: downward, serviceAccountToken: token } = projection;
  const { clusterTrustBundle: bundle, podCertificate: certificate } = projection;
  return [
    ...(['secret', 'configMap'] as const).flatMap((key) => {
      const source = projection[key];
      return source === undefined ? [] : projectedItems(field, `${path}.${key}`, source, paths);
    }),
    ...flatMapItems(items(downward?.items), (file, index) => {
      const place = indexPath(`${path}.downwardAPI`, index);
      return [
        ...validateDownwardFile(`${path}.downwardAPI`, file),
        ...validateClash(field, { path: file.path, place, shown: file.path }, paths),
      ];
    }),
    ...(token === undefined ? [] : validateToken(field, `${path}.serviceAccountToken`, token)),
    ...(bundle === undefined
      ? []
      : [
          ...validateTrustBundle(`${path}.clusterTrustBundle`, bundle),
          ...takePath(field, { path: bundle.path, place: path, shown: bundle.path }, paths),
        ]),
    ...(certificate === undefined
      ? []
      : validatePodCertificate(field, `${path}.podCertificate`, certificate, paths)),
    ...(count > 1
      ? [forbiddenField(path, 'may not specify more than 1 volume type per source')]
      : []),
  ];
}

function projectedItems(
  field: string,
  path: string,
  source: SecretProjection | ConfigMapProjection,
  paths: TakenPaths,
): FieldErrors {
  const { name = '' } = source;
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...flatMapItems(items(source.items), (item, index) => {
      const place = indexPath(`${path}.items`, index);
      return [
        ...validateItem(place, item),
        ...validateClash(field, { path: item.path, place, shown: name }, paths),
      ];
    }),
  ];
}

/** What is wrong with the path is told of the volume, as upstream has it. */
function validateToken(
  field: string,
  path: string,
  { expirationSeconds: seconds = 0, path: file }: ServiceAccountTokenProjection,
): FieldErrors {
  const least = 'may not specify a duration less than 10 minutes';
  const most = 'may not specify a duration larger than 2^32 seconds';
  return [
    ...(seconds < TOKEN_SECONDS_MIN
      ? [invalidValue(`${path}.expirationSeconds`, seconds, least)]
      : []),
    ...(seconds > TOKEN_SECONDS_MAX
      ? [invalidValue(`${path}.expirationSeconds`, seconds, most)]
      : []),
    ...(file === '' ? [required(`${field}.path`)] : validateLocalPath(`${field}.path`, file)),
  ];
}
