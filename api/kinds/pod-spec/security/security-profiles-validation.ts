/**
 * Profiles of seccomp and AppArmor, as fields and as the annotations that they once were.
 *
 * In Kubernetes: validateSeccompProfileField, ValidateAppArmorProfileField and their kin,
 * pkg/apis/core/validation.
 */
import type {
  PodSpec,
  SeccompProfile,
  SecurityContext,
  AppArmorProfile,
} from '../../../generated/kinds/core-v1.ts';
import type { StringMap } from '../../../meta/object-meta.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { goQuote } from '../../../json/go-format.ts';
import { keyPath } from '../../../field/field-path.ts';
import { internalForm } from '../../internal-struct.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateDescendingPath } from '../volumes/local-path-validation.ts';
import { containersOf, ofEachContainer } from '../pod-rules.ts';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const PATH_BYTES_MAX = 4095;
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
/** The annotations of containers by which AppArmor was once set begin with this. */
export const APP_ARMOR_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

export function validateSeccompProfile(field: string, context: SecurityContext): FieldErrors {
  const profile = context.seccompProfile;
  if (profile === undefined) return [];
  const path = `${field}.seccompProfile`;
  return [
    ...validateType(`${path}.type`, profile, 'type is required when seccompProfile is set'),
    ...validateSeccompPath(`${path}.localhostProfile`, profile),
  ];
}

function validateSeccompPath(field: string, profile: SeccompProfile): FieldErrors {
  const hasPath = !isMissing(profile.localhostProfile);
  if (profile.type !== 'Localhost') {
    if (!hasPath) return [];
    const detail = 'can only be set when seccomp type is Localhost';
    return [invalidValue(field, internalForm('SeccompProfile', profile), detail)];
  }
  return hasPath
    ? validateDescendingPath(field, profile.localhostProfile ?? '')
    : [required(field, 'must be set when seccomp type is Localhost')];
}

/**
 * ValidateAppArmorProfileFormat: a type, and the name of a profile only where the type needs one.
 */
export function validateAppArmorProfile(field: string, context: SecurityContext): FieldErrors {
  const profile = context.appArmorProfile;
  if (profile === undefined) return [];
  const path = `${field}.appArmorProfile`;
  const type = profile.type;
  if (type === 'Localhost') return validateAppArmorPath(`${path}.localhostProfile`, profile);
  if (!TYPES.includes(type)) {
    return validateType(`${path}.type`, profile, 'type is required when appArmorProfile is set');
  }
  const detail = 'can only be set when AppArmor type is Localhost';
  return isMissing(profile.localhostProfile)
    ? []
    : [invalidValue(`${path}.localhostProfile`, profile.localhostProfile, detail)];
}

function validateAppArmorPath(field: string, profile: AppArmorProfile): FieldErrors {
  const path = profile.localhostProfile ?? '';
  if (path === '') return [required(field, 'must be set when AppArmor type is Localhost')];
  return [
    ...(path.trim() === path
      ? []
      : [invalidValue(field, path, 'must not be padded with whitespace')]),
    ...(Buffer.byteLength(path) > PATH_BYTES_MAX ? [tooLong(field, PATH_BYTES_MAX)] : []),
  ];
}

function validateType(
  field: string,
  profile: SeccompProfile | AppArmorProfile,
  whenNone: string,
): FieldErrors {
  const type = profile.type;
  if (type === '') return [required(field, whenNone)];
  return TYPES.includes(type) ? [] : [notSupported(field, type, TYPES)];
}

/** What the annotations of a pod say by themselves. */
export function validateProfileAnnotations(
  field: string,
  annotations: StringMap,
  spec: PodSpec,
): FieldErrors {
  const names = remembered(
    () => new Set(containersOf('', spec).map(({ container }) => container.name)),
  );
  const pod = annotations[SECCOMP_POD];
  const entries = Object.entries(annotations);
  return [
    ...(pod === undefined ? [] : validateSeccompText(`${field}.${SECCOMP_POD}`, pod)),
    ...entries
      .filter(([key]) => key.startsWith(SECCOMP_CONTAINER))
      .flatMap(([key, text]) => validateSeccompText(`${field}.${key}`, text)),
    ...entries
      .filter(([key]) => key.startsWith(APP_ARMOR_CONTAINER))
      .flatMap(([key, text]) => {
        const name = key.slice(APP_ARMOR_CONTAINER.length);
        const path = keyPath(field, key);
        return [
          ...(names.has(name) ? [] : [invalidValue(path, name, 'container not found')]),
          ...validateAppArmorText(path, text),
        ];
      }),
  ];
}

function validateSeccompText(field: string, text: string): FieldErrors {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(text)) return [];
  return text.startsWith(LOCALHOST)
    ? validateDescendingPath(field, text.slice(LOCALHOST.length))
    : [invalidValue(field, text, 'must be a valid seccomp profile')];
}

function validateAppArmorText(field: string, text: string): FieldErrors {
  const isKnown = text === '' || text === 'runtime/default' || text === 'unconfined';
  return isKnown || text.startsWith(LOCALHOST)
    ? []
    : [invalidValue(field, text, `invalid AppArmor profile name: ${goQuote(text)}`)];
}

/** A new pod that says the same thing twice must say the same. */
export function validateProfilesMatch(annotations: StringMap, spec: PodSpec): FieldErrors {
  const context = spec.securityContext;
  const profile = context?.seccompProfile;
  const isWindows = spec.os?.name === 'windows';
  return [
    ...validateMatch('spec.securityContext.seccompProfile', profile, {
      what: 'seccomp',
      text: annotations[SECCOMP_POD],
    }),
    ...ofEachContainer('spec', spec, ({ container, field }) =>
      validateMatch(
        `${field}.securityContext.seccompProfile`,
        container.securityContext?.seccompProfile,
        { what: 'seccomp', text: annotations[SECCOMP_CONTAINER + container.name] },
      ),
    ),
    ...ofEachContainer('spec', spec, ({ container, field }) =>
      isWindows
        ? []
        : validateMatch(
            `${field}.securityContext.appArmorProfile`,
            container.securityContext?.appArmorProfile ?? context?.appArmorProfile,
            {
              what: 'apparmor',
              text: annotations[APP_ARMOR_CONTAINER + container.name],
            },
          ),
    ),
  ];
}

interface ProfileAnnotation {
  readonly what: 'seccomp' | 'apparmor';
  readonly text: string | undefined;
}

function validateMatch(
  field: string,
  profile: SeccompProfile | undefined,
  { what, text }: ProfileAnnotation,
): FieldErrors {
  if (profile === undefined || text === undefined) return [];
  const isDefault = text === 'runtime/default' || (what === 'seccomp' && text === 'docker/default');
  const differs = forbiddenField(
    `${field}.type`,
    `${what} type in annotation and field must match`,
  );
  switch (profile.type) {
    case 'Unconfined':
      return text === 'unconfined' ? [] : [differs];
    case 'RuntimeDefault':
      return isDefault ? [] : [differs];
    case 'Localhost': {
      if (!text.startsWith(LOCALHOST)) return [differs];
      const detail = `${what} profile in annotation and field must match`;
      return text.slice(LOCALHOST.length) === profile.localhostProfile
        ? []
        : [forbiddenField(`${field}.localhostProfile`, detail)];
    }
    default:
      return [];
  }
}
