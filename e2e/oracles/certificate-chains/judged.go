package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net"
	"net/url"
	"strconv"
	"time"
)

func before(made *x509.Certificate) { made.NotAfter = now.Add(-time.Minute) }

func before2(made *x509.Certificate) { made.NotAfter = now.Add(-2 * time.Minute) }

func later(made *x509.Certificate) { made.NotBefore = now.Add(30 * time.Minute) }

func (t *table) times() {
	top := root("root")
	t.add("run out", top.pem(), top.leaf(before))
	t.add("not valid yet", top.pem(), top.leaf(later))
	exact := top.leaf(func(made *x509.Certificate) { made.NotBefore, made.NotAfter = now, now })
	t.add("valid for one second, this one", top.pem(), exact)
	anchor := top.leaf(before)
	t.add("the leaf is the anchor and has run out", anchor.pem(), anchor)
	old, young := top.middle("old", before), top.middle("young", later)
	t.add("an intermediate has run out", top.pem(), old.leaf(), old)
	t.add("an intermediate is not valid yet", top.pem(), young.leaf(), young)
	oldRoot, youngRoot := root("old root", before), root("young root", later)
	t.add("the root has run out", oldRoot.pem(), oldRoot.leaf())
	t.add("the root is not valid yet", youngRoot.pem(), youngRoot.leaf())
	long := top.leaf(func(made *x509.Certificate) {
		made.NotBefore, made.NotAfter = time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	})
	t.add("valid for ever", top.pem(), long)
}

func (t *table) names() {
	top := root("root")
	dns := func(names ...string) change {
		return func(made *x509.Certificate) { made.DNSNames = names }
	}
	ips := func(texts ...string) change {
		return func(made *x509.Certificate) {
			for _, text := range texts {
				ip := net.ParseIP(text)
				if four := ip.To4(); four != nil && text[0] != ':' {
					ip = four
				}
				made.IPAddresses = append(made.IPAddresses, ip)
			}
		}
	}
	common := func(name string) change {
		return func(made *x509.Certificate) { made.Subject.CommonName = name }
	}
	ask := func(name, host string, changes ...change) { t.named(name, host, top.pem(), top.leaf(changes...)) }
	ask("another name", "other.example.com")
	ask("two other names", "c.example.com", dns("a.example.com", "b.example.com"))
	ask("only a common name", host, dns(), common(host))
	ask("only a common name, and another", host, dns(), common("other.example.com"))
	ask("only a common name that is a wildcard", host, dns(), common("*.example.com"))
	ask("a common name beside others", host, dns("other.example.com"), common(host))
	ask("no name at all", host, dns(), func(made *x509.Certificate) { made.Subject = pkix.Name{Organization: []string{"us"}} })
	ask("capitals", "HOOKS.Example.com", dns("hooks.EXAMPLE.com"))
	ask("a dot behind the host", host+".")
	ask("a dot behind the name", host, dns(host+"."))
	ask("a dot behind both", host+".", dns(host+"."))
	ask("two dots behind the host", host+"..")
	ask("a wildcard", host, dns("*.example.com"))
	ask("a wildcard for two labels", "a.hooks.example.com", dns("*.example.com"))
	ask("a wildcard for no label", "example.com", dns("*.example.com"))
	ask("a wildcard in the middle", "hooks.a.example.com", dns("hooks.*.example.com"))
	ask("a wildcard that is part of a label", host, dns("h*.example.com"))
	ask("a wildcard alone", "localhost", dns("*"))
	ask("a wildcard for a top domain", "localhost", dns("*.localhost", "*"))
	ask("the wildcard itself", "*.example.com", dns("*.example.com"))
	ask("a name of Punycode", "xn--bcher-kva.example", dns("xn--bcher-kva.example"))
	ask("a name beyond ASCII", "bücher.example", dns("xn--bcher-kva.example"))
	ask("a wildcard for a name of Punycode", "xn--bcher-kva.example.com", dns("*.example.com"))
	ask("an underscore", "a_b.example.com", dns("a_b.example.com"))
	ask("a name that is none, exactly", "a b.example.com", dns("a b.example.com"))
	ask("a wildcard for a name that is none", "a b.example.com", dns("*.example.com"))
	ask("a hyphen in front", "-a.example.com", dns("-a.example.com", "*.example.com"))
	ask("no host", "")
	ask("a name that is empty", host, dns(""))
	ask("only a mailbox", host, dns(), func(made *x509.Certificate) { made.EmailAddresses = []string{"a@example.com"} })
	ask("an address", "192.0.2.1", ips("192.0.2.1"))
	ask("another address", "192.0.2.2", ips("192.0.2.1", "2001:db8::1"))
	ask("an address as a name", "192.0.2.1", dns("192.0.2.1"))
	ask("an address as a common name", "192.0.2.1", dns(), common("192.0.2.1"))
	ask("a name where there are addresses", host, dns(), ips("192.0.2.1"))
	ask("an address of IPv6", "2001:db8::1", ips("2001:db8::1"))
	ask("an address of IPv6 written otherwise", "2001:DB8:0:0::0:1", ips("2001:db8::1"))
	ask("an address of IPv6 in brackets", "[2001:db8::1]", ips("2001:db8::1"))
	ask("another address of IPv6 in brackets", "[2001:db8::2]", ips("2001:db8::1"))
	ask("an address of IPv4 in IPv6", "::ffff:192.0.2.1", ips("192.0.2.1"))
	ask("an address with a zone", "fe80::1%eth0", ips("fe80::1"))
	ask("an address with a zero in front", "192.0.02.1", ips("192.0.2.1"))
	var many []string
	for i := range 101 {
		many = append(many, "n"+strconv.Itoa(i)+".example.com")
	}
	ask("more names than anybody shows", host, dns(many...))
	ask("the last of many names", "n100.example.com", dns(many...))
}

