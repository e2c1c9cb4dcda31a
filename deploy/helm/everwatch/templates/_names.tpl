{{- define "everwatch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The release's name, with the chart's where it does not say it; room is left for a suffix. */}}
{{- define "everwatch.fullname" -}}
{{- $name := include "everwatch.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "everwatch.selectorLabels" -}}
app.kubernetes.io/name: {{ include "everwatch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "everwatch.labels" -}}
{{ include "everwatch.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The Secret with the key file: the user's, or ours. */}}
{{- define "everwatch.keySecret" -}}
{{- .Values.keyFile.secret | default (printf "%s-key" (include "everwatch.fullname" .)) -}}
{{- end -}}

{{/* The Secret with what SASL needs: the user's, or ours. */}}
{{- define "everwatch.saslSecret" -}}
{{- .Values.kafka.sasl.secret | default (printf "%s-sasl" (include "everwatch.fullname" .)) -}}
{{- end -}}
