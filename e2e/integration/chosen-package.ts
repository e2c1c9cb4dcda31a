/**
 * What is common to the lists of packages: how one is chosen, and the reasons for which tests are left out.
 */

/** A package below `test/integration` of Kubernetes, or `apiextensions` and what is below its tests. */
export interface ChosenPackage {
  readonly name: string;
  readonly leftOut: readonly LeftOut[];
  /** Older releases are emulated by what runs in the process of the test, as a scheduler; the server stays what it is. */
  readonly staysCurrent?: boolean;
}

interface LeftOut {
  readonly why: string;
  /** As Go matches them: by parts between slashes, each a regular expression. */
  readonly tests: readonly string[];
}

/** There is no etcd, and nothing that answers as one. */
export const ETCD = 'writes to etcd, or reads it';
/** `--emulated-version`. */
export const EMULATED = 'emulates an older release, which this server does not';
/** Lists of kinds within the tests. */
export const OWN_KINDS =
  'makes every kind that is served, and knows none of the forks of this server';
/** Metrics, periods and stores that are variables of Go. */
export const IN_PROCESS = 'changes or reads variables of the server, which runs in another process';
/** Authorizers and authenticators of a test are asked as webhooks, which cannot tell everything. */
export const BY_WEBHOOK =
  'replaces what decides in the process, and wants told what its webhook cannot tell';
/** Plug-ins of admission that a test makes. */
export const OWN_ADMISSION = 'has a plug-in of admission in the process of the test';
/** Their servers are on two topics. */
export const TWO_SERVERS = 'lets two servers share an etcd: here they share a topic of Kafka';
/** Gates that are off in Kubernetes, too. */
export const ALPHA = 'needs a feature that is alpha and not there';
/** Gates of what has no second way here. */
export const ALWAYS_ON = 'switches off what cannot be off here';