func (t *table) constraints() {
	top := root("root")
	network := func(text string) *net.IPNet {
		_, made, err := net.ParseCIDR(text)
		return must(made, err)
	}
	under := func(name string, limit change, changes ...change) {
		middle := top.middle("limited", limit, func(made *x509.Certificate) { made.PermittedDNSDomainsCritical = true })
		t.add(name, top.pem(), middle.leaf(changes...), middle)
	}
	dns := func(names ...string) change { return func(made *x509.Certificate) { made.DNSNames = names } }
	permit := func(domains ...string) change {
		return func(made *x509.Certificate) { made.PermittedDNSDomains = domains }
	}
	exclude := func(domains ...string) change {
		return func(made *x509.Certificate) { made.ExcludedDNSDomains = domains }
	}
	under("permitted names", permit("example.com"))
	under("permitted names, exactly", permit(host))
	under("permitted names, in capitals", permit("EXAMPLE.com"))
	under("permitted names below a dot", permit(".example.com"))
	under("permitted names below a dot, and not itself", permit("."+host))
	under("names that are not permitted", permit("example.org", "hooks.example"))
	under("an ending that is no label", permit("ample.com"))
	under("one of two names is not permitted", permit("example.com"), dns(host, "example.org"))
	under("all names are permitted", permit(""))
	under("excluded names", exclude("example.com"))
	under("excluded names, several", exclude("hooks.example.com", "example.com", "example.net"))
	under("names that are not excluded", exclude("example.org"))
	under("all names are excluded", exclude(""))
	under("a wildcard over what is excluded", exclude("a.example.com"), dns(host, "*.example.com"))
	under("a wildcard that is permitted", permit("example.com"), dns(host, "*.example.com"))
	under("a wildcard over what is permitted", permit("hooks.example.com"), dns(host, "*.example.com"))
	under("a name with a dot behind under constraints", permit("example.com"), dns(host, "a.example.com."))
	under("constraints of names on an address", permit("example.com"), func(made *x509.Certificate) {
		made.IPAddresses = []net.IP{net.IPv4(192, 0, 2, 1).To4()}
	})
	ranges := func(permitted, excluded []*net.IPNet) change {
		return func(made *x509.Certificate) { made.PermittedIPRanges, made.ExcludedIPRanges = permitted, excluded }
	}
	addresses := func(ips ...net.IP) change { return func(made *x509.Certificate) { made.IPAddresses = ips } }
	four, six := net.IPv4(192, 0, 2, 1).To4(), net.ParseIP("2001:db8::1")
	nets := func(of ...*net.IPNet) []*net.IPNet { return of }
	under("a permitted address", ranges(nets(network("192.0.2.0/24")), nil), addresses(four))
	under("an address that is not permitted", ranges(nets(network("198.51.100.0/24"), network("2001:db8::/32")), nil), addresses(four))
	under("an excluded address", ranges(nil, nets(network("192.0.0.0/16"), network("192.0.2.0/24"))), addresses(four))
	under("an excluded address of IPv6", ranges(nil, nets(network("2001:db8::/33"))), addresses(six))
	under("an address of IPv4 in IPv6 under constraints", ranges(nets(network("192.0.2.0/24")), nil), addresses(net.ParseIP("192.0.2.1")))
	mail := func(permitted, excluded []string) change {
		return func(made *x509.Certificate) {
			made.PermittedEmailAddresses, made.ExcludedEmailAddresses = permitted, excluded
		}
	}
	from := func(mailboxes ...string) change {
		return func(made *x509.Certificate) { made.EmailAddresses = mailboxes }
	}
	under("a permitted mailbox", mail([]string{"example.com"}, nil), from("a@EXAMPLE.com"))
	under("a mailbox that is not permitted", mail([]string{"b@example.com", "example.org"}, nil), from("a@example.com"))
	under("a mailbox that is permitted by itself", mail([]string{"a@example.com"}, nil), from("a@example.com"))
	under("an excluded mailbox", mail(nil, []string{"a@example.com"}), from("a@example.com"))
	under("a mailbox of an excluded domain", mail(nil, []string{".example.com"}), from("a@b.example.com"))
	under("a mailbox between quotes", mail([]string{"example.org"}, nil), from(`"a b"@example.com`))
	under("a mailbox that is none", mail([]string{"example.com"}, nil), from("a..b@example.com"))
	sites := func(permitted, excluded []string) change {
		return func(made *x509.Certificate) { made.PermittedURIDomains, made.ExcludedURIDomains = permitted, excluded }
	}
	of := func(text string) change {
		return func(made *x509.Certificate) { made.URIs = []*url.URL{must(url.Parse(text))} }
	}
	under("a permitted URI", sites([]string{"example.com"}, nil), of("spiffe://example.com/hooks"))
	under("a URI that is not permitted", sites([]string{"example.org"}, nil), of("spiffe://example.com/hooks"))
	under("an excluded URI", sites(nil, []string{".example.com"}), of("https://me@a.example.com:8443/hooks?x=y#z"))
	under("a URI with an address", sites([]string{"example.com"}, nil), of("https://192.0.2.1/"))
	under("a URI without a host", sites([]string{"example.com"}, nil), of("urn:a:b"))
	limited := root("limited root", permit("example.org"))
	t.add("constraints of the root", limited.pem(), limited.leaf())
	leaf := top.leaf(permit("example.org"), authority)
	t.add("constraints of the leaf itself", top.pem(), leaf)
	outer := top.middle("outer", permit("example.com"))
	inner := outer.middle("inner", permit("example.org"))
	t.add("two that constrain, of which one allows", top.pem(), inner.leaf(), inner, outer)
	named := outer.middle("named", dns("example.net"))
	t.add("an intermediate with a name that is not permitted", top.pem(), named.leaf(), named, outer)
	raw := func(critical bool, value []byte) change {
		return func(made *x509.Certificate) {
			made.ExtraExtensions = append(made.ExtraExtensions, extension(critical, value, 2, 5, 29, 30))
		}
	}
	// Permitted is a name of a directory.
	directory := []byte{0x30, 0x08, 0xa0, 0x06, 0x30, 0x04, 0xa4, 0x02, 0x30, 0x00}
	under("critical constraints of names that nobody knows", raw(true, directory))
	under("constraints of names that nobody knows", raw(false, directory))
	under("constraints that are empty", raw(true, []byte{0x30, 0x00}))
	// Permitted is 192.0.2.0 with a mask that has a hole.
	under("constraints with a mask that is none", raw(true, []byte{0x30, 0x0e, 0xa0, 0x0c, 0x30, 0x0a, 0x87, 0x08, 192, 0, 2, 0, 255, 0, 255, 0}))
}

