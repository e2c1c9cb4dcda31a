/**
 * What labels of a namespace say of its pods: for each of the three modes a level and the version
 * of Kubernetes whose idea of that level is meant.
 *
 * In Kubernetes: k8s.io/pod-security-admission/api.
 *
 * The warning to a client that labels a namespace for which labels mean nothing.
 *
 * In Kubernetes: exemptNamespaceWarning, k8s.io/pod-security-admission/admission.
 */
import type { StringMap } from '../../../api/meta/object-meta.ts';
import { parseInt64 } from '../../../api/json/go-numbers.ts';
import { type FieldError, invalidValue } from '../../../api/field/field-errors.ts';
import { goQuote } from '../../../api/json/go-format.ts';

export type Level = 'privileged' | 'baseline' | 'restricted';

/** From what allows everything on. */
const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];

/** `latest`, or the minor version: 24 of v1.24. */
type PolicyVersion = 'latest' | number;

/** A level as one version of Kubernetes defines it; checks were added over time. */
export interface LevelVersion {
  readonly level: Level;
  /** `latest`, or a minor version of Kubernetes. */
  readonly version: PolicyVersion;
}

/** What is refused, what is written down, and what is warned of. */
export interface PodPolicy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

/**
 * Labels of namespaces that begin so are about pod security: `enforce`, `enforce-version`, and so
 * on.
 */
export const PREFIX = 'pod-security.kubernetes.io/';
const WRONG_LEVEL = `must be one of ${LEVELS.join(', ')}`;
const WRONG_VERSION = 'must be "latest" or "v1.x"';

/** undefined: there is no such level. */
function parseLevel(text: string): Level | undefined {
  return LEVELS.find((level) => level === text);
}

/** undefined: that is no version. */
export function parseVersion(text: string): PolicyVersion | undefined {
  if (text === 'latest') return 'latest';
  const digits = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text)?.[1];
  // Go reads the digits into 64 bits.
  const minor = parseInt64(digits ?? '');
  return typeof minor === 'bigint' ? Number(minor) : undefined;
}

/** `restricted:v1.24` */
export function formatLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? 'latest' : `v1.${String(version)}`}`;
}

/** Above 0 when the first is the stricter one. */
export function compareLevels(a: Level, b: Level): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}

/** Whether both mean the same; `latest` equals no numbered version. */
export function sameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

/** Whether nothing can be refused, warned of or audited, so pods need not be looked at. */
export function isFullyPrivileged({ enforce, audit, warn }: PodPolicy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === 'privileged');
}

/** Whether the two do the same. */
function isEquivalent(a: PodPolicy, b: PodPolicy): boolean {
  return (['enforce', 'audit', 'warn'] as const).every(
    (mode) =>
      (a[mode].level === 'privileged' && b[mode].level === 'privileged') ||
      sameLevel(a[mode], b[mode]),
  );
}

/**
 * What was understood, and what was wrong; where a label is wrong, the mode is as strict as
 * upstream makes it.
 */
export interface ReadPolicy {
  /** A level for each of the three modes. */
  readonly policy: PodPolicy;
  /** One for each label that says no level or no version. */
  readonly errors: readonly FieldError[];
}

/**
 * The policy that labels ask for, also where something is wrong with them: what cannot be read is
 * enforced as strictly as there is, and neither audited nor warned of.
 *
 * In Kubernetes: PolicyToEvaluate.
 */
export function policyOf(labels: StringMap, defaults: PodPolicy): ReadPolicy {
  const reader = new LabelReader(labels);
  const said = {
    enforce: reader.level('enforce', 'restricted'),
    audit: undefined as Level | undefined,
    warn: undefined as Level | undefined,
  };
  const isEnforceGood = said.enforce !== undefined && reader.errors.length === 0;
  const enforceVersion = reader.version('enforce');
  said.audit = reader.level('audit', 'privileged');
  const auditVersion = reader.version('audit');
  said.warn = reader.level('warn', 'privileged');
  const warnVersion = reader.version('warn');
  const enforce = {
    level: said.enforce ?? defaults.enforce.level,
    version: enforceVersion ?? defaults.enforce.version,
  };
  const audit = {
    level: said.audit ?? defaults.audit.level,
    version: auditVersion ?? defaults.audit.version,
  };
  let warn = {
    level: said.warn ?? defaults.warn.level,
    version: warnVersion ?? defaults.warn.version,
  };
  // A namespace that enforces more than it warns of gets warnings of what is enforced.
  const isStricter = compareLevels(enforce.level, warn.level) > 0;
  if (said.warn === undefined && isEnforceGood && isStricter) {
    warn = { level: enforce.level, version: warnVersion ?? enforce.version };
  }
  return { policy: { enforce, audit, warn }, errors: reader.errors };
}

type Mode = keyof PodPolicy;

class LabelReader {
  readonly errors: FieldError[] = [];
  readonly #labels: StringMap;

  constructor(labels: StringMap) {
    this.#labels = labels;
  }

  /** undefined: the label is not there. */
  level(mode: Mode, otherwise: Level): Level | undefined {
    const text = this.#labels[PREFIX + mode];
    if (text === undefined) return undefined;
    const level = parseLevel(text);
    if (level === undefined) this.#wrong(PREFIX + mode, text, WRONG_LEVEL);
    return level ?? otherwise;
  }

  version(mode: Mode): PolicyVersion | undefined {
    const label = `${PREFIX}${mode}-version`;
    const text = this.#labels[label];
    if (text === undefined) return undefined;
    const version = parseVersion(text);
    if (version === undefined) this.#wrong(label, text, WRONG_VERSION);
    return version ?? 'latest';
  }

  #wrong(label: string, text: string, why: string): void {
    this.errors.push(invalidValue(`metadata.labels[${label}]`, text, why));
  }
}

interface LabelledPolicy {
  readonly policy: PodPolicy;
  readonly labels: StringMap;
  readonly defaults: PodPolicy;
}

/** @returns '' where the labels make no difference anyway. */
export function exemptWarning(
  namespace: string,
  { policy, labels, defaults }: LabelledPolicy,
): string {
  if (isFullyPrivileged(policy) || isEquivalent(policy, defaults)) return '';
  const isSaid = (mode: string): boolean =>
    [mode, `${mode}-version`].some((key) => Object.hasOwn(labels, PREFIX + key));
  const said = (['enforce', 'audit', 'warn'] as const)
    .filter((mode) => policy[mode].level !== 'privileged' && isSaid(mode))
    .map((mode) => `${mode}=${formatLevel(policy[mode])}`)
    .join(', ');
  const who = `namespace ${goQuote(namespace)} is exempt from Pod Security`;
  return `${who}, and the policy (${said}) will be ignored`;
}
