/** What a class of devices may say. In Kubernetes: ValidateDeviceClass, pkg/apis/resource. */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { isExtended } from '../../rules/resource-names.ts';
import { sameValue } from '../../rules/same-value.ts';
import { isMissing, objectsAt, specOf } from '../../rules/value-validation.ts';
import { CONFIG_MAX } from '../claim-validation.ts';
import { validateList } from '../list-validation.ts';
import { validateSelectors, validateSettings } from '../selector-validation.ts';

export function validateDeviceClass(deviceClass: KubeObject): FieldErrors {
  return validateSpec(specOf(deviceClass), false);
}

/** Settings that do not change may be as large as they are. */
export function validateDeviceClassChange(deviceClass: KubeObject, old: KubeObject): FieldErrors {
  const spec = specOf(deviceClass);
  return validateSpec(spec, sameValue(spec['config'], specOf(old)['config']));
}

function validateSpec(spec: JsonObject, isConfigStored: boolean): FieldErrors {
  const field = 'spec.extendedResourceName';
  const name = stringAt(spec, 'extendedResourceName');
  return [
    ...validateSelectors('spec.selectors', spec),
    ...validateList('spec.config', objectsAt(spec, 'config'), CONFIG_MAX, (path, config) =>
      validateSettings(path, config, isConfigStored),
    ),
    ...(isMissing(spec['extendedResourceName']) || isExtended(name)
      ? []
      : [invalidValue(field, name, 'must be a valid extended resource name')]),
  ];
}
