// Command objectmeta answers, one line of JSON for each line of JSON it reads, what apimachinery
// says about names, selectors, metadata and options. The tests beside api/meta compare.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalversionscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	internalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type question struct {
	Ask        string            `json:"ask"`
	Text       string            `json:"text"`
	Prefix     bool              `json:"prefix"`
	Labels     map[string]string `json:"labels"`
	Namespaced bool              `json:"namespaced"`
	NameRule   string            `json:"nameRule"`
	Meta       metav1.ObjectMeta `json:"meta"`
	Old        metav1.ObjectMeta `json:"old"`
	Selector   *metav1.LabelSelector
	Query      string `json:"query"`
	Body       string `json:"body"`
	PatchType  string `json:"patchType"`
}

type fieldError struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Body  string `json:"body"`
}

type answer struct {
	Error     string       `json:"error,omitempty"`
	Code      int32        `json:"code,omitempty"`
	Canonical string       `json:"canonical,omitempty"`
	Empty     bool         `json:"empty,omitempty"`
	Matches   bool         `json:"matches,omitempty"`
	Problems  []string     `json:"problems,omitempty"`
	Errors    []fieldError `json:"errors,omitempty"`
	Options   any          `json:"options,omitempty"`
}

var nameRules = map[string]validation.ValidateNameFunc{
	"subdomain":   validation.NameIsDNSSubdomain,
	"label":       validation.NameIsDNSLabel,
	"label1035":   validation.NameIsDNS1035Label,
	"pathSegment": path.ValidatePathSegmentName,
}

