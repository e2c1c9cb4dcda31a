/** The types of values that only functions of Kubernetes look into. */
import { opaqueType, structType } from '../cel-type.ts';

export const URL_TYPE = structType('kubernetes.URL');
/** Of `quantity('10Mi')`. */
export const QUANTITY_TYPE = structType('kubernetes.Quantity');
export const SEMVER_TYPE = structType('kubernetes.Semver');
export const FORMAT_TYPE = structType('kubernetes.NamedFormat');
/** Of `ip('10.0.0.1')`. */
export const IP_TYPE = opaqueType('net.IP');
/** Of `cidr('10.0.0.0/8')`. */
export const CIDR_TYPE = opaqueType('net.CIDR');
