/**
 * What is special about containers on Windows.
 *
 * In Kubernetes: validateWindowsSecurityContextOptions and validateWindowsHostProcessPod,
 * pkg/apis/core/validation.
 */
import type {
  PodSpec,
  SecurityContext,
  PodSecurityContext,
  WindowsSecurityContextOptions,
} from '../../../generated/kinds/core-v1.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { containersOf, ofEachContainer, type AnyContainer } from '../pod-rules.ts';
import { refuseHostProcess } from '../containers/privileged-containers.ts';

const GMSA_KIB_MAX = 64;
const DOMAIN_BYTES_MAX = 256;
const USER_BYTES_MAX = 104;
const CONTROL = /[\u0000-\u001f\u007f]/;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN_LABEL = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;
const DOTS_OR_SPACES = /^[. ]+$/;
const NOT_IN_USERS = /["/\\:;|=,+*?<>@[\]]/;

/** `context` is the security context of a pod or of a container. */
export function validateWindowsOptions(
  field: string,
  context: SecurityContext | PodSecurityContext,
): FieldErrors {
  const options = context.windowsOptions;
  if (options === undefined) return [];
  const path = `${field}.windowsOptions`;
  const name = options.gmsaCredentialSpecName ?? '';
  return [
    ...(isMissing(options.gmsaCredentialSpecName)
      ? []
      : invalidFor(`${path}.gmsaCredentialSpecName`, name, dns1123SubdomainProblems(name))),
    ...validateCredentials(`${path}.gmsaCredentialSpec`, options),
    ...(isMissing(options.runAsUserName)
      ? []
      : validateUserName(`${path}.runAsUserName`, options.runAsUserName ?? '')),
  ];
}

function validateCredentials(field: string, options: WindowsSecurityContextOptions): FieldErrors {
  if (isMissing(options.gmsaCredentialSpec)) return [];
  const spec = options.gmsaCredentialSpec ?? '';
  if (spec === '') {
    return [invalidValue(field, spec, 'gmsaCredentialSpec cannot be an empty string')];
  }
  const detail = `gmsaCredentialSpec size must be under ${String(GMSA_KIB_MAX)} KiB`;
  return Buffer.byteLength(spec) > GMSA_KIB_MAX * 1024 ? [invalidValue(field, spec, detail)] : [];
}

/** `USER` or `DOMAIN\USER`. */
function validateUserName(field: string, name: string): FieldErrors {
  const wrong = (detail: string) => [invalidValue(field, name, `runAsUserName${detail}`)];
  if (name === '') return wrong(' cannot be an empty string');
  if (CONTROL.test(name)) return wrong(' cannot contain control characters');
  const parts = name.split('\\');
  if (parts.length > 2) return wrong(' cannot contain more than one backslash');
  const domain = parts.length === 2 ? parts[0] : undefined;
  const user = parts.at(-1) ?? '';
  return [...domainProblems(domain), ...userProblems(user)].flatMap(wrong);
}

function domainProblems(domain: string | undefined): readonly string[] {
  if (domain === undefined) return [];
  const isLong = Buffer.byteLength(domain) >= DOMAIN_BYTES_MAX;
  return [
    ...(isLong ? [`'s Domain length must be under ${String(DOMAIN_BYTES_MAX)} characters`] : []),
    ...(NET_BIOS.test(domain) || isDnsName(domain)
      ? []
      : ["'s Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

function isDnsName(domain: string): boolean {
  return domain.split('.').every((label) => DOMAIN_LABEL.test(label));
}

function userProblems(user: string): readonly string[] {
  const isLong = Buffer.byteLength(user) > USER_BYTES_MAX;
  const most = String(USER_BYTES_MAX);
  return [
    ...(user === '' ? ["'s User cannot be empty"] : []),
    ...(isLong ? [`'s User length must not be longer than ${most} characters`] : []),
    ...(DOTS_OR_SPACES.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(NOT_IN_USERS.test(user)
      ? [`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ];
}

/** Containers that are processes of the host: all of a pod are, or none; and on its network. */
export function validateHostProcess(field: string, spec: PodSpec): FieldErrors {
  const ofPod = hostProcessOf(spec);
  const differing = ofEachContainer(field, spec, ({ container, field: path }) => {
    const own = hostProcessOf(container);
    if (own === undefined || ofPod === undefined || own === ofPod) return [];
    const detail = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`;
    return [invalidValue(`${path}.securityContext.windowsOptions.hostProcess`, own, detail)];
  });
  const processes = ofEachContainer(field, spec, (placed) =>
    (hostProcessOf(placed.container) ?? ofPod === true) ? [placed] : [],
  );
  if (processes.length === 0) return differing;
  const all =
    'If pod contains any hostProcess containers then all containers must be HostProcess containers';
  const network = 'hostNetwork must be true if pod contains any hostProcess containers';
  return [
    ...differing,
    ...(processes.length === containersOf(field, spec).length
      ? []
      : [invalidValue(field, '', all)]),
    ...(spec.hostNetwork === true ? [] : [invalidValue(`${field}.hostNetwork`, false, network)]),
    refuseHostProcess(field),
  ];
}

function hostProcessOf(parent: PodSpec | AnyContainer): boolean | undefined {
  const value = parent.securityContext?.windowsOptions?.hostProcess;
  return typeof value === 'boolean' ? value : undefined;
}