func (t *table) algorithms() {
	ca := rootWith(rsaKey(2048), "rsa root")
	using := func(algorithm x509.SignatureAlgorithm) change {
		return func(made *x509.Certificate) { made.SignatureAlgorithm = algorithm }
	}
	t.add("MD5", ca.pem(), ca.leaf(using(x509.SHA256WithRSA)).md5Signed(ca))
	t.add("SHA-1 with RSA", ca.pem(), ca.leaf(using(x509.SHA1WithRSA)))
	for _, one := range []x509.SignatureAlgorithm{x509.SHA256WithRSA, x509.SHA384WithRSA, x509.SHA512WithRSA, x509.SHA256WithRSAPSS, x509.SHA384WithRSAPSS, x509.SHA512WithRSAPSS} {
		t.add(one.String(), ca.pem(), ca.leaf(using(one)))
	}
	top := root("root")
	t.add("SHA-1 with ECDSA", top.pem(), top.leaf(using(x509.ECDSAWithSHA1)))
	sha1Root := root("signed over SHA-1", using(x509.ECDSAWithSHA1))
	t.add("a root that is signed over SHA-1", sha1Root.pem(), sha1Root.leaf())
	sha1 := ca.middle("weak", using(x509.SHA1WithRSA))
	t.add("an intermediate that is signed over SHA-1", ca.pem(), sha1.leaf(), sha1)
	t.add("an intermediate that is signed over SHA-1 and is the anchor", sha1.pem(), sha1.leaf(), sha1)
	small := rootWith(rsaKey(1024), "small")
	t.add("RSA 1024 as an authority", small.pem(), small.leaf())
	t.add("RSA 1024 as a leaf", ca.pem(), ca.leafWith(rsaKey(1024)))
	tiny := rootWith(rsaKey(768), "tiny")
	t.add("RSA 768 as an authority", tiny.pem(), tiny.leaf())
	huge := &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), 8200, 1), E: 65537}
	long := signed(ca, p256(), leafTemplate(nil))
	long.der = must(x509.CreateCertificate(nil, leafTemplate(nil), ca.cert, huge, ca.key))
	t.add("RSA longer than 8192", ca.pem(), long)
	for _, one := range []elliptic.Curve{elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		name := one.Params().Name
		by := rootWith(curve(one), name)
		t.add(name+" as an authority", by.pem(), by.leaf())
		t.add(name+" as a leaf", top.pem(), top.leafWith(curve(one)))
	}
	t.add("ECDSA over SHA-512", top.pem(), top.leaf(using(x509.ECDSAWithSHA512)))
	edwards := rootWith(ed(), "edwards")
	t.add("Ed25519", edwards.pem(), edwards.leafWith(ed()))
	// The object identifier of Ed448, whose keys Go does not know.
	odd := top.leafWith(ed()).edited(top, []byte{0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70}, []byte{0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x71})
	t.add("a key of an unknown kind as a leaf", top.pem(), odd)
	stranger := top.middleWith(ed(), "stranger")
	leaf := stranger.leaf()
	oddMiddle := stranger.edited(top, []byte{0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70}, []byte{0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x71})
	t.add("a key of an unknown kind as an authority", top.pem(), leaf, oddMiddle)
	broken := top.leaf()
	broken.der[len(broken.der)-1] ^= 1
	t.add("a signature that is none", top.pem(), broken)
	forged := &party{cert: ca.cert, der: ca.der, key: rsaKey(2048)}
	t.add("a signature of RSA by another", ca.pem(), partyOf(must(x509.CreateCertificate(nil, leafTemplate(nil), &x509.Certificate{RawSubject: ca.cert.RawSubject, PublicKey: forged.key.Public()}, p256().Public(), forged.key)), p256()))
	forgedEd := ed()
	t.add("a signature of Ed25519 by another", edwards.pem(), partyOf(must(x509.CreateCertificate(nil, leafTemplate(nil), &x509.Certificate{RawSubject: edwards.cert.RawSubject, PublicKey: forgedEd.Public()}, p256().Public(), forgedEd)), p256()))
	t.add("a signature of another kind of key", ca.pem(), partyOf(must(x509.CreateCertificate(nil, leafTemplate(nil), &x509.Certificate{RawSubject: ca.cert.RawSubject, PublicKey: top.key.Public()}, p256().Public(), top.key)), p256()))
	unknown := top.leaf()
	oid := must(asn1.Marshal(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}))
	other := must(asn1.Marshal(asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 9}))
	t.add("a signature of a kind that nobody knows", top.pem(), unknown.renamedAlgorithm(oid, other, 2))
	t.add("two names for one signature", top.pem(), top.leaf().renamedAlgorithm(oid, other, 1))
}

