// Command audit-events answers, one line of JSON for each line of JSON it reads, which events
// kube-apiserver's audit writes of a request. The tests beside actors/audit compare.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	pluginlog "k8s.io/apiserver/plugin/pkg/audit/log"
)

type identity struct {
	Name   string              `json:"name"`
	UID    string              `json:"uid"`
	Groups []string            `json:"groups"`
	Extra  map[string][]string `json:"extra"`
}

func (i identity) info() user.Info {
	return &user.DefaultInfo{Name: i.Name, UID: i.UID, Groups: i.Groups, Extra: i.Extra}
}

type question struct {
	Method     string            `json:"method"`
	URL        string            `json:"url"`
	Headers    map[string]string `json:"headers"`
	RemoteAddr string            `json:"remoteAddr"`
	// Nobody is let in where it is null.
	User *identity `json:"user"`
	// Who the user acts as.
	As          *identity         `json:"as"`
	Constraint  string            `json:"constraint"`
	Format      string            `json:"format"`
	Level       string            `json:"level"`
	OmitStages  []string          `json:"omitStages"`
	Annotations map[string]string `json:"annotations"`
	// 0: nothing is answered.
	Code   int  `json:"code"`
	Panics bool `json:"panics"`
	// Where it is there, nothing is asked but whether it is an event.
	Event string `json:"event"`
}

type answer struct {
	Lines []string `json:"lines"`
	// What is wrong with the event that was given to be read.
	Wrong string `json:"wrong"`
}

var auditScheme = runtime.NewScheme()
var auditCodecs = serializer.NewCodecFactory(auditScheme, serializer.EnableStrict)

// readAgain reads an event as readers of an audit log do, refusing unknown and doubled fields, and writes it.
func readAgain(event []byte) answer {
	object, _, err := auditCodecs.UniversalDeserializer().Decode(event, nil, nil)
	if err != nil {
		return answer{nil, err.Error()}
	}
	read, is := object.(*auditv1.Event)
	if !is {
		return answer{nil, "it is no event"}
	}
	written, err := runtime.Encode(auditCodecs.LegacyCodec(auditv1.SchemeGroupVersion), read)
	if err != nil {
		return answer{nil, err.Error()}
	}
	return answer{[]string{strings.TrimSpace(string(written))}, ""}
}

var scheme = runtime.NewScheme()
var codecs = serializer.NewCodecFactory(scheme)

func init() {
	_ = auditv1.AddToScheme(auditScheme)
	_ = auditinternal.AddToScheme(auditScheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
}

func answerOf(asked question) answer {
	var written bytes.Buffer
	sink := pluginlog.NewBackend(&written, asked.Format, auditv1.SchemeGroupVersion)
	stages := []auditinternal.Stage{}
	for _, stage := range asked.OmitStages {
		stages = append(stages, auditinternal.Stage(stage))
	}
	evaluator := policy.NewFakePolicyRuleEvaluator(auditinternal.Level(asked.Level), stages)
	longRunning := genericfilters.BasicLongRunningRequestCheck(
		sets.NewString("watch", "proxy"),
		sets.NewString("attach", "exec", "proxy", "log", "portforward"),
	)

	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if asked.As != nil {
			audit.LogImpersonatedUser(req.Context(), asked.As.info(), asked.Constraint)
		}
		audit.AddAuditAnnotationsMap(req.Context(), asked.Annotations)
		if asked.Panics {
			panic("boom")
		}
		if asked.Code != 0 {
			w.WriteHeader(asked.Code)
		}
	})
	handler = filters.WithAudit(handler, sink, evaluator, longRunning)
	failed := filters.WithFailedAuthenticationAudit(filters.Unauthorized(codecs), sink, evaluator)
	inner := handler
	handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if asked.User == nil {
			failed.ServeHTTP(w, req)
			return
		}
		inner.ServeHTTP(w, req.WithContext(request.WithUser(req.Context(), asked.User.info())))
	})
	resolver := &request.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}
	handler = filters.WithRequestInfo(handler, resolver)
	handler = filters.WithRequestReceivedTimestamp(handler)
	handler = filters.WithAuditInit(handler)

	req := httptest.NewRequest(asked.Method, asked.URL, nil)
	req.RemoteAddr = asked.RemoteAddr
	for name, value := range asked.Headers {
		req.Header.Set(name, value)
	}
	func() {
		defer func() { _ = recover() }()
		handler.ServeHTTP(httptest.NewRecorder(), req)
	}()
	lines := strings.Split(strings.TrimSuffix(written.String(), "\n"), "\n")
	if written.Len() == 0 {
		lines = []string{}
	}
	return answer{lines, ""}
}

func main() {
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	for {
		line, err := reader.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			var asked question
			if err := json.Unmarshal([]byte(line), &asked); err != nil {
				panic(err)
			}
			told := answer{}
			if asked.Event == "" {
				told = answerOf(asked)
			} else {
				told = readAgain([]byte(asked.Event))
			}
			if err := encoder.Encode(told); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}
