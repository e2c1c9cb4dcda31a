/**
 * DefaultStorageClass: a claim that names no class gets the default one, if there is one.
 *
 * In Kubernetes: plugin/pkg/admission/storage/storageclass/setdefault.
 */
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';
import { followDefaultClass } from '../../default-class.ts';
import { isItself } from '../../places.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';

const CLASSES = 'storage.k8s.io/storageclasses';
const CLAIMS = 'core/persistentvolumeclaims';
const MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
/** In which a claim named its class before it had a field for it. */
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';

export function defaultStorageClass(world: Pick<AdmissionWorld, 'followed'>): MutatingPlugin {
  const defaultClass = followDefaultClass(world, CLASSES, ({ annotations }) =>
    MARKS.some((mark) => annotations?.[mark] === 'true'),
  );
  const set: AdmissionStep = ({ object: claim }) => {
    if (claim === undefined) return undefined;
    const { annotations = {} } = claim.metadata;
    const spec = specToFill(claim);
    if (Object.hasOwn(annotations, OLD_CLASS) || spec['storageClassName'] !== undefined) {
      return undefined;
    }
    const name = defaultClass();
    if (name !== undefined) spec['storageClassName'] = name;
    return undefined;
  };
  return {
    name: 'DefaultStorageClass',
    mutatesAt: (place) => (isItself(place, CLAIMS, 'CREATE') ? set : undefined),
  };
}
