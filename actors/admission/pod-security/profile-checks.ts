/**
 * What is asked of the profiles that confine a container: AppArmor, SELinux and seccomp.
 *
 * In Kubernetes: k8s.io/pod-security-admission/policy.
 */
import type { PodSpec } from '../../../api/generated/kinds/core-v1.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { stringEntriesAt } from '../../../api/kinds/rules/value-validation.ts';
import { containersOf } from '../../../api/kinds/pod-spec/pod-parts.ts';
import {
  type Check,
  type CheckPod,
  type Secured,
  joinQuoted,
  namesOf,
  plural,
  shownContainers,
  shownSetters,
  sortedOnce,
  unlessWindows,
} from './check.ts';

const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';
const GOOD_TYPES: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

const appArmor: CheckPod = ({ metadata, spec }) => {
  const typeOf = (parent: Secured) => badTypeIn(parent, 'appArmorProfile');
  const bad = namesOf(spec, (container) => typeOf(container) !== undefined);
  const forbidden = stringEntriesAt(metadata, 'annotations')
    .filter(([key, value]) => key.startsWith(APP_ARMOR_PREFIX) && !isGoodAppArmor(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`);
  const setters = [
    shownSetters(typeOf(spec) !== undefined, bad),
    forbidden.length > 0 ? plural(forbidden.length, 'annotation') : '',
  ].filter((setter) => setter !== '');
  if (setters.length === 0) return undefined;
  const values = [...badTypes(spec, 'appArmorProfile'), ...sortedOnce(forbidden)];
  return {
    reason: plural(values.length, 'forbidden AppArmor profile'),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${joinQuoted(values)}`,
  };
};

function isGoodAppArmor(profile: string): boolean {
  return profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
}

type Profile = 'appArmorProfile' | 'seccompProfile';

function profileOf(parent: Secured, key: Profile): { type: string } | undefined {
  return parent.securityContext?.[key];
}

/** undefined: no profile, or one that is allowed. */
function badTypeIn(parent: Secured, key: Profile): string | undefined {
  const profile = profileOf(parent, key);
  if (profile === undefined) return undefined;
  const { type } = profile;
  return GOOD_TYPES.has(type) ? undefined : type;
}

function badTypes(spec: PodSpec, key: Profile): string[] {
  const types = [spec, ...containersOf(spec)].map((parent) => badTypeIn(parent, key));
  return sortedOnce(types.filter((type) => type !== undefined));
}

/** Types of SELinux that a container may have; every container may leave it open. */
const SE_LINUX_1_0 = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const SE_LINUX_1_31 = [...SE_LINUX_1_0, 'container_engine_t'];

function seLinux(allowed: readonly string[]): CheckPod {
  const isBad = (parent: Secured): boolean => {
    const options = optionsOf(parent);
    if (options === undefined) return false;
    const { type, user, role } = options;
    return !allowed.includes(type) || user !== '' || role !== '';
  };
  return ({ spec }) => {
    const setters = shownSetters(isBad(spec), namesOf(spec, isBad));
    if (setters === '') return undefined;
    const all = [spec, ...containersOf(spec)].map(optionsOf).filter((one) => one !== undefined);
    const types = sortedOnce(all.map(({ type }) => type).filter((one) => !allowed.includes(one)));
    const problems = [
      types.length > 0 ? `${plural(types.length, 'type')} ${joinQuoted(types)}` : '',
      all.some(({ user }) => user !== '') ? 'user may not be set' : '',
      all.some(({ role }) => role !== '') ? 'role may not be set' : '',
    ].filter((problem) => problem !== '');
    const what = `set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`;
    return { reason: 'seLinuxOptions', detail: `${setters} ${what}` };
  };
}

function optionsOf(parent: Secured) {
  const options = parent.securityContext?.seLinuxOptions;
  if (options === undefined) return undefined;
  const { type = '', user = '', role = '' } = options;
  return { type, user, role };
}

/** Before there were fields for it, annotations said it. */
const seccompAnnotations: CheckPod = ({ metadata, spec }) => {
  const { annotations = {} } = metadata;
  const names = containersOf(spec).map(({ name }) => SECCOMP_CONTAINER_PREFIX + name);
  const forbidden = [SECCOMP_POD, ...names]
    .flatMap((key) => (Object.hasOwn(annotations, key) ? [[key, annotations[key] ?? '']] : []))
    .filter(([, value = '']) => !isGoodSeccomp(value))
    .map(([key = '', value = '']) => `${key}=${goQuote(value)}`);
  if (forbidden.length === 0) return undefined;
  const shown = sortedOnce(forbidden);
  const detail = `forbidden ${plural(shown.length, 'annotation')} ${shown.join(', ')}`;
  return { reason: 'seccompProfile', detail };
};

function isGoodSeccomp(value: string): boolean {
  return (
    value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/')
  );
}

const seccompBaseline: CheckPod = ({ spec }) => {
  const typeOf = (parent: Secured) => badTypeIn(parent, 'seccompProfile');
  const bad = namesOf(spec, (container) => typeOf(container) !== undefined);
  const setters = shownSetters(typeOf(spec) !== undefined, bad);
  if (setters === '') return undefined;
  const types = joinQuoted(badTypes(spec, 'seccompProfile'));
  const what = `must not set securityContext.seccompProfile.type to ${types}`;
  return { reason: 'seccompProfile', detail: `${setters} ${what}` };
};

/** There the profile must be said, by the pod or by each container. */
const seccompRestricted: CheckPod = (pod) => {
  const { spec } = pod;
  const explicit = seccompBaseline(pod);
  if (explicit !== undefined) return explicit;
  if (profileOf(spec, 'seccompProfile') !== undefined) return undefined;
  const open = namesOf(spec, (one) => profileOf(one, 'seccompProfile') === undefined);
  if (open.length === 0) return undefined;
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${shownContainers(open)} ${what}` };
};

export const PROFILE_CHECKS: readonly Check[] = [
  { id: 'appArmorProfile', level: 'baseline', versions: [{ since: 0, check: appArmor }] },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      { since: 0, check: seLinux(SE_LINUX_1_0) },
      { since: 31, check: seLinux(SE_LINUX_1_31) },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompBaseline },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    versions: [
      { since: 19, check: seccompRestricted, overrides: ['seccompProfile_baseline'] },
      {
        since: 25,
        check: unlessWindows(seccompRestricted),
        overrides: ['seccompProfile_baseline'],
      },
    ],
  },
];
