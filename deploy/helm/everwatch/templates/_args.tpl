{{/* The flags that the chart sets, by their names, but for those that `flags` sets or takes away. */}}
{{- define "everwatch.flags" -}}
{{- $kafka := .Values.kafka -}}
data-dir: /var/lib/everwatch
bind-address: 0.0.0.0
log: {{ printf "kafka://%s/%s" (join "," $kafka.brokers) $kafka.topic | quote }}
kafka-client-id: {{ $kafka.clientId | default .Release.Name | quote }}
kafka-replication-factor: {{ $kafka.replicationFactor | quote }}
key-file: /etc/everwatch/key/{{ .Values.keyFile.key }}
read-consistency: {{ .Values.readConsistency }}
snapshot-every: {{ int64 .Values.snapshotEvery | quote }}
anonymous-auth: {{ .Values.auth.anonymous }}
authorization-mode: {{ .Values.auth.authorizationMode | toJson }}
log-level: {{ .Values.logLevel }}
# Long enough for all to hear that this replica is no endpoint of the Service any more.
shutdown-delay-duration: 10s
{{- if $kafka.tls.enabled }}
kafka-tls: true
{{- with $kafka.tls.ca }}
{{- if .secret }}
kafka-tls-ca-file: /etc/everwatch/kafka-ca/{{ .key }}
{{- end }}
{{- end }}
{{- with $kafka.tls.client }}
{{- if .secret }}
kafka-tls-cert-file: /etc/everwatch/kafka-client/{{ .certKey }}
kafka-tls-key-file: /etc/everwatch/kafka-client/{{ .keyKey }}
{{- end }}
{{- end }}
{{- with $kafka.tls.serverName }}
kafka-tls-server-name: {{ . | quote }}
{{- end }}
{{- end }}
{{- with $kafka.sasl }}
{{- if .mechanism }}
kafka-sasl-mechanism: {{ .mechanism }}
{{- if eq .mechanism "oauthbearer" }}
kafka-sasl-token-file: /etc/everwatch/sasl/{{ .tokenKey }}
{{- else }}
kafka-sasl-username: {{ required "kafka.sasl.username is needed for this mechanism" .username | quote }}
kafka-sasl-password-file: /etc/everwatch/sasl/{{ .passwordKey }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.servingCertificate.secret }}
tls-cert-file: /etc/everwatch/serving/tls.crt
tls-private-key-file: /etc/everwatch/serving/tls.key
{{- end }}
{{- if .Values.auth.tokensSecret }}
token-auth-file: /etc/everwatch/tokens/tokens.csv
{{- end }}
{{- if .Values.auth.clientCaSecret }}
client-ca-file: /etc/everwatch/client-ca/ca.crt
{{- end }}
{{- end -}}

{{/* The arguments of the container. */}}
{{- define "everwatch.args" -}}
- serve
{{- $flags := include "everwatch.flags" . | fromYaml }}
{{- range $flag, $value := .Values.flags }}
{{- $_ := set $flags $flag $value }}
{{- end }}
{{- range $flag, $value := $flags }}
{{- if kindIs "slice" $value }}
{{- range $value }}
- {{ printf "--%s=%v" $flag . | quote }}
{{- end }}
{{- else if kindIs "float64" $value }}
- {{ printf "--%s=%s" $flag (toJson $value) | quote }}
{{- else if not (kindIs "invalid" $value) }}
- {{ printf "--%s=%v" $flag $value | quote }}
{{- end }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The Secrets that the flags name: a list of `name: folder, secret: Secret`. */}}
{{- define "everwatch.secretFolders" -}}
{{- $kafka := .Values.kafka -}}
- { name: key, secret: {{ include "everwatch.keySecret" . }} }
{{- if and $kafka.tls.enabled $kafka.tls.ca.secret }}
- { name: kafka-ca, secret: {{ $kafka.tls.ca.secret }} }
{{- end }}
{{- if and $kafka.tls.enabled $kafka.tls.client.secret }}
- { name: kafka-client, secret: {{ $kafka.tls.client.secret }} }
{{- end }}
{{- if $kafka.sasl.mechanism }}
- { name: sasl, secret: {{ include "everwatch.saslSecret" . }} }
{{- end }}
{{- with .Values.servingCertificate.secret }}
- { name: serving, secret: {{ . }} }
{{- end }}
{{- with .Values.auth.tokensSecret }}
- { name: tokens, secret: {{ . }} }
{{- end }}
{{- with .Values.auth.clientCaSecret }}
- { name: client-ca, secret: {{ . }} }
{{- end }}
{{- end -}}

{{/* A probe of the path given, with the server's own credentials. */}}
{{- define "everwatch.probe" -}}
exec:
  command: [node, /opt/everwatch/probe.mjs, {{ . }}]
timeoutSeconds: 5
{{- end -}}