// renamedAlgorithm has another name for how it is signed, so many times.
func (p *party) renamedAlgorithm(old, new []byte, times int) *party {
	der := append([]byte{}, p.der...)
	for at := 0; times > 0 && at+len(old) <= len(der); at++ {
		if string(der[at:at+len(old)]) == string(old) {
			copy(der[at:], new)
			times--
		}
	}
	return partyOf(der, p.key.(*ecdsa.PrivateKey))
}

func (t *table) encodings() {
	top := root("root")
	extra := func(of ...pkix.Extension) change {
		return func(made *x509.Certificate) { made.ExtraExtensions = of }
	}
	unknown := extension(true, []byte{5, 0}, 1, 2, 3, 4)
	t.add("a critical extension that nobody knows", top.pem(), top.leaf(extra(unknown)))
	t.add("an extension that nobody knows", top.pem(), top.leaf(extra(extension(false, []byte{5, 0}, 1, 2, 3, 4))))
	middle := top.middle("odd", extra(unknown))
	t.add("an intermediate with a critical extension that nobody knows", top.pem(), middle.leaf(), middle)
	odd := root("odd root", extra(unknown))
	t.add("a root with a critical extension that nobody knows", odd.pem(), odd.leaf())
	t.add("an extension twice", top.pem(), top.leaf(extra(extension(false, []byte{5, 0}, 1, 2, 3, 4), extension(false, []byte{5, 0}, 1, 2, 3, 4))))
	names := func(value ...byte) change {
		return func(made *x509.Certificate) {
			made.DNSNames = nil
			made.ExtraExtensions = []pkix.Extension{extension(true, append([]byte{0x30, byte(len(value))}, value...), 2, 5, 29, 17)}
		}
	}
	t.add("a name that is not in ASCII", top.pem(), top.leaf(names(0x82, 2, 0xc3, 0xbc)))
	t.add("an address of five bytes", top.pem(), top.leaf(names(0x87, 5, 1, 2, 3, 4, 5)))
	t.add("names of a kind that nobody knows, critical", top.pem(), top.leaf(names(0x88, 1, 42)))
	t.add("a URI whose host is none", top.pem(), top.leaf(names(append([]byte{0x86, 13}, "https://a../b"...)...)))
	negative := top.leaf(func(made *x509.Certificate) { made.SerialNumber = big.NewInt(0x4d) })
	t.add("a number below zero", top.pem(), negative.edited(top, []byte{0xa0, 3, 2, 1, 2, 2, 1, 0x4d}, []byte{0xa0, 3, 2, 1, 2, 2, 1, 0xcd}))
	trailing := top.leaf()
	trailing.der = append(trailing.der, 0)
	t.add("a byte behind it", top.pem(), trailing)
	t.add("no certificate", top.pem(), &party{der: []byte("no certificate"), key: p256()})
	good := top.leaf()
	t.add("no certificate behind a good one", top.pem(), good, &party{der: []byte{0x30, 0x80}, key: p256()})
	printable := top.leaf(func(made *x509.Certificate) { made.Subject.CommonName = "ab" })
	t.add("a text that is not printable", top.pem(), printable.edited(top, []byte{0x13, 2, 'a', 'b'}, []byte{0x13, 2, 'a', '@'}))
	utf8 := top.leaf(func(made *x509.Certificate) { made.Subject.CommonName = "aü" })
	t.add("a text that is not in UTF-8", top.pem(), utf8.edited(top, []byte{0x0c, 3, 'a', 0xc3, 0xbc}, []byte{0x0c, 3, 'a', 0xc3, 0x3c}))
	t.add("a text of two bytes each", top.pem(), utf8.edited(top, []byte{0x0c, 3, 'a', 0xc3, 0xbc}, []byte{0x14, 3, 'a', 0xc3, 0xbc}))
	t.add("a subject that is empty", top.pem(), top.leaf(func(made *x509.Certificate) { made.Subject = pkix.Name{} }))
	t.add("a key identifier that is critical", top.pem(), top.leaf(extra(extension(true, []byte{4, 1, 1}, 2, 5, 29, 14))))
	t.add("basic constraints that are none", top.pem(), top.leaf(extra(extension(true, []byte{4, 1, 1}, 2, 5, 29, 19))))
	key := func(id byte) change { return func(made *x509.Certificate) { made.SubjectKeyId = []byte{id} } }
	nameless := root("", func(made *x509.Certificate) { made.Subject = pkix.Name{Organization: []string{"us"}} })
	t.add("a root with an organization alone", root("", func(made *x509.Certificate) { made.Subject = pkix.Name{Organization: []string{"us"}} }).pem(), nameless.leaf())
	first, second := root("keyed", key(1)), root("keyed", key(2))
	t.add("the key that is named is looked at first", first.pem()+second.pem(), second.leaf())
	t.add("roots of the same name, none of which signed it", first.pem()+second.pem(), root("keyed", key(2)).leaf())
}

