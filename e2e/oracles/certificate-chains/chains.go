package main

import (
	"crypto/x509"
	"strings"
)

// A table gathers rows.
type table struct{ rows []row }

// add shows a chain of which the first is the leaf, to a judge who believes the bundle.
func (t *table) add(name, roots string, shown ...*party) {
	t.named(name, host, roots, shown...)
}

func (t *table) named(name, host, roots string, shown ...*party) {
	made := row{Name: name, Host: host, Roots: roots, key: shown[0].key}
	for _, one := range shown {
		made.Shown = append(made.Shown, one.der)
	}
	t.rows = append(t.rows, made)
}

func chains() []row {
	t := &table{}
	t.anchors()
	t.crossSigned()
	t.times()
	t.names()
	t.constraints()
	t.usages()
	t.algorithms()
	t.encodings()
	t.policies()
	t.bundles()
	return t.rows
}

func (t *table) anchors() {
	top, stranger := root("root"), root("root")
	low := top.middle("low")
	lower := low.middle("lower")
	leaf, below, deep := top.leaf(), low.leaf(), lower.leaf()
	t.add("a root", top.pem(), leaf)
	t.add("the leaf is the anchor", leaf.pem(), leaf)
	t.add("the leaf is the anchor, with what signed it", leaf.pem(), below, low)
	t.add("another leaf of the same root is the anchor", top.leaf().pem(), leaf)
	self, other := signed(nil, p256(), leafTemplate(nil)), signed(nil, p256(), leafTemplate(nil))
	t.add("a leaf that signed itself", self.pem(), self)
	t.add("a leaf that signed itself is not the one of that name that is believed", other.pem(), self)
	selfCA := signed(nil, p256(), leafTemplate([]change{authority}))
	t.add("an authority that serves itself", selfCA.pem(), selfCA)
	t.add("an intermediate is the anchor", low.pem(), below, low)
	t.add("an intermediate is the anchor and is not shown", low.pem(), below)
	t.add("an intermediate is the anchor, another lies between", low.pem(), deep, lower)
	t.add("an intermediate is shown", top.pem(), below, low)
	t.add("an intermediate is missing", top.pem(), below)
	t.add("one of two intermediates is missing", top.pem(), deep, low)
	t.add("in another order, with the root", top.pem(), deep, top, low, lower)
	t.add("with others that have nothing to do with it", top.pem(), below, stranger, leaf, low)
	t.add("shown twice", top.pem(), below, low, low, below)
	t.add("nobody is believed", "", leaf)
	t.add("another root of the same name", stranger.pem(), leaf)
	t.add("two roots, the second one", stranger.pem()+top.pem(), leaf)
	t.add("two roots, the first one", top.pem()+stranger.pem(), leaf)
	plain := signed(nil, p256(), template("plain", nil))
	t.add("the anchor is no authority", plain.pem(), plain.leaf())
	old := root("old").versionOneOfItself()
	t.add("an anchor of version 1", old.pem(), old.leaf())
	aged := low.versionOne(top)
	t.add("an intermediate of version 1", top.pem(), below, aged)
	many := []*party{below}
	for range 110 {
		many = append(many, stranger.middle("low"))
	}
	t.add("more that might have signed it than a verifier looks at", top.pem(), many...)
	t.add("more of its name, and the one whose key it names", top.pem(), append(many, low)...)
	long := []*party{below, low}
	for range 330 {
		long = append(long, stranger)
	}
	t.add("more than 100 KiB of it", top.pem(), long...)
}

func (p *party) versionOneOfItself() *party {
	made := p.versionOne(p)
	return made
}

func (t *table) crossSigned() {
	one, two := root("one"), root("two")
	key := p256()
	byOne, byTwo := one.middleWith(key, "bridge"), two.middleWith(key, "bridge")
	leaf := byOne.leaf()
	t.add("cross-signed, the first way", one.pem(), leaf, byOne, byTwo)
	t.add("cross-signed, the second way", two.pem(), leaf, byOne, byTwo)
	t.add("cross-signed, the other way alone", two.pem(), leaf, byOne)
	t.add("cross-signed, both roots", one.pem()+two.pem(), leaf, byTwo)
	left, right := p256(), p256()
	leftRoot, rightRoot := rootWith(left, "left"), rootWith(right, "right")
	leftByRight, rightByLeft := rightRoot.middleWith(left, "left"), leftRoot.middleWith(right, "right")
	circle := leftRoot.leaf()
	t.add("a circle", one.pem(), circle, leftByRight, rightByLeft)
	t.add("a circle with a way out", rightRoot.pem(), circle, leftByRight, rightByLeft)
	before := rootWith(key, "renewed", before)
	after := rootWith(key, "renewed")
	t.add("a root that was renewed", before.pem()+after.pem(), after.leaf())
	t.add("a root that has run out, renewed as an intermediate", before.pem(), after.leaf(), after)
	late := one.middleWith(key, "bridge", before2)
	t.add("two of a name, one has run out", one.pem(), leaf, late, byOne)
}

