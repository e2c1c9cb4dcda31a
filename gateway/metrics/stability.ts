/**
 * How long a family can be relied on, which stands in front of its help: `[STABLE] …`. What is not
 * named here is ALPHA, as in Kubernetes; our own families and those of the process say nothing.
 *
 * In Kubernetes: component-base/metrics, its StabilityLevel.
 */

const STABLE: ReadonlySet<string> = new Set([
  'apiserver_admission_controller_admission_duration_seconds',
  'apiserver_admission_step_admission_duration_seconds',
  'apiserver_admission_webhook_admission_duration_seconds',
  'apiserver_current_inflight_requests',
  'apiserver_longrunning_requests',
  'apiserver_request_duration_seconds',
  'apiserver_request_total',
  'apiserver_requested_deprecated_apis',
  'apiserver_response_sizes',
  'apiserver_storage_objects',
  'apiserver_storage_size_bytes',
  'kubernetes_healthcheck',
  'kubernetes_healthchecks_total',
]);

const BETA: ReadonlySet<string> = new Set([
  'apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds',
  'apiserver_authentication_config_controller_automatic_reloads_total',
  'apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds',
  'apiserver_authorization_config_controller_automatic_reloads_total',
  'apiserver_cel_compilation_duration_seconds',
  'apiserver_cel_evaluation_duration_seconds',
  'apiserver_flowcontrol_current_executing_requests',
  'apiserver_flowcontrol_current_executing_seats',
  'apiserver_flowcontrol_current_inqueue_requests',
  'apiserver_flowcontrol_dispatched_requests_total',
  'apiserver_flowcontrol_nominal_limit_seats',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_flowcontrol_request_wait_duration_seconds',
  'apiserver_storage_events_received_total',
  'apiserver_validating_admission_policy_check_duration_seconds',
  'apiserver_validating_admission_policy_check_total',
  'apiserver_watch_list_duration_seconds',
  'disabled_metrics_total',
  'hidden_metrics_total',
  'kubernetes_build_info',
  'kubernetes_feature_enabled',
  'workqueue_adds_total',
  'workqueue_depth',
  'workqueue_longest_running_processor_seconds',
  'workqueue_queue_duration_seconds',
  'workqueue_retries_total',
  'workqueue_unfinished_work_seconds',
  'workqueue_work_duration_seconds',
]);

const OF_NO_RELEASE = /^(?:everwatch|nodejs|process|konnectivity)_/;

export type Stability = 'STABLE' | 'BETA' | 'ALPHA' | '';

/** '' for a family that promises nothing and warns of nothing. */
export function stabilityOf(family: string): Stability {
  if (STABLE.has(family)) return 'STABLE';
  if (BETA.has(family)) return 'BETA';
  return OF_NO_RELEASE.test(family) ? '' : 'ALPHA';
}