func (t *table) policies() {
	top := root("root")
	policies := func(of ...asn1.ObjectIdentifier) change {
		return func(made *x509.Certificate) {
			for _, one := range of {
				ints := make([]uint64, len(one))
				for i, arc := range one {
					ints[i] = uint64(arc)
				}
				made.Policies = append(made.Policies, must(x509.OIDFromInts(ints)))
			}
		}
	}
	gold, silver := asn1.ObjectIdentifier{1, 2, 3, 1}, asn1.ObjectIdentifier{1, 2, 3, 2}
	anyPolicy := asn1.ObjectIdentifier{2, 5, 29, 32, 0}
	// Explicit policies are demanded at once.
	demand := func(made *x509.Certificate) {
		made.ExtraExtensions = append(made.ExtraExtensions, extension(true, []byte{0x30, 3, 0x80, 1, 0}, 2, 5, 29, 36))
	}
	maps := func(from, to asn1.ObjectIdentifier) change {
		pair := must(asn1.Marshal([]struct{ From, To asn1.ObjectIdentifier }{{from, to}}))
		return func(made *x509.Certificate) {
			made.ExtraExtensions = append(made.ExtraExtensions, extension(true, pair, 2, 5, 29, 33))
		}
	}
	ask := func(name string, middle []change, leaf ...change) {
		by := top.middle("strict", middle...)
		t.add(name, top.pem(), by.leaf(leaf...), by)
	}
	ask("policies that nobody demands", []change{policies(gold)}, policies(silver))
	ask("a policy that is demanded", []change{demand, policies(gold)}, policies(gold))
	ask("a policy that is demanded and missing", []change{demand, policies(gold)})
	ask("a policy that is demanded and another", []change{demand, policies(gold)}, policies(silver))
	ask("a policy that is demanded, and any will do", []change{demand, policies(anyPolicy)}, policies(silver))
	ask("a policy that is demanded, and any is shown", []change{demand, policies(gold)}, policies(anyPolicy))
	ask("a policy that is mapped", []change{demand, policies(gold), maps(gold, silver)}, policies(silver))
	ask("a policy that is mapped elsewhere", []change{demand, policies(gold), maps(gold, silver)}, policies(gold))
	ask("any policy is mapped", []change{policies(gold), maps(anyPolicy, silver)}, policies(silver))
	ask("a policy twice", []change{policies(gold)}, func(made *x509.Certificate) {
		made.ExtraExtensions = []pkix.Extension{extension(false, []byte{0x30, 12, 0x30, 4, 6, 2, 0x2a, 3, 0x30, 4, 6, 2, 0x2a, 3}, 2, 5, 29, 32)}
	})
	t.add("an anchor that demands policies", root("demanding", demand).pem(), top.leaf())
}