var stringRules = map[string]func(string) []string{
	"qualifiedName":    utilvalidation.IsQualifiedName,
	"labelValue":       utilvalidation.IsValidLabelValue,
	"dns1123Label":     utilvalidation.IsDNS1123Label,
	"dns1123Subdomain": utilvalidation.IsDNS1123Subdomain,
	"dns1035Label":     utilvalidation.IsDNS1035Label,
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var q question
		if err := decoder.Decode(&q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := encoder.Encode(reply(q)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func reply(q question) answer {
	switch q.Ask {
	case "string":
		return answer{Problems: stringRules[q.NameRule](q.Text)}
	case "name":
		return answer{Problems: nameRules[q.NameRule](q.Text, q.Prefix)}
	case "labelSelector":
		selector, err := labels.Parse(q.Text)
		return labelAnswer(selector, err, q.Labels)
	case "labelSelectorObject":
		selector, err := metav1.LabelSelectorAsSelector(q.Selector)
		return labelAnswer(selector, err, q.Labels)
	case "fieldSelector":
		selector, err := fields.ParseSelector(q.Text)
		if err != nil {
			return answer{Error: err.Error()}
		}
		set := fields.Set(q.Labels)
		return answer{Canonical: selector.String(), Empty: selector.Empty(), Matches: selector.Matches(set)}
	case "create":
		rule := nameRules[q.NameRule]
		return errorsAnswer(validation.ValidateObjectMeta(&q.Meta, q.Namespaced, rule, field.NewPath("metadata")))
	case "update":
		return errorsAnswer(validation.ValidateObjectMetaUpdate(&q.Meta, &q.Old, field.NewPath("metadata")))
	default:
		return optionsReply(q)
	}
}

func labelAnswer(selector labels.Selector, err error, set map[string]string) answer {
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Canonical: selector.String(), Empty: selector.Empty(), Matches: selector.Matches(labels.Set(set))}
}

func errorsAnswer(list field.ErrorList) answer {
	result := answer{}
	for _, err := range list {
		result.Errors = append(result.Errors, fieldError{string(err.Type), err.Field, err.ErrorBody()})
	}
	return result
}

// optionsReply does what the handlers of apiserver/pkg/endpoints/handlers do with a query.
func optionsReply(q question) answer {
	values, _ := url.ParseQuery(q.Query)
	switch q.Ask {
	case "CreateOptions":
		options := &metav1.CreateOptions{}
		return decoded(q, values, options, func() field.ErrorList { return v1validation.ValidateCreateOptions(options) })
	case "UpdateOptions":
		options := &metav1.UpdateOptions{}
		return decoded(q, values, options, func() field.ErrorList { return v1validation.ValidateUpdateOptions(options) })
	case "PatchOptions":
		options := &metav1.PatchOptions{}
		return decoded(q, values, options, func() field.ErrorList {
			return v1validation.ValidatePatchOptions(options, types.PatchType(q.PatchType))
		})
	case "DeleteOptions":
		return deleteReply(q, values)
	case "ListOptions":
		options := &metainternalversion.ListOptions{}
		result := decoded(q, values, options, func() field.ErrorList {
			metainternalversion.SetListOptionsDefaults(options, true)
			return internalvalidation.ValidateListOptions(options, true)
		})
		if result.Error == "" {
			result.Options = shownListOptions(options)
		}
		return result
	default:
		return answer{Error: "unknown question " + q.Ask}
	}
}

func decoded(q question, values url.Values, options runtime.Object, validate func() field.ErrorList) answer {
	codec := metainternalversionscheme.ParameterCodec
	if err := codec.DecodeParameters(values, metav1.SchemeGroupVersion, options); err != nil {
		return failed(apierrors.NewBadRequest(err.Error()))
	}
	return validated(q, options, validate())
}

func validated(q question, options any, errs field.ErrorList) answer {
	if len(errs) > 0 {
		kind := schema.GroupKind{Group: metav1.GroupName, Kind: q.Ask}
		result := failed(apierrors.NewInvalid(kind, "", errs))
		result.Errors = errorsAnswer(errs).Errors
		return result
	}
	return answer{Options: options}
}

func deleteReply(q question, values url.Values) answer {
	options := &metav1.DeleteOptions{}
	if q.Body == "" {
		return decoded(q, values, options, func() field.ErrorList { return validatedDelete(options) })
	}
	codecs := metainternalversionscheme.Codecs
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	version := metav1.SchemeGroupVersion
	kind := version.WithKind("DeleteOptions")
	object, _, err := codecs.DecoderToVersion(info.Serializer, version).Decode([]byte(q.Body), &kind, options)
	if err != nil {
		return failed(apierrors.NewBadRequest(err.Error()))
	}
	if object != options {
		return failed(apierrors.NewBadRequest("decoded object cannot be converted to DeleteOptions"))
	}
	options.TypeMeta = metav1.TypeMeta{}
	return validated(q, options, validatedDelete(options))
}

// The feature gate AllowUnsafeMalformedObjectDeletion is off by default.
func validatedDelete(options *metav1.DeleteOptions) field.ErrorList {
	options.IgnoreStoreReadErrorWithClusterBreakingPotential = nil
	return v1validation.ValidateDeleteOptions(options)
}

func failed(err *apierrors.StatusError) answer {
	return answer{Error: err.ErrStatus.Message, Code: err.ErrStatus.Code}
}

func shownListOptions(options *metainternalversion.ListOptions) any {
	shown := map[string]any{
		"watch":                options.Watch,
		"allowWatchBookmarks":  options.AllowWatchBookmarks,
		"resourceVersion":      options.ResourceVersion,
		"resourceVersionMatch": options.ResourceVersionMatch,
		"limit":                options.Limit,
		"continue":             options.Continue,
		"shardSelector":        options.ShardSelector,
		"timeoutSeconds":       options.TimeoutSeconds,
		"sendInitialEvents":    options.SendInitialEvents,
		"labelSelector":        "",
		"fieldSelector":        "",
	}
	if options.LabelSelector != nil {
		shown["labelSelector"] = options.LabelSelector.String()
	}
	if options.FieldSelector != nil {
		shown["fieldSelector"] = options.FieldSelector.String()
	}
	return shown
}
