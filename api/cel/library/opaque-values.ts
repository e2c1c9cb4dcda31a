/** The types of values that only functions of Kubernetes look into. */
import { opaqueType, structType } from '../cel-type.ts';

export const URL_TYPE = structType('kubernetes.URL');
export const QUANTITY_TYPE = structType('kubernetes.Quantity');
export const SEMVER_TYPE = structType('kubernetes.Semver');
export const FORMAT_TYPE = structType('kubernetes.NamedFormat');
export const IP_TYPE = opaqueType('net.IP');
export const CIDR_TYPE = opaqueType('net.CIDR');
