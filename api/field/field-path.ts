/**
 * Paths of fields as they stand in {@link FieldError.field}: `spec.containers[0].env[PATH]`.
 * They are plain strings; a rule in a hot loop makes them only once something is wrong.
 *
 * In Kubernetes: field.Path, apimachinery/pkg/util/validation/field.
 */

/** `spec` → `spec.replicas`; '' is the whole object. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** `spec.ports` → `spec.ports[2]`. */
export function indexPath(path: string, index: number): string {
  return `${path}[${String(index)}]`;
}

/** `metadata.labels` → `metadata.labels[app]`. */
export function keyPath(path: string, key: string): string {
  return `${path}[${key}]`;
}