func (t *table) usages() {
	top := root("root")
	uses := func(of ...x509.ExtKeyUsage) change {
		return func(made *x509.Certificate) { made.ExtKeyUsage = of }
	}
	t.add("for servers", top.pem(), top.leaf(uses(x509.ExtKeyUsageServerAuth)))
	t.add("for clients", top.pem(), top.leaf(uses(x509.ExtKeyUsageClientAuth)))
	t.add("for anything", top.pem(), top.leaf(uses(x509.ExtKeyUsageAny)))
	t.add("for nothing that it says", top.pem(), top.leaf(uses()))
	t.add("for code", top.pem(), top.leaf(uses(x509.ExtKeyUsageCodeSigning)))
	t.add("for what nobody knows", top.pem(), top.leaf(uses(), func(made *x509.Certificate) {
		made.UnknownExtKeyUsage = append(made.UnknownExtKeyUsage, []int{1, 2, 3, 4})
	}))
	client := top.leaf(uses(x509.ExtKeyUsageClientAuth))
	t.add("the anchor itself is for clients", client.pem(), client)
	narrow := top.middle("narrow", uses(x509.ExtKeyUsageClientAuth))
	t.add("an intermediate for clients", top.pem(), narrow.leaf(), narrow)
	wide := top.middle("wide", uses(x509.ExtKeyUsageAny))
	t.add("an intermediate for anything", top.pem(), wide.leaf(), wide)
	narrowRoot := root("narrow root", uses(x509.ExtKeyUsageServerAuth))
	t.add("a root for servers", narrowRoot.pem(), narrowRoot.leaf())
	usage := func(of x509.KeyUsage) change {
		return func(made *x509.Certificate) { made.KeyUsage = of }
	}
	mute := top.middle("mute", usage(x509.KeyUsageDigitalSignature))
	t.add("an intermediate that may not sign certificates", top.pem(), mute.leaf(), mute)
	silent := top.middle("silent", usage(0))
	t.add("an intermediate that does not say what its key is for", top.pem(), silent.leaf(), silent)
	t.add("a leaf whose key is for certificates", top.pem(), top.leaf(usage(x509.KeyUsageCertSign)))
	signer := top.leaf()
	t.add("a leaf as an authority", top.pem(), signer.leaf(), signer)
	t.add("a leaf as an authority and the anchor", signer.pem(), signer.leaf())
	said := top.middle("said", func(made *x509.Certificate) { made.IsCA = false })
	t.add("an intermediate that says it is none", top.pem(), said.leaf(), said)
	length := func(of int) change {
		return func(made *x509.Certificate) { made.MaxPathLen, made.MaxPathLenZero = of, true }
	}
	short := root("short", length(0))
	between := short.middle("between")
	t.add("as long as the root allows", short.pem(), short.leaf())
	t.add("longer than the root allows", short.pem(), between.leaf(), between)
	middle := top.middle("middle", length(1))
	first, second := middle.middle("first"), (*party)(nil)
	second = first.middle("second")
	t.add("as long as an intermediate allows", top.pem(), first.leaf(), first, middle)
	t.add("longer than an intermediate allows", top.pem(), second.leaf(), second, first, middle)
}

func (t *table) bundles() {
	top, other := root("root"), root("other")
	leaf := top.leaf()
	certificate := top.pem()
	inner := strings.Split(certificate, "\n")
	t.add("a bundle with text around", "# who we are\n\n"+certificate+"\nand that is all", leaf)
	t.add("a bundle with other blocks", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"+certificate, leaf)
	t.add("a bundle with lines of Windows", strings.ReplaceAll(certificate, "\n", "\r\n"), leaf)
	t.add("a bundle without a last line break", strings.TrimSpace(certificate), leaf)
	t.add("a bundle with blanks at the ends of lines", strings.ReplaceAll(certificate, "\n", "  \n"), leaf)
	t.add("a bundle in one line", inner[0]+"\n"+strings.Join(inner[1:len(inner)-2], "")+"\n"+inner[len(inner)-2]+"\n", leaf)
	t.add("a bundle with twice the same", certificate+certificate, leaf)
	t.add("a bundle with a block that is not in base64", "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n"+certificate, leaf)
	t.add("a bundle with a block that is no certificate", "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"+certificate, leaf)
	t.add("a bundle with a block that was cut off", certificate[:len(certificate)/2]+"\n"+other.pem(), leaf)
	t.add("a bundle with a beginning too many", inner[0]+"\n"+certificate, leaf)
	t.add("a bundle with headers in its block", inner[0]+"\nFrom: me\n\n"+strings.Join(inner[1:], "\n"), leaf)
	t.add("a bundle whose block is indented", " "+certificate, leaf)
	t.add("a bundle of another kind of block", strings.ReplaceAll(certificate, "CERTIFICATE", "TRUSTED CERTIFICATE"), leaf)
	t.add("a bundle whose ends differ", strings.Replace(certificate, "END CERTIFICATE", "END CERTIFICATF", 1)+certificate, leaf)
	t.add("a bundle of nothing", "nothing", leaf)
}
