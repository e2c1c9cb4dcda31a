/**
 * What a cron job may say.
 *
 * In Kubernetes: ValidateCronJobCreate, pkg/apis/batch/validation.
 */
import type { CronJob, CronJobSpec, JobSpec } from '../../../generated/kinds/batch-v1.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { validateJobSpec } from '../job-spec-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { isMissing, nonNegativeAt, oneOf, shownSelector } from '../../rules/value-validation.ts';

const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'];
const LIMITS: readonly (keyof CronJobSpec)[] = [
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
];
/** The controller appends a timestamp to make the names of its jobs. */
const NAME_CHARACTERS_MAX = 52;

/** What is wrong with a new cron job. */
export function validateCronJob(cronJob: CronJob): FieldErrors {
  const { name = '' } = cronJob.metadata;
  return [
    ...validateSpec(cronJob.spec, undefined),
    ...(name.length > NAME_CHARACTERS_MAX
      ? [
          invalidValue(
            'metadata.name',
            name,
            `must be no more than ${String(NAME_CHARACTERS_MAX)} characters`,
          ),
        ]
      : []),
  ];
}

/** A time zone inside the schedule is kept where it once was allowed. */
export function validateCronJobChange(cronJob: CronJob, old: CronJob): FieldErrors {
  return validateSpec(cronJob.spec, old.spec);
}

/** `old` is undefined on create. */
function validateSpec(spec: CronJobSpec, old: CronJobSpec | undefined): FieldErrors {
  const isZoneAllowed = (old?.schedule ?? '').includes('TZ');
  const isZoneNew = old === undefined || !sameValue(spec.timeZone, old.timeZone);
  return [
    ...validateSchedule(spec, isZoneAllowed),
    ...nonNegativeAt('spec', spec, ['startingDeadlineSeconds']),
    ...(isZoneNew ? validateTimeZone(spec) : []),
    ...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, CONCURRENCY_POLICIES),
    ...validateJobTemplate(jobSpecOf(spec), old === undefined ? undefined : jobSpecOf(old)),
    ...nonNegativeAt('spec', spec, LIMITS),
  ];
}

function validateSchedule(spec: CronJobSpec, isZoneAllowed: boolean): FieldErrors {
  const field = 'spec.schedule';
  const schedule = spec.schedule;
  if (schedule === '') return [required(field)];
  const problem = scheduleProblem(schedule, zoneProblem);
  return [
    ...(problem === undefined ? [] : [invalidValue(field, schedule, problem)]),
    ...validateZoneInSchedule(field, spec, isZoneAllowed),
  ];
}

function validateZoneInSchedule(
  field: string,
  spec: CronJobSpec,
  isZoneAllowed: boolean,
): FieldErrors {
  const schedule = spec.schedule;
  if (!schedule.includes('TZ')) return [];
  if (!isZoneAllowed) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [invalidValue(field, schedule, detail)];
  }
  const detail = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
  return isMissing(spec.timeZone) ? [] : [invalidValue(field, schedule, detail)];
}

function validateTimeZone(spec: CronJobSpec): FieldErrors {
  const field = 'spec.timeZone';
  if (isMissing(spec.timeZone)) return [];
  const zone = spec.timeZone ?? '';
  if (zone === '') return [invalidValue(field, zone, 'timeZone must be nil or non-empty string')];
  const isName = zone.split('/').every((part) => isZonePart(part));
  if (!isName) return [invalidValue(field, zone, `unknown time zone ${zone}`)];
  const explicit =
    'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  const problem = zoneProblem(zone);
  return [
    ...(zone.toLowerCase() === 'local' ? [invalidValue(field, zone, explicit)] : []),
    ...(problem === undefined ? [] : [invalidValue(field, zone, problem)]),
  ];
}

function isZonePart(part: string): boolean {
  return part !== '.' && part !== '..' && !part.startsWith('-') && ZONE_PART.test(part);
}

/** What Go says of a time zone that it does not know. It knows two words of its own. */
function zoneProblem(zone: string): string | undefined {
  if (zone === '' || zone === 'Local' || isTimeZone(zone)) return undefined;
  return `unknown time zone ${zone}`;
}

function isTimeZone(zone: string): boolean {
  try {
    // It throws for what it does not know; there is no way to ask.
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function jobSpecOf(spec: CronJobSpec): JobSpec {
  return spec.jobTemplate.spec;
}

function validateJobTemplate(spec: JobSpec, old: JobSpec | undefined): FieldErrors {
  const field = 'spec.jobTemplate.spec';
  const selector = spec.selector;
  return [
    ...validateJobSpec(field, spec, old),
    ...(isMissing(selector)
      ? []
      : [
          invalidValue(
            `${field}.selector`,
            shownSelector(selector),
            '`selector` will be auto-generated',
          ),
        ]),
    ...(spec.manualSelector === true
      ? [notSupported(`${field}.manualSelector`, true, ['nil', 'false'])]
      : []),
  ];
}
