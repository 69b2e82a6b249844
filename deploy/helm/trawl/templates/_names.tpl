{{- define "trawl.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "trawl.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "trawl.labels" -}}
{{ include "trawl.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "trawl.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "trawl.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "trawl.keySecret" -}}
{{- default (printf "%s-key" (include "trawl.name" .)) .Values.apiKeySecret -}}
{{- end -}}

{{- define "trawl.scheme" -}}
{{- if hasKey .Values.settings "TRAWL_TLS_CERT" }}HTTPS{{ else }}HTTP{{ end -}}
{{- end -}}

{{- /* Contradictions that no schema can say. */ -}}
{{- define "trawl.check" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.bucket.url) -}}
{{- fail "replicas: more than one server needs bucket.url, since a directory has one owner" -}}
{{- end -}}
{{- if not (or .Values.apiKey .Values.apiKeySecret) -}}
{{- fail "apiKey: set it, or apiKeySecret; a server that others reach does not start without a key" -}}
{{- end -}}
{{- if and .Values.apiKey .Values.apiKeySecret -}}
{{- fail "apiKey and apiKeySecret are both set; drop one" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host: say by which name the ingress is reached" -}}
{{- end -}}
{{- end -}}
