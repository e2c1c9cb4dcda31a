package testing

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// served answers reviews of one kind until the test ends.
func served[Review any](t testing.TB, answer func(*Review)) *httptest.Server {
	server := httptest.NewTLSServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		var review Review
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		answer(&review)
		writer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(writer).Encode(review)
	}))
	t.Cleanup(server.Close)
	return server
}

// authenticationWebhook asks the test's authenticator about tokens.
func authenticationWebhook(t testing.TB, asked authenticator.Request, folder string) (string, error) {
	server := served(t, func(review *authenticationv1.TokenReview) {
		request, err := http.NewRequest("GET", "https://127.0.0.1/", nil)
		if err != nil {
			review.Status.Error = err.Error()
			return
		}
		request.Header.Set("Authorization", "Bearer "+review.Spec.Token)
		response, ok, err := asked.AuthenticateRequest(request)
		if err != nil {
			review.Status.Error = err.Error()
		}
		if !ok || response == nil {
			return
		}
		review.Status.Authenticated = true
		review.Status.Audiences = review.Spec.Audiences
		extra := map[string]authenticationv1.ExtraValue{}
		for key, values := range response.User.GetExtra() {
			extra[key] = values
		}
		review.Status.User = authenticationv1.UserInfo{
			Username: response.User.GetName(), UID: response.User.GetUID(), Groups: response.User.GetGroups(), Extra: extra,
		}
	})
	return webhookFile(folder, "authentication", server.URL, server.Certificate())
}

// authorizationWebhook asks the test's authorizer about requests; what it has no opinion on the server decides.
func authorizationWebhook(t testing.TB, asked authorizer.Authorizer, folder string) (string, error) {
	server := served(t, func(review *authorizationv1.SubjectAccessReview) {
		extra := map[string][]string{}
		for key, values := range review.Spec.Extra {
			extra[key] = values
		}
		attributes := authorizer.AttributesRecord{User: &user.DefaultInfo{
			Name: review.Spec.User, UID: review.Spec.UID, Groups: review.Spec.Groups, Extra: extra,
		}}
		if of := review.Spec.ResourceAttributes; of != nil {
			attributes.ResourceRequest = true
			attributes.Verb, attributes.Namespace, attributes.Name = of.Verb, of.Namespace, of.Name
			attributes.APIGroup, attributes.APIVersion = of.Group, of.Version
			attributes.Resource, attributes.Subresource = of.Resource, of.Subresource
		} else if of := review.Spec.NonResourceAttributes; of != nil {
			attributes.Path, attributes.Verb = of.Path, of.Verb
		}
		decision, reason, err := asked.Authorize(t.Context(), attributes)
		review.Status.Allowed = decision == authorizer.DecisionAllow
		review.Status.Denied = decision == authorizer.DecisionDeny
		review.Status.Reason = reason
		if err != nil {
			review.Status.EvaluationError = err.Error()
		}
	})
	return webhookFile(folder, "authorization", server.URL, server.Certificate())
}
