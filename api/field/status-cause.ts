/** One of the reasons why a request failed. In Kubernetes: StatusCause, apimachinery/pkg/apis/meta/v1. */
import type { JsonObject } from '../json/json.ts';

export interface StatusCause extends JsonObject {
  /** For a machine: `FieldValueInvalid`. */
  reason?: string;
  /** For people, without the field. */
  message?: string;
  /** As `spec.containers[0].name`. */
  field?: string;
}
