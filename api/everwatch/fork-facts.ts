/**
 * What is known of Fork, the one kind that Kubernetes has not: written by hand in the form in which
 * the facts of all others are generated.
 */
export const FORK_GROUP = 'dev.everwatch';
/** The one version in which forks are served. */
export const FORK_VERSION = 'v1alpha1';
/** The plural name in the path. */
export const FORKS = 'forks';

/** Where forks lie in the log. */
export const FORK_STORAGE = `${FORK_GROUP}/${FORKS}`;

const PACKAGE = `${FORK_GROUP}.${FORK_VERSION}`;
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** As in api/generated/resources.json. */
export const FORK_RESOURCE = {
  group: FORK_GROUP,
  version: FORK_VERSION,
  resource: FORKS,
  singular: 'fork',
  kind: 'Fork',
  listKind: 'ForkList',
  namespaced: false,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  shortNames: [],
  categories: [],
  typeId: `${PACKAGE}.Fork`,
  listTypeId: `${PACKAGE}.ForkList`,
  storageVersionHash: 'dYUJCl4xGLk=',
  subresources: [],
} as const;

/** As in api/generated/types.json, by Go's name of the package if it had one. */
export const FORK_PACKAGES = {
  [`${FORK_GROUP}/${FORK_VERSION}`]: {
    id: PACKAGE,
    group: FORK_GROUP,
    types: {
      Fork: [
        ['', `${META}.TypeMeta`, 0, 'i'],
        ['metadata', `${META}.ObjectMeta`, 1, 'od'],
        ['spec', 'ForkSpec', 2, 'od'],
        ['status', 'ForkStatus', 3, 'od'],
      ],
      ForkList: [
        ['', `${META}.TypeMeta`, 0, 'i'],
        ['metadata', `${META}.ListMeta`, 1, 'od'],
        ['items', '[]Fork', 2, 'r'],
      ],
      ForkSpec: [
        ['revision', 'string', 1, 'o'],
        ['time', 'string', 2, 'o', { format: 'date-time' }],
      ],
      ForkStatus: [['phase', 'string', 1, 'o', { enum: ['Ready', 'Terminating'] }]],
    },
  },
} as const;

/** As in api/generated/table-columns.json. */
export const FORK_COLUMNS = [['Name', 'string', 'name'], ['Revision'], ['Age'], ['Phase']] as const;

/** What `kubectl explain` says, by type; inside, '' is the type itself. */
export const FORK_DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [`${PACKAGE}.Fork`]: {
    '': 'A whole control plane that can be written to, on top of the past of this one. It is served under /forks/NAME from the moment this object exists, and is gone with all its data when this object is.',
    apiVersion: 'The version of the schema of this object.',
    kind: 'The kind of this object.',
    metadata: 'Standard metadata of the object. The name stands in a path, so it is a DNS label.',
    spec: 'Where the fork begins. It cannot be changed.',
    status: 'The state of the fork; clients do not set it.',
  },
  [`${PACKAGE}.ForkList`]: {
    '': 'A list of forks.',
    apiVersion: 'The version of the schema of this object.',
    kind: 'The kind of this object.',
    metadata: 'Standard metadata of the list.',
    items: 'The forks.',
  },
  [`${PACKAGE}.ForkSpec`]: {
    '': 'Where a fork begins: at a revision, at a time, or, if it says neither, now.',
    revision:
      'The resourceVersion that the fork begins at: it has every object as it was then, and counts its own resourceVersions on from there. Filled in where it is left out; counts more than the time.',
    time: 'The time, in the form of RFC 3339, that the fork begins at. Looked up once, when the fork is made; what was found is the revision.',
  },
  [`${PACKAGE}.ForkStatus`]: {
    '': 'The state of a fork.',
    phase: 'Ready: it is served. Terminating: it is going to be, until its last finalizer is gone.',
  },
};
